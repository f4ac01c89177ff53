import LedgerEvents

/// Writes persisted state: integers in base 128, lowest bits first, so that the many small ones
/// take a byte each.
struct StateWriter {
  /// Room for what is written; the rest of it is zeros.
  private var room = [UInt8](repeating: 0, count: Self.roomAtFirst)
  private var count = 0

  /// The bytes that most units take.
  private static let roomAtFirst = 1_024
  /// The longest number in base 128.
  private static let numberSizeMax = 10

  init() {}

  var written: ArraySlice<UInt8> { room[..<count] }

  var bytes: [UInt8] { Array(written) }

  /// Makes sure that so many bytes more can be written.
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

  /// A place in a table or a count; `none`, `nobody` and `gone` are small too.
  mutating func write(_ value: Int) {
    write(UInt64(bitPattern: Int64(value &<< 1) ^ Int64(value &>> 63)))
  }

  /// A signed amount or a moment; `Fact.absentTime` and `.max` take one byte.
  mutating func write(_ value: Int64) {
    switch value {
    case .min: write(UInt8(0))
    case .max: write(UInt8(1))
    default:
      let folded = UInt64(bitPattern: (value &<< 1) ^ (value &>> 63))
      // The two values that fold highest are those above: 2 more always fits.
      write(folded + 2)
    }
  }

  /// NaN takes one byte.
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

  mutating func write(_ index: KeyIndex) {
    write(UInt64(index.keys.count))
    for key in index.keys { write(key) }
  }
}

/// What stands in persisted state.
protocol Persisted {
  init(from reader: inout StateReader) throws(StateError)
  func encode(into writer: inout StateWriter)
}
