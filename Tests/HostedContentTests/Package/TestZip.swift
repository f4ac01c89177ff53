/// A zip made byte by byte, so that it can be what no program would write.
struct TestZip {
  struct Entry {
    var name: [UInt8]
    var data: [UInt8] = []
    /// Type and rights as in `stat`.
    var mode: UInt32 = 0o100644
    /// 0: stored, 8: deflated.
    var method: UInt16 = 0
    /// Bytes that are stated unpacked, where that is not what there is.
    var statedBytes: UInt32?
    var statedChecksum: UInt32?
    /// Bit 11: the name is UTF-8; bit 0: encrypted.
    var flags: UInt16 = 1 << 11
  }

  var entries: [Entry] = []

  var bytes: [UInt8] {
    var zip: [UInt8] = []
    var directory: [UInt8] = []
    for entry in entries {
      let offset = UInt32(zip.count)
      let checksum = entry.statedChecksum ?? Self.checksum(entry.data)
      let common =
        Self.little(entry.flags) + Self.little(entry.method) + [0, 0, 0x21, 0]
        + Self.little(checksum) + Self.little(UInt32(entry.data.count))
        + Self.little(entry.statedBytes ?? UInt32(entry.data.count))
        + Self.little(UInt16(entry.name.count)) + [0, 0]
      zip += [0x50, 0x4B, 3, 4, 20, 0] + common + entry.name + entry.data
      directory += [0x50, 0x4B, 1, 2, 20, 3, 20, 0] + common + [0, 0, 0, 0, 0, 0]
      directory += Self.little(entry.mode << 16) + Self.little(offset) + entry.name
    }
    let start = UInt32(zip.count)
    zip += directory + [0x50, 0x4B, 5, 6, 0, 0, 0, 0]
    zip += Self.little(UInt16(entries.count)) + Self.little(UInt16(entries.count))
    zip += Self.little(UInt32(directory.count)) + Self.little(start) + [0, 0]
    return zip
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

  private static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
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

  /// Zeros, deflated 158 to 1: a literal and matches of 258 bytes in the fixed code (RFC 1951).
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
