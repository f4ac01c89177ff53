/// Finds envelope fields by the bytes of their names.
final class EnvelopeNames: Sendable {
  /// The length and the bytes of a name, packed into three words so that comparing them needs no
  /// string.
  private struct Key {
    var count: Int
    var word0: UInt64
    var word1: UInt64
    var word2: UInt64
  }

  private let fields: [EnvelopeField] = EnvelopeField.allCases
  private let keys: [Key] = EnvelopeField.allCases.map { field in
    let bytes = Array(field.rawValue.utf8)
    return EnvelopeNames.key(bytes.span, 0..<bytes.count)
  }

  static let shared = EnvelopeNames()

  /// The maximum number of wrong letters in a field's name for which a suggestion is made.
  private static let fieldEditsMax = 3

  private static func key(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Key {
    let start = range.lowerBound
    let end = range.upperBound
    let count = range.count
    return Key(
      count: count, word0: NameKey.prefix(bytes, range),
      word1: count > 8 ? NameKey.prefix(bytes, start &+ 8..<end) : 0,
      word2: count > 16 ? NameKey.prefix(bytes, start &+ 16..<end) : 0)
  }

  /// - Parameter expected: The index of the field to try first. Writers usually keep the fields in
  ///   one order.
  func field(
    _ name: JSONRange, in scanner: borrowing JSONScanner, expected: inout Int
  ) -> EnvelopeField? {
    if name.isEscaped {
      let plain = scanner.unescaped(name)
      return field(EnvelopeNames.key(plain.span, 0..<plain.count), &expected)
    }
    return field(EnvelopeNames.key(scanner.bytes, name.inside), &expected)
  }

  private func field(_ key: Key, _ expected: inout Int) -> EnvelopeField? {
    // No name has more than 24 bytes.
    if key.count > 24 { return nil }
    var index = expected
    for _ in keys.indices {
      let known = keys[index]
      let next = index + 1 < keys.count ? index + 1 : 0
      if known.word0 == key.word0, known.count == key.count, known.word1 == key.word1,
        known.word2 == key.word2
      {
        expected = next
        return fields[index]
      }
      index = next
    }
    return nil
  }

  /// Returns the error for a field that the envelope does not have, with the nearest known name.
  static func unknown(_ name: String, at offset: Int) -> EventError {
    let near = Spelling.nearest(
      to: name, among: EnvelopeField.allCases.map(\.rawValue), within: fieldEditsMax)
    var reason = "is not a field of an event"
    if let near {
      reason += ": did you mean \(near)?"
    } else {
      reason += ": your own fields go into data"
    }
    return EventError(at: offset, reason).within(name.isEmpty ? "\"\"" : name)
  }
}
