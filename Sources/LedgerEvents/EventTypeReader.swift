/// Reads the type of an event, without creating a string for a known type.
enum EventTypeReader {
  static func type(
    _ value: JSONRange, in scanner: borrowing JSONScanner
  ) throws(EventError) -> EventType {
    try scanner.checkName(value)
    if !value.isEscaped {
      let hash = fnv(scanner.bytes, value.inside)
      var slot = Int(hash & mask)
      while let kind = table[slot] {
        if scanner.isText(value, texts[Int(kind.rawValue)]) { return types[Int(kind.rawValue)] }
        slot = (slot + 1) & Int(mask)
      }
    }
    let text = try scanner.text(value)
    guard isWellFormed(text) else {
      throw EventError(
        at: value.start,
        "expected subject.verb in letters, such as \"transaction.purchased\", found "
          + (try scanner.shortText(value)))
    }
    return EventType(text: text)
  }

  /// `[a-z][A-Za-z]*\.[a-z][A-Za-z]*`
  static func isWellFormed(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 2
      && parts.allSatisfy { part in
        guard let first = part.first, first >= UInt8(ascii: "a"), first <= UInt8(ascii: "z") else {
          return false
        }
        return part.allSatisfy { $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z") }
      }
  }

  private static let mask: UInt64 = 255
  private static let texts: [[UInt8]] = EventKind.allCases.map { Array($0.text.utf8) }
  /// Indexed by the kind's number. The first element is never used.
  private static let types: [EventType] = EventKind.allCases.map {
    $0 == .unknown ? EventType(text: "") : EventType($0)
  }

  /// A hash table with open addressing: 76 kinds in 256 slots.
  private static let table: [EventKind?] = {
    var table = [EventKind?](repeating: nil, count: Int(mask) + 1)
    for kind in EventKind.allCases where kind != .unknown {
      let text = texts[Int(kind.rawValue)]
      var slot = Int(fnv(text.span, 0..<text.count) & mask)
      while table[slot] != nil { slot = (slot + 1) & Int(mask) }
      table[slot] = kind
    }
    return table
  }()
}

/// Returns the 64-bit FNV-1a hash of a part of `bytes`.
private func fnv(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
  var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  for index in range { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
  return hash
}
