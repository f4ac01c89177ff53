import LedgerEvents

/// The members of a JSON object that says what somebody wants done. One that is not known is a
/// mistake, and is refused.
struct BodyMembers {
  private let object: [(name: String, value: JSONValue)]
  private let known: [String]

  /// - Parameters:
  ///   - body: A JSON object.
  ///   - known: The members that it may have.
  /// - Throws: ``Problem``: `badRequest`.
  init(_ body: [UInt8], _ known: [String]) throws(Problem) {
    do throws(EventError) {
      object = try JSONValue(document: body, nulls: .leftOut).object ?? []
    } catch {
      throw Problem(.badRequest, "The body: \(error)")
    }
    self.known = known
    guard !object.isEmpty else { throw Problem(.badRequest, "Expected a JSON object.") }
    for member in object where !known.contains(member.name) {
      let near = Spelling.nearest(to: member.name, among: known).map { "; did you mean \($0)?" }
      throw Problem(
        .badRequest,
        "There is no member “\(member.name.prefix(64))”\(near ?? ":") expected "
          + known.joined(separator: ", ") + ".")
    }
  }

  private func value(_ name: String) -> JSONValue? {
    object.first { $0.name == name }?.value
  }

  func text(_ name: String) throws(Problem) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.string, !text.isEmpty else {
      throw Problem(.badRequest, "\(name): expected a text that is not empty.")
    }
    return text
  }

  func name(_ name: String) throws(Problem) -> Name? { try text(name).map { Name($0) } }

  func required(_ name: String) throws(Problem) -> Name {
    if let found = try self.name(name) { return found }
    throw Problem(.badRequest, "\(name) is missing.")
  }

  /// A list of texts; empty if there is none.
  func texts(_ name: String) throws(Problem) -> [String] {
    guard let value = value(name) else { return [] }
    let texts = value.array?.compactMap(\.string)
    guard let texts, texts.count == value.array?.count, !texts.contains("") else {
      throw Problem(.badRequest, "\(name): expected a list of texts that are not empty.")
    }
    return texts
  }

  /// A position.
  func position(_ name: String) throws(Problem) -> UInt64? {
    guard let value = value(name) else { return nil }
    if let number = value.wholeNumber, number > 0 { return UInt64(number) }
    throw Problem(.badRequest, "\(name): expected a position, a whole number from 1.")
  }

  /// A text in which somebody can read something.
  func words(_ name: String) throws(Problem) -> String {
    let text = try text(name) ?? ""
    guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
      throw Problem(.badRequest, "\(name) is missing: it is kept in the customer's history.")
    }
    return text
  }

  func instant(_ name: String) throws(Problem) -> Instant? {
    guard let value = value(name) else { return nil }
    if let instant = value.instant { return instant }
    throw Problem(.badRequest, "\(name): expected a time of RFC 3339, 2026-05-11T10:00:00Z.")
  }

  func flag(_ name: String) throws(Problem) -> Bool {
    guard let value = value(name) else { return false }
    if let flag = value.boolean { return flag }
    throw Problem(.badRequest, "\(name): expected true or false.")
  }

  func environment() throws(Problem) -> StoreEnvironment? {
    guard let text = try text("environment") else { return nil }
    if let found = StoreEnvironment(text: text) { return found }
    throw QueryItems.unknown("environment", text, among: StoreEnvironment.allCases.map(\.text))
  }
}

extension JSONValue {
  /// The integer, if the value is a number without a fraction, also one that is written `12.0`.
  ///
  /// Source: JSON Schema 2020-12, *Core*, 4.2.3, and *Validation*, 6.1.1: an `integer` is any
  /// number with a zero fractional part.
  var wholeNumber: Int64? {
    if let integer { return integer }
    // Beyond this, neighbouring integers are one double.
    guard let double, double.magnitude < 0x1p53 else { return nil }
    return Int64(exactly: double)
  }
}
