import LedgerEvents

/// Writes persisted state: integers in base 128, lowest bits first, so that the many small ones
/// take a byte each.
struct StateWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  mutating func write(_ value: NameNumber) { write(UInt64(value)) }

  mutating func write(_ value: UInt8) { bytes.append(value) }

  mutating func write(_ value: Bool) { bytes.append(value ? 1 : 0) }

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
      write(folded.addingReportingOverflow(2))
    }
  }

  /// Values at the far ends of 64 bits take an escape byte before all of their bytes.
  private mutating func write(_ shifted: (partialValue: UInt64, overflow: Bool)) {
    if shifted.overflow {
      write(UInt64.max)
      write(shifted.partialValue)
    } else if shifted.partialValue == .max {
      write(UInt64.max)
      write(UInt64(2))
    } else {
      write(shifted.partialValue)
    }
  }

  /// NaN takes one byte.
  mutating func write(_ value: Double) {
    write(!value.isNaN)
    if !value.isNaN { writeFixed(value.bitPattern) }
  }

  mutating func writeFixed(_ value: UInt64) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  mutating func write(_ value: Name) {
    write(UInt64(value.text.utf8.count))
    bytes.append(contentsOf: value.text.utf8)
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
