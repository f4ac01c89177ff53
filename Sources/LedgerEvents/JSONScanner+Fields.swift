extension JSONScanner {
  /// Checks the value at `index` against the type of its field in the vocabulary, and steps over
  /// it.
  ///
  /// The value has been scanned before, so its syntax is known to be valid.
  mutating func check(_ type: Vocabulary.FieldType) throws(EventError) {
    switch type {
    case .array(let element): try checkArray(element)
    case .object(let fields): try checkObject(fields)
    case .amounts: try checkAmounts()
    case .error: try checkObject(JSONScanner.errorFields)
    default:
      let range = try value()
      try check(range, type)
    }
  }

  private func check(_ range: JSONRange, _ type: Vocabulary.FieldType) throws(EventError) {
    switch type {
    case .string: try demand(.string, range)
    case .name: try checkName(range)
    case .boolean: try demand(.boolean, range)
    case .integer(let minimum): _ = try integer(range, minimum: minimum)
    case .number(let bounds): try checkNumber(range, bounds)
    case .time:
      try checkText(range, "an RFC 3339 time such as 2014-03-05T10:00:01Z") { bytes, part in
        Instant(rfc3339: bytes, part) != nil
      }
    case .money:
      try checkText(range, "a decimal number in quotes, such as \"0.99\"", JSONNumber.isDecimal)
    case .currency:
      try checkText(range, "an ISO 4217 currency code such as \"EUR\"") { bytes, part in
        part.count == 3
          && part.allSatisfy { bytes[$0] >= UInt8(ascii: "A") && bytes[$0] <= UInt8(ascii: "Z") }
      }
    case .duration:
      try checkText(range, "an ISO 8601 duration such as \"P1M\"") { bytes, part in
        CalendarDuration(iso8601: bytes, part) != nil
      }
    case .digits:
      try checkText(range, "digits in quotes") { bytes, part in
        !part.isEmpty && part.allSatisfy { isDigit(bytes[$0]) }
      }
    case .oneOf(let words): _ = try word(range, of: words)
    case .integerOrString:
      if range.shape != .string { _ = try integer(range, minimum: .min) }
    case .any, .error, .array, .object, .amounts: break
    }
  }

  func demand(_ shape: JSONShape, _ range: JSONRange) throws(EventError) {
    guard range.shape == shape else {
      throw EventError(
        at: range.start, "expected \(shape.description), found \(range.shape.description)")
    }
  }

  /// A name: a string of 1 to `nameBytesMax` bytes.
  func checkName(_ range: JSONRange, bytesMax: Int = nameBytesMax) throws(EventError) {
    try demand(.string, range)
    let count = textByteCount(range)
    guard count > 0 else {
      throw EventError(at: range.start, "is empty: leave it out if it is not known")
    }
    guard count <= bytesMax else {
      throw EventError(at: range.start, "has \(count) bytes, more than the \(bytesMax) allowed")
    }
  }

  private func checkNumber(
    _ range: JSONRange, _ bounds: ClosedRange<Double>
  ) throws(EventError) {
    try demand(.number, range)
    guard bounds != -Double.infinity ... .infinity else { return }
    guard bounds.contains(double(range)) else {
      let low = Int(bounds.lowerBound)
      let high = Int(bounds.upperBound)
      throw EventError(
        at: range.start, "expected a number from \(low) to \(high), found \(try shortText(range))")
    }
  }

  private func checkText(
    _ range: JSONRange, _ expected: StaticString, _ isValid: (Span<UInt8>, Range<Int>) -> Bool
  ) throws(EventError) {
    guard range.shape == .string else {
      throw EventError(at: range.start, "expected \(expected), found \(range.shape.description)")
    }
    let isFine: Bool
    if range.isEscaped {
      let plain = unescaped(range)
      isFine = isValid(plain.span, 0..<plain.count)
    } else {
      isFine = isValid(bytes, range.inside)
    }
    guard isFine else {
      throw EventError(at: range.start, "expected \(expected), found \(try shortText(range))")
    }
  }

  /// Returns the index of the word that a string is.
  func word(_ range: JSONRange, of words: [String]) throws(EventError) -> Int {
    try demand(.string, range)
    for index in words.indices where isText(range, words[index]) { return index }
    throw EventError(
      at: range.start,
      "expected one of \(words.joined(separator: ", ")), found \(try shortText(range))")
  }

  /// Returns a value's JSON text for a message, truncated to 40 characters.
  func shortText(_ range: JSONRange) throws(EventError) -> String {
    let whole = String(decoding: json(range), as: UTF8.self)
    return whole.count <= 40 ? whole : String(whole.prefix(40)) + "…"
  }
}

// MARK: - Objects and arrays

extension JSONScanner {
  private static let errorFields: [Vocabulary.Field] = [
    Vocabulary.Field("domain", .string), Vocabulary.Field("code", .integer(minimum: .min)),
    Vocabulary.Field("message", .string, isPersonal: true), Vocabulary.Field("underlying", .error),
  ]

  private mutating func checkArray(_ element: Vocabulary.FieldType) throws(EventError) {
    guard next == UInt8(ascii: "[") else {
      try demand(.array, try value())
      return
    }
    try open()
    var count = 0
    skipSpace()
    if !take(UInt8(ascii: "]")) {
      repeat {
        skipSpace()
        do { try check(element) } catch { throw error.within("[\(count)]") }
        count += 1
        skipSpace()
      } while try another(UInt8(ascii: "]"))
    }
    depth -= 1
  }

  private mutating func checkObject(_ fields: [Vocabulary.Field]) throws(EventError) {
    let start = index
    guard next == UInt8(ascii: "{") else {
      try demand(.object, try value())
      return
    }
    let first = members.count
    var seen: UInt64 = 0
    try open()
    skipSpace()
    if !take(UInt8(ascii: "}")) {
      repeat {
        let name = try memberName(first: first)
        if let found = field(name, of: fields) {
          seen |= 1 << UInt64(found)
          do { try check(fields[found].type) } catch { throw error.within(fields[found].name) }
        } else {
          _ = try value()
        }
        skipSpace()
      } while try another(UInt8(ascii: "}"))
    }
    close(first: first)
    for (number, field) in fields.enumerated() where field.isNeeded && seen & 1 << number == 0 {
      throw EventError(at: start, "is missing: this object needs it").within(field.name)
    }
  }

  private mutating func checkAmounts() throws(EventError) {
    guard next == UInt8(ascii: "{") else {
      try demand(.object, try value())
      return
    }
    let first = members.count
    try open()
    skipSpace()
    if !take(UInt8(ascii: "}")) {
      repeat {
        let name = try memberName(first: first)
        let unit = try text(name)
        do {
          try checkName(name)
          _ = try integer(try value(), minimum: .min)
        } catch { throw error.within(unit) }
        skipSpace()
      } while try another(UInt8(ascii: "}"))
    }
    close(first: first)
  }

  /// Returns the index in the rule's fields of the field that a member's name denotes.
  func field(_ name: JSONRange, of rule: Vocabulary.Rule) -> Int? {
    let prefix = prefix(name)
    for index in rule.prefixes.indices
    where rule.prefixes[index] == prefix && isText(name, rule.fields[index].key.bytes) {
      return index
    }
    return nil
  }

  /// Returns the index in `fields` of the field that a member's name denotes.
  func field(_ name: JSONRange, of fields: [Vocabulary.Field]) -> Int? {
    let prefix = prefix(name)
    return fields.firstIndex { $0.key.matches(prefix, self, name) }
  }

  func prefix(_ name: JSONRange) -> UInt64 {
    if name.isEscaped {
      let plain = unescaped(name)
      return NameKey.prefix(plain.span, 0..<plain.count)
    }
    return NameKey.prefix(bytes, name.inside)
  }
}

// MARK: - Numbers

extension JSONScanner {
  /// Returns an integer that is written without fraction or exponent and fits into 64 bits.
  func integer(_ range: JSONRange, minimum: Int64) throws(EventError) -> Int64 {
    guard range.shape == .number else {
      throw EventError(at: range.start, "expected an integer, found \(range.shape.description)")
    }
    guard let number = JSONNumber.integer(bytes, range.start..<range.end) else {
      let written = try shortText(range)
      throw EventError(
        at: range.start,
        "expected a 64-bit integer without fraction or exponent, found \(written)")
    }
    guard number >= minimum else {
      throw EventError(
        at: range.start, "expected an integer of \(minimum) or more, found \(number)")
    }
    return number
  }

  func double(_ range: JSONRange) -> Double { JSONNumber.double(bytes, range.start..<range.end) }
}
