/// The names of the envelope's fields, found by their bytes.
final class EnvelopeNames: Sendable {
  /// A name by its length and its bytes in three words, which decide without a look at any text.
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

  /// The most letters that may be wrong in a field's name for the right one to be suggested.
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

  /// - Parameter expected: Where to look first, by the field's place among all: writers keep to an
  ///   order.
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

  /// The error for a field that the envelope does not have, with the nearest one that it has.
  static func unknown(_ name: String, at offset: Int) -> EventError {
    let near = Spelling.nearest(
      to: name, among: EnvelopeField.allCases.map(\.rawValue), within: fieldEditsMax)
    var reason = "is no field of an event"
    if let near {
      reason += ": did you mean \(near)?"
    } else {
      reason += ": fields of your own go into data"
    }
    return EventError(at: offset, reason).within(name.isEmpty ? "\"\"" : name)
  }
}
