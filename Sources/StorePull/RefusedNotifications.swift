import Crypto
import LedgerEvents

/// What became of a page.
struct PageImport {
  var appended = 0
  /// How many notifications the ledger refused.
  var refused = 0
  /// How many of those that an earlier run set aside it refused again.
  var stillRefused = 0
}

extension PullRun {
  /// The most notifications that are set aside in one run. More are refused only if something
  /// else is wrong, such as the app's number.
  package static let refusedMax = 100
  /// The beginning of the names of files with a single notification.
  static let singlePrefix = "single."

  /// Imports a saved page. Of notifications, what the ledger refuses is set aside, and does not
  /// hold up the others.
  ///
  /// - Parameter refused: How many this run set aside before, without those of earlier runs.
  /// - Throws: ``PullError``.
  mutating func imported(
    _ file: String, of list: StoreList, _ environment: StoreHost.Environment, refused: Int
  ) async throws(PullError) -> PageImport {
    let refusal: PullError
    do throws(PullError) {
      let appended = try await importNoting(file, environment)
      if list == .notifications { try settle(file, environment) }
      return PageImport(appended: appended)
    } catch {
      guard list == .notifications, Self.isRefusal(error) else { throw error }
      refusal = error
    }
    let entries = Self.entries(of: try folder.answer(file) ?? [])
    var outcome = PageImport()
    for entry in entries {
      let single = Self.singlePrefix + file
      try folder.save(answer: Self.page(of: entry), as: single)
      do throws(PullError) {
        // A page with one notification was refused for that one.
        guard entries.count > 1 else { throw refusal }
        outcome.appended += try await importNoting(single, environment)
        try settle(single, environment)
        try folder.removeAnswer(single)
      } catch {
        guard Self.isRefusal(error) else { throw error }
        let name = Self.fileName(entry, environment)
        let isSettled = try folder.isSettled(name)
        if isSettled || refusedNames.contains(name) {
          try folder.removeAnswer(single)
          continue
        }
        if try folder.isRefused(name) {
          // A pull of one customer's does not try those of earlier runs first.
          outcome.stillRefused += 1
          refusedNames.insert(name)
          try folder.removeAnswer(single)
          continue
        }
        guard refused + outcome.refused < Self.refusedMax else {
          throw PullError(
            .daybook(65),
            "the ledger refused more than \(Self.refusedMax) notifications in this run, and they "
              + "are set aside in \(folder.path)/refused. Check --app, --app-apple-id and --root; "
              + "the pull continues with this page.")
        }
        outcome.refused += 1
        refusedNames.insert(name)
        // The import says itself why it refuses something.
        if error.kind == .revoked { client.notice(error.message) }
        try setAside(single, entry, name)
      }
    }
    return outcome
  }

  /// Notes what was set aside before and is imported now, with one customer's options for example:
  /// without them it would be refused again.
  private func settle(
    _ file: String, _ environment: StoreHost.Environment
  ) throws(PullError) {
    let refused = try folder.refused()
    guard !refused.isEmpty else { return }
    let entries = Self.entries(of: try folder.answer(file) ?? [])
    let names = Set(entries.map { Self.fileName($0, environment) })
    for name in refused where names.contains(name) { try folder.settle(name) }
  }

  static func isRefusal(_ error: PullError) -> Bool {
    error.kind == .daybook(65) || error.kind == .revoked
  }

  private func setAside(
    _ file: String, _ entry: JSONValue, _ name: String
  ) throws(PullError) {
    let id = Self.identifier(entry)
    try folder.setAside(file, as: name)
    client.notice(
      "the ledger refused the notification \(id.map(StoreFault.cut) ?? "without an id"), for the "
        + "reason above. It is set aside in \(folder.path)/refused/\(name), and every pull of "
        + "notifications without --transaction tries it again, with --claim for example; remove "
        + "the file to give it up")
  }

  /// A name that is safe for a file, and the same for the same notification.
  static func fileName(_ entry: JSONValue, _ environment: StoreHost.Environment) -> String {
    if let id = identifier(entry), StoreTransactionID(id) != nil {
      return fileName(id, environment)
    }
    // The rest of the entry changes with each attempt to send it.
    return "\(environment.rawValue).\(digest(entry["signedPayload"] ?? entry)).json"
  }

  /// The name of a notification's file, if its id is safe in one.
  static func fileName(_ id: String, _ environment: StoreHost.Environment) -> String {
    "\(environment.rawValue).\(StoreTransactionID(id)?.text ?? digest(.string(id))).json"
  }

  /// The UUID that an entry states; nil if it cannot be read.
  static func identifier(_ entry: JSONValue) -> String? {
    payload(entry["signedPayload"])?["notificationUUID"]?.string
  }

  static func digest(_ value: JSONValue) -> String {
    SHA256.hash(data: value.json).prefix(16).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count < 2 ? "0" + digits : digits
    }.joined()
  }

  /// Tries what earlier pulls set aside: with other options, or after `daybook assign`, the ledger
  /// may take it.
  ///
  /// - Throws: ``PullError``.
  mutating func importRefused(
    _ environment: StoreHost.Environment
  ) async throws(PullError) -> PageImport {
    try folder.removeAnswers(from: Self.singlePrefix)
    var outcome = PageImport()
    for name in try folder.refused() where name.hasPrefix(environment.rawValue + ".") {
      if let fault = folder.refusedFault(name) {
        client.notice(
          "\(folder.path)/refused/\(name) is left out, since it cannot be read: \(fault). Remove "
            + "it unless it can be repaired")
        continue
      }
      do throws(PullError) {
        outcome.appended += try await importNoting("../refused/" + name, environment)
        try folder.settle(name)
      } catch {
        guard Self.isRefusal(error) else { throw error }
        outcome.refused += 1
        refusedNames.insert(name)
      }
    }
    if outcome.refused > 0 {
      client.notice(
        "\(outcome.refused) notifications in \(folder.path)/refused are still refused: pull with "
          + "--claim, or remove their files")
    }
    return outcome
  }

  // MARK: - Entries

  /// The entries of an answer; none if it cannot be read.
  static func entries(of body: [UInt8]) -> [JSONValue] {
    json(body)?["notificationHistory"]?.array ?? []
  }

  private static func page(of entry: JSONValue) -> [UInt8] {
    JSONValue.object([
      ("hasMore", .boolean(false)), ("notificationHistory", .array([entry])),
    ]).json
  }

  /// What a signed text says. It is only looked at: the import verifies it.
  static func payload(_ text: JSONValue?) -> JSONValue? {
    let parts = text?.string?.split(separator: ".", omittingEmptySubsequences: false) ?? []
    guard parts.count == 3, let bytes = Base64URL.bytes(parts[1]) else { return nil }
    return json(bytes)
  }

  static func json(_ bytes: [UInt8]) -> JSONValue? {
    do throws(EventError) { return try JSONValue(document: bytes, nulls: .leftOut) } catch {
      return nil
    }
  }
}
