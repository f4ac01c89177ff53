extension Record {
  /// Fills in the values of a record that are known only once the log's lock is held. The record
  /// was encoded before its append.
  ///
  /// The result equals what `append(_:position:recordedAt:numbers:commitment:key:to:)` makes of the
  /// final values.
  ///
  /// - Parameters:
  ///   - bytes: A buffer that ends with the record.
  ///   - start: Where the record begins.
  ///   - position: The event's position in the log, from 1.
  ///   - recordedAt: The ledger's clock.
  ///   - namesBefore: How many names had a number before this event.
  ///   - numbers: As many numbers as the record was encoded with.
  /// - Precondition: The bytes from `start` on are a record made by `append`.
  /// - Complexity: O(*n*) in the size of the record, for its checksum.
  public static func complete(
    _ bytes: inout [UInt8], from start: Int, position: UInt64, recordedAt: Instant,
    namesBefore: NameNumber, numbers: [NameNumber]
  ) {
    precondition(position <= positionMax, "the position exceeds positionMax")
    let names = UInt16(bytes[start + 4]) | UInt16(bytes[start + 5]) << 8
    let envelopeCount = names.nonzeroBitCount
    precondition(numbers.count >= envelopeCount, "a name without a number")
    bytes.setLittleEndian(UInt32(position), at: start + 6)
    bytes.setLittleEndian(UInt64(bitPattern: recordedAt.microseconds), at: start + 18)
    bytes.setLittleEndian(namesBefore, at: start + namesBeforeAt)
    var index = start + headerBytes
    for number in 0..<envelopeCount {
      bytes.setLittleEndian(numbers[number], at: index)
      index += 4
    }
    if numbers.count > envelopeCount {
      // The numbers follow their count, which is a varint.
      while bytes[index] >= 0x80 { index += 1 }
      index += 1
      for number in envelopeCount..<numbers.count {
        bytes.setLittleEndian(numbers[number], at: index)
        index += 4
      }
    }
    let end = bytes.count - checksumBytes
    let sum = XXH64.hash(bytes.span.extracting(start..<end))
    bytes.setLittleEndian(sum, at: end)
  }
}

extension [UInt8] {
  /// Writes an integer at `offset`, little-endian.
  @inline(__always)
  fileprivate mutating func setLittleEndian<Number: FixedWidthInteger>(
    _ number: Number, at offset: Int
  ) {
    var bytes = mutableSpan
    let count = Number.bitWidth / 8
    // After one check of the whole range, the compiler makes this a single store.
    precondition(offset >= 0 && offset <= bytes.count &- count, "beyond the bytes")
    for index in 0..<count {
      bytes[offset &+ index] = UInt8(truncatingIfNeeded: number &>> Number(8 &* index))
    }
  }
}
