/// A record in a file: 20 bytes of header, then the line.
///
/// | bytes | what |
/// | --: | --- |
/// | 0–3 | F5 'D' 'B' FE, which no UTF-8 contains: where to go on behind damage |
/// | 4–7 | the length of the line, little-endian |
/// | 8–15 | the record's number, little-endian |
/// | 16–19 | CRC-32C of bytes 4 to 15 and of the line, little-endian |
enum Frame {
  static let marker: [UInt8] = [0xF5, 0x44, 0x42, 0xFE]
  static let headerBytes = 20

  static func encode(_ line: [UInt8], serial: UInt64) -> [UInt8] {
    let checked = littleEndian(UInt64(line.count), 4) + littleEndian(serial, 8)
    let sum = CRC32C.sum(line, after: CRC32C.sum(checked))
    return marker + checked + littleEndian(UInt64(sum), 4) + line
  }

  /// A whole record that checks, and where it ends.
  struct Found {
    var serial: UInt64
    var line: Range<Int>
  }

  /// Reads the record that begins at `offset`; nil if none does, or if it does not check.
  static func decode(_ bytes: [UInt8], at offset: Int) -> Found? {
    guard offset + headerBytes <= bytes.count,
      bytes[offset..<offset + 4].elementsEqual(marker)
    else { return nil }
    let length = Int(number(bytes, offset + 4, 4))
    let start = offset + headerBytes
    guard length <= bytes.count - start else { return nil }
    let header = CRC32C.sum(bytes[offset + 4..<offset + 16])
    let sum = CRC32C.sum(bytes[start..<start + length], after: header)
    guard UInt64(sum) == number(bytes, offset + 16, 4) else { return nil }
    return Found(serial: number(bytes, offset + 8, 8), line: start..<start + length)
  }

  /// Whether bytes that do not check hold a header whose record would be there as a whole: then
  /// they can be a record that was acknowledged and damaged later, and not only what a kill left.
  static func mayHoldRecord(_ bytes: [UInt8]) -> Bool {
    var at = 0
    while at + headerBytes <= bytes.count {
      if bytes[at..<at + 4].elementsEqual(marker),
        number(bytes, at + 4, 4) <= UInt64(bytes.count - at - headerBytes)
      {
        return true
      }
      at += 1
    }
    return false
  }

  /// The offset of the next record that checks, from `offset` on; nil if there is none.
  static func next(_ bytes: [UInt8], from offset: Int) -> Int? {
    var at = offset
    while at + headerBytes <= bytes.count {
      if bytes[at] == marker[0], decode(bytes, at: at) != nil { return at }
      at += 1
    }
    return nil
  }

  private static func littleEndian(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
    (0..<count).reduce(0) { $0 | UInt64(bytes[offset + $1]) << (8 * UInt64($1)) }
  }
}

/// The checksum of iSCSI (RFC 3720, appendix B.4). It finds each burst of up to 32 bits.
enum CRC32C {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { sum, _ in
      sum & 1 == 1 ? sum >> 1 ^ 0x82F6_3B78 : sum >> 1
    }
  }

  /// - Parameter before: The sum of what stands before these bytes.
  static func sum(_ bytes: some Sequence<UInt8>, after before: UInt32 = 0) -> UInt32 {
    var sum = ~before
    for byte in bytes { sum = sum >> 8 ^ table[Int((sum ^ UInt32(byte)) & 0xFF)] }
    return ~sum
  }
}
