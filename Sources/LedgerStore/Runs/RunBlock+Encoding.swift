/// What decides the size of a block.
private struct RunBlockShape {
  var count: Int
  var lowBits: Int
  var valueBits: Int
  var upperBits: Int

  /// The shape of `count` entries over the distance `span`, with values `valueBits` wide.
  @inline(__always)
  init(count: Int, span: UInt64, valueBits: Int) {
    // The low part gets the bits of the mean distance; then the high parts take at most two bits
    // an entry.
    let mean = count.leadingZeroBitCount &- span.leadingZeroBitCount
    lowBits = Swift.min(Swift.max(mean, 0), RunBlock.lowBitsMax)
    self.count = count
    self.valueBits = valueBits
    upperBits = Int(truncatingIfNeeded: span &>> UInt64(lowBits)) &+ count
  }

  @inline(__always)
  var words: Int {
    RunBlock.headerWords &+ RunBlock.words(count, lowBits) &+ RunBlock.words(count, valueBits)
      &+ RunBlock.words(upperBits, 1)
  }
}

extension RunBlock {
  /// How many of the sorted `entries` from `start` fit into one block, at least one.
  ///
  /// - Complexity: O(*n*) in the result.
  static func fit(_ entries: [RunEntry], from start: Int) -> Int {
    let first = entries[start].key
    var least = entries[start].value
    var greatest = least
    var count = 1
    for index in start + 1..<min(entries.count, start + entriesMax) {
      let entry = entries[index]
      least = min(least, entry.value)
      greatest = max(greatest, entry.value)
      let shape = RunBlockShape(
        count: count &+ 1, span: entry.key &- first,
        valueBits: 32 &- (greatest &- least).leadingZeroBitCount)
      if shape.words > wordsMax { break }
      count &+= 1
    }
    return count
  }

  /// Writes the block of the `count` sorted `entries` from `start` over `words`.
  ///
  /// - Complexity: O(*n*).
  /// - Precondition: they fit, as ``fit(_:from:)`` found.
  static func encode(
    _ entries: [RunEntry], from start: Int, count: Int, into words: inout [UInt64]
  ) {
    let first = entries[start].key
    var least = entries[start].value
    var greatest = least
    for index in start..<start + count {
      least = min(least, entries[index].value)
      greatest = max(greatest, entries[index].value)
    }
    let shape = RunBlockShape(
      count: count, span: entries[start + count - 1].key - first,
      valueBits: 32 - (greatest - least).leadingZeroBitCount)
    precondition(shape.words <= wordsMax && count <= entriesMax, "the entries fit one block")

    words.removeAll(keepingCapacity: true)
    words.append(contentsOf: repeatElement(0, count: shape.words))
    words[0] = first.littleEndian
    let header =
      UInt64(count) | UInt64(shape.lowBits) << 16 | UInt64(shape.valueBits) << 24
      | UInt64(least) << 32
    words[1] = header.littleEndian
    let valueWord = headerWords + Self.words(count, shape.lowBits)
    let upperWord = valueWord + Self.words(count, shape.valueBits)
    let lowMask: UInt64 = (1 << UInt64(shape.lowBits)) - 1
    for index in 0..<count {
      let entry = entries[start &+ index]
      let distance = entry.key &- first
      if shape.lowBits > 0 {
        pack(distance & lowMask, index, width: shape.lowBits, from: headerWords, in: &words)
      }
      if shape.valueBits > 0 {
        pack(
          UInt64(entry.value &- least), index, width: shape.valueBits, from: valueWord, in: &words)
      }
      let bit = Int(truncatingIfNeeded: distance &>> UInt64(shape.lowBits)) &+ index
      words[upperWord &+ bit &>> 6] |= (1 &<< UInt64(bit & 63)).littleEndian
    }
  }

  /// Sets the packed field number `index` of those that begin at the word `start`.
  @inline(__always)
  private static func pack(
    _ field: UInt64, _ index: Int, width: Int, from start: Int, in words: inout [UInt64]
  ) {
    let bit = index &* width
    let place = start &+ bit &>> 6
    let shift = bit & 63
    words[place] |= (field &<< UInt64(shift)).littleEndian
    if shift &+ width > 64 {
      words[place &+ 1] |= (field &>> UInt64(64 &- shift)).littleEndian
    }
  }
}
