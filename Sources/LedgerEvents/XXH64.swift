/// XXH64, the checksum of records and of the blocks of sorted runs
/// (https://github.com/Cyan4973/xxHash, specification 0.2.0).
///
/// It processes eight bytes at a time with multiplications only. That makes it the fastest choice
/// without the processor's CRC instructions, which pure Swift cannot use. Its rounds are bijective,
/// so damage within one eight-byte word is always detected.
package enum XXH64 {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  /// The checksum of `bytes`; records use the seed 0.
  ///
  /// - Complexity: O(*n*) in the number of bytes.
  package static func hash(_ bytes: Span<UInt8>, seed: UInt64 = 0) -> UInt64 {
    let count = bytes.count
    var index = 0
    var hash: UInt64
    if count >= 32 {
      var lane1 = seed &+ prime1 &+ prime2
      var lane2 = seed &+ prime2
      var lane3 = seed
      var lane4 = seed &- prime1
      while index + 32 <= count {
        let block = bytes.extracting(index..<index + 32)
        lane1 = round(lane1, load64(block, 0))
        lane2 = round(lane2, load64(block, 8))
        lane3 = round(lane3, load64(block, 16))
        lane4 = round(lane4, load64(block, 24))
        index += 32
      }
      hash = rotate(lane1, 1) &+ rotate(lane2, 7) &+ rotate(lane3, 12) &+ rotate(lane4, 18)
      hash = (hash ^ round(0, lane1)) &* prime1 &+ prime4
      hash = (hash ^ round(0, lane2)) &* prime1 &+ prime4
      hash = (hash ^ round(0, lane3)) &* prime1 &+ prime4
      hash = (hash ^ round(0, lane4)) &* prime1 &+ prime4
    } else {
      hash = seed &+ prime5
    }
    hash &+= UInt64(count)
    while index + 8 <= count {
      hash = rotate(hash ^ round(0, load64(bytes, index)), 27) &* prime1 &+ prime4
      index += 8
    }
    if index + 4 <= count {
      hash = rotate(hash ^ UInt64(load32(bytes, index)) &* prime1, 23) &* prime2 &+ prime3
      index += 4
    }
    while index < count {
      hash = rotate(hash ^ UInt64(bytes[index]) &* prime5, 11) &* prime1
      index += 1
    }
    hash = (hash ^ hash >> 33) &* prime2
    hash = (hash ^ hash >> 29) &* prime3
    return hash ^ hash >> 32
  }

  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotate(lane &+ word &* prime2, 31) &* prime1
  }

  private static func rotate(_ word: UInt64, _ by: UInt64) -> UInt64 {
    word &<< by | word &>> (64 &- by)
  }
}

/// Loads eight bytes at `index`, little-endian.
@inline(__always)
func load64(_ bytes: Span<UInt8>, _ index: Int) -> UInt64 {
  // After one check of the count, the compiler makes this a single load.
  let part = bytes.extracting(droppingFirst: index)
  precondition(part.count >= 8, "beyond the bytes")
  return UInt64(part[0]) | UInt64(part[1]) << 8 | UInt64(part[2]) << 16 | UInt64(part[3]) << 24
    | UInt64(part[4]) << 32 | UInt64(part[5]) << 40 | UInt64(part[6]) << 48 | UInt64(part[7]) << 56
}

/// Loads four bytes at `index`, little-endian.
@inline(__always)
func load32(_ bytes: Span<UInt8>, _ index: Int) -> UInt32 {
  let part = bytes.extracting(droppingFirst: index)
  precondition(part.count >= 4, "beyond the bytes")
  return UInt32(part[0]) | UInt32(part[1]) << 8 | UInt32(part[2]) << 16 | UInt32(part[3]) << 24
}

extension OutputSpan<UInt8> {
  /// Appends the bytes of an integer, little-endian.
  @inline(__always)
  mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
    var rest = number
    for _ in 0..<Number.bitWidth / 8 {
      append(UInt8(truncatingIfNeeded: rest))
      rest = rest &>> 8
    }
  }
}

extension [UInt8] {
  /// Appends the bytes of an integer, little-endian.
  mutating func appendLittleEndian<Number: FixedWidthInteger>(_ number: Number) {
    append(addingCapacity: Number.bitWidth / 8) { out in out.append(littleEndian: number) }
  }

  /// Appends a varint: seven bits per byte, lowest first, with the high bit set on all but the last
  /// byte.
  mutating func appendVarint(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }
}
