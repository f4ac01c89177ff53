/// A zip built byte by byte, so that it can have errors that no program would write.
struct TestZip {
  struct Entry {
    var name: [UInt8]
    var data: [UInt8] = []
    /// The type and permissions, as in `stat`.
    var mode: UInt32 = 0o100644
    /// 0: stored, 8: deflated.
    var method: UInt16 = 0
    /// The unpacked size in the headers, if it differs from the actual size.
    var statedBytes: UInt32?
    var statedChecksum: UInt32?
    /// Bit 11: the name is UTF-8; bit 0: encrypted.
    var flags: UInt16 = 1 << 11
    /// The values in the header before the data, if they differ from those in the directory.
    var localName: [UInt8]?
    var localChecksum: UInt32?
    var localBytes: UInt32?
    /// Whether the checksum and the sizes come after the data (bit 3).
    var statesSizesBehind = false
    var behindBytes: UInt32?
    /// Whether the directory states the offset of the previous entry for this one.
    var sharesOffset = false
    var isInDirectory = true
    /// The extra fields, and those of the header before the data if they differ.
    var extra: [UInt8] = []
    var localExtra: [UInt8]?

    /// An extra field with another name, as Info-ZIP writes it.
    static func otherName(_ name: String, insteadOf own: [UInt8]) -> [UInt8] {
      TestZip.little(0x7075 as UInt16) + TestZip.little(UInt16(5 + name.utf8.count)) + [1]
        + TestZip.little(TestZip.checksum(own)) + Array(name.utf8)
    }
  }

  var entries: [Entry] = []
  /// The number of entries in the end record, if it differs from the actual number.
  var statedEntries: Int?
  /// Changes the end: the directory with everything before it, the ZIP64 end record and its locator
  /// if it is to have them, and the end record.
  var end: (@Sendable (inout TestZip.End) -> Void)?

  /// The parts after the directory, in order.
  struct End: Sendable {
    /// How many bytes are before the end: what the directory and everything before it take.
    let start: Int
    let directoryBytes: Int
    let entries: Int
    var largeRecord: [UInt8] = []
    var between: [UInt8] = []
    var locator: [UInt8] = []
    var record: [UInt8]

    /// Adds a ZIP64 end record that states the same, and its locator.
    mutating func addLarge(entries: Int? = nil) {
      let count = UInt64(entries ?? self.entries)
      largeRecord = [0x50, 0x4B, 6, 6] + TestZip.little(44 as UInt64) + [45, 0, 45, 0]
      largeRecord += [UInt8](repeating: 0, count: 8) + TestZip.little(count)
      largeRecord += TestZip.little(count) + TestZip.little(UInt64(directoryBytes))
      largeRecord += TestZip.little(UInt64(start - directoryBytes))
      locator = [0x50, 0x4B, 6, 7, 0, 0, 0, 0] + TestZip.little(UInt64(start)) + [1, 0, 0, 0]
    }
  }

  var bytes: [UInt8] {
    var zip: [UInt8] = []
    var directory: [UInt8] = []
    var offset: UInt32 = 0
    for entry in entries {
      if entry.sharesOffset {
        directory += Self.central(entry, at: offset)
        continue
      }
      offset = UInt32(zip.count)
      let name = entry.localName ?? entry.name
      zip += [0x50, 0x4B, 3, 4, 20, 0]
      let extra = entry.localExtra ?? entry.extra
      zip += Self.common(entry, name, entry.localChecksum, entry.localBytes, extra)
      zip += name + extra + entry.data
      if entry.statesSizesBehind {
        zip += [0x50, 0x4B, 7, 8] + Self.little(Self.checksum(entry.data))
        zip += Self.little(entry.behindBytes ?? UInt32(entry.data.count))
        zip += Self.little(UInt32(entry.data.count))
      }
      if entry.isInDirectory { directory += Self.central(entry, at: offset) }
    }
    let start = UInt32(zip.count)
    let count = UInt16(statedEntries ?? entries.count(where: \.isInDirectory))
    var record: [UInt8] = [0x50, 0x4B, 5, 6, 0, 0, 0, 0] + Self.little(count)
    record += Self.little(count) + Self.little(UInt32(directory.count))
    record += Self.little(start) + [0, 0]
    zip += directory
    var end = End(
      start: zip.count, directoryBytes: directory.count, entries: Int(count), record: record)
    self.end?(&end)
    return zip + end.largeRecord + end.between + end.locator + end.record
  }

  /// Returns the part that both headers share, beginning with the flags.
  private static func common(
    _ entry: Entry, _ name: [UInt8], _ checksum: UInt32?, _ bytes: UInt32?, _ extra: [UInt8]
  ) -> [UInt8] {
    little(entry.flags | (entry.statesSizesBehind ? 1 << 3 : 0)) + little(entry.method)
      + [0, 0, 0x21, 0]
      + little(checksum ?? entry.statedChecksum ?? self.checksum(entry.data))
      + little(bytes ?? UInt32(entry.data.count))
      + little(bytes ?? entry.statedBytes ?? UInt32(entry.data.count))
      + little(UInt16(name.count)) + little(UInt16(extra.count))
  }

  private static func central(_ entry: Entry, at offset: UInt32) -> [UInt8] {
    [0x50, 0x4B, 1, 2, 20, 3, 20, 0] + common(entry, entry.name, nil, nil, entry.extra)
      + [0, 0, 0, 0, 0, 0] + little(entry.mode << 16) + little(offset) + entry.name + entry.extra
  }

  mutating func add(_ name: String, _ text: String = "text", mode: UInt32 = 0o100644) {
    entries.append(Entry(name: Array(name.utf8), data: Array(text.utf8), mode: mode))
  }

  mutating func add(_ name: String, data: [UInt8], mode: UInt32 = 0o100644) {
    entries.append(Entry(name: Array(name.utf8), data: data, mode: mode))
  }

  mutating func link(_ name: String, to target: String) {
    add(name, target, mode: 0o120777)
  }

  fileprivate static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    stride(from: 0, to: Number.bitWidth, by: 8).map {
      UInt8(truncatingIfNeeded: number >> Number($0))
    }
  }

  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var register: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      register ^= UInt32(byte)
      for _ in 0..<8 {
        register = register & 1 == 0 ? register >> 1 : 0xEDB8_8320 ^ register >> 1
      }
    }
    return ~register
  }

  /// Returns deflated zeros, compressed 158 to 1: a literal and matches of 258 bytes in the fixed
  /// code (RFC 1951).
  static func deflatedZeros(_ matches: Int) -> (data: [UInt8], bytes: UInt32) {
    var bits: [UInt8] = [1, 1, 0]
    bits += [0, 0, 1, 1, 0, 0, 0, 0]
    for _ in 0..<matches { bits += [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0] }
    bits += [0, 0, 0, 0, 0, 0, 0]
    var data = [UInt8](repeating: 0, count: (bits.count + 7) / 8)
    for (index, bit) in bits.enumerated() { data[index / 8] |= bit << UInt8(index % 8) }
    return (data, UInt32(1 + matches * 258))
  }
}
