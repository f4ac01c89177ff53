import LedgerEvents

/// Writes persisted state. Integers are written in base 128, lowest bits first, so that the many
/// small ones take one byte each.
struct StateWriter {
  /// The buffer for what is written; its unused rest is zeros.
  private var room = [UInt8](repeating: 0, count: Self.roomAtFirst)
  private var count = 0

  /// Enough bytes for most units.
  private static let roomAtFirst = 1_024
  /// The maximum size of a number in base 128.
  private static let numberSizeMax = 10

  init() {}

  var written: ArraySlice<UInt8> { room[..<count] }

  var bytes: [UInt8] { Array(written) }

  /// Makes sure that `more` bytes can be written.
  private mutating func reserve(_ more: Int) {
    if count + more <= room.count { return }
    room.append(contentsOf: repeatElement(0, count: max(room.count, more)))
  }

  mutating func write(_ value: UInt64) {
    reserve(Self.numberSizeMax)
    var rest = value
    while rest >= 0x80 {
      room[count] = UInt8(truncatingIfNeeded: rest) | 0x80
      count += 1
      rest >>= 7
    }
    room[count] = UInt8(truncatingIfNeeded: rest)
    count += 1
  }

  mutating func write(_ value: NameNumber) { write(UInt64(value)) }

  mutating func write(_ value: UInt8) {
    reserve(1)
    room[count] = value
    count += 1
  }

  mutating func write(_ value: Bool) { write(UInt8(value ? 1 : 0)) }

  /// Writes an index or a count. The negative values `none`, `nobody` and `merged` also take one
  /// byte.
  mutating func write(_ value: Int) {
    write(UInt64(bitPattern: Int64(value &<< 1) ^ Int64(value &>> 63)))
  }

  /// Writes a signed amount or a moment. `Fact.absentTime` and `.max` take one byte.
  mutating func write(_ value: Int64) {
    switch value {
    case .min: write(UInt8(0))
    case .max: write(UInt8(1))
    default:
      let folded = UInt64(bitPattern: (value &<< 1) ^ (value &>> 63))
      // The two highest folded values are handled above, so adding 2 cannot overflow.
      write(folded + 2)
    }
  }

  /// Writes a double. NaN takes one byte.
  mutating func write(_ value: Double) {
    write(!value.isNaN)
    if !value.isNaN { writeFixed(value.bitPattern) }
  }

  mutating func writeFixed(_ value: UInt64) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      write(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  mutating func write(_ value: Name) {
    write(UInt64(value.text.utf8.count))
    reserve(value.text.utf8.count)
    for byte in value.text.utf8 {
      room[count] = byte
      count += 1
    }
  }

  mutating func write(_ value: Name?) {
    write(value != nil)
    if let value { write(value) }
  }

  mutating func write(_ hash: UInt64?) {
    write(hash != nil)
    if let hash { writeFixed(hash) }
  }

  mutating func write(_ list: [some Persisted]) {
    write(UInt64(list.count))
    for element in list { element.encode(into: &self) }
  }

}

/// A value that can be persisted.
protocol Persisted {
  init(from reader: inout StateReader) throws(StateError)
  func encode(into writer: inout StateWriter)
}
