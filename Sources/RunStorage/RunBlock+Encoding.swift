internal import LMDB
internal import LedgerEvents

/// The numbers that determine the size of a block.
private struct RunBlockShape {
  var count: Int
  var lowBits: Int
  var valueBits: Int
  var upperBits: Int

  /// Computes the shape of `count` entries over the distance `span`, with values of `valueBits`
  /// bits.
  @inline(__always)
  init(count: Int, span: UInt64, valueBits: Int) {
    // The low part has as many bits as the mean distance; the high parts then take at most two bits
    // per entry.
    let mean = count.leadingZeroBitCount &- span.leadingZeroBitCount
    lowBits = Swift.min(Swift.max(mean, 0), RunBlock.lowBitsMax)
    self.count = count
    self.valueBits = valueBits
    upperBits = Int(truncatingIfNeeded: span &>> UInt64(lowBits)) &+ count
  }

  @inline(__always)
  var words: Int {
    RunBlock.frameWords &+ RunBlock.words(count, lowBits) &+ RunBlock.words(count, valueBits)
      &+ RunBlock.words(upperBits, 1)
  }
}

extension RunBlock {
  /// Returns how many of the sorted `entries` from `start` on fit into one block, at least one.
  ///
  /// The size is tested every four entries, so up to three more might have fitted.
  ///
  /// - Complexity: O(*n*) in the result.
  static func fit(_ entries: [RunEntry], from start: Int) -> Int {
    let first = entries[start].key
    let limit = min(entries.count - start, entriesMax)
    var least = entries[start].value
    var greatest = least
    var count = 1
    while count < limit {
      let next = min(count &+ 4, limit)
      for index in start &+ count..<start &+ next {
        least = min(least, entries[index].value)
        greatest = max(greatest, entries[index].value)
      }
      let shape = RunBlockShape(
        count: next, span: entries[start &+ next &- 1].key &- first,
        valueBits: 32 &- (greatest &- least).leadingZeroBitCount)
      if shape.words > wordsMax { break }
      count = next
    }
    return count
  }

  /// Writes the block of the `count` sorted `entries` from `start` on to `words`.
  ///
  /// If there is an entry after them, it is the first one of the run's next block.
  ///
  /// - Complexity: O(*n*).
  /// - Precondition: The entries fit, as determined by ``fit(_:from:)``.
  static func encode(
    _ entries: [RunEntry], from start: Int, count: Int, of run: UInt32, into words: inout [UInt64]
  ) {
    let first = entries[start].key
    let end = start + count
    var least = entries[start].value
    var greatest = least
    for index in start..<start + count {
      least = min(least, entries[index].value)
      greatest = max(greatest, entries[index].value)
    }
    let shape = RunBlockShape(
      count: count, span: entries[start + count - 1].key - first,
      valueBits: 32 - (greatest - least).leadingZeroBitCount)
    precondition(shape.words <= wordsMax && count <= entriesMax, "the entries must fit a block")

    words.removeAll(keepingCapacity: true)
    words.append(contentsOf: repeatElement(0, count: shape.words))
    let header =
      UInt64(count) | UInt64(shape.lowBits) << 16 | UInt64(shape.valueBits) << 24
      | UInt64(least) << 32
    words[0] = header.littleEndian
    words[shape.words - Self.trailerWords] = first.littleEndian
    words[shape.words - 2] = (end < entries.count ? entries[end].key : noNextKey).littleEndian
    let valueWord = shape.words - Self.trailerWords - Self.words(count, shape.valueBits)
    let lowWord = valueWord - Self.words(count, shape.lowBits)
    var low = RunBlockPacker(word: lowWord, width: shape.lowBits)
    var values = RunBlockPacker(word: valueWord, width: shape.valueBits)
    var room = words.mutableSpan
    for index in 0..<count {
      let entry = entries[start &+ index]
      let distance = entry.key &- first
      low.pack(distance, in: &room)
      values.pack(UInt64(truncatingIfNeeded: entry.value &- least), in: &room)
      let bit = Int(truncatingIfNeeded: distance &>> UInt64(shape.lowBits)) &+ index
      room[upperWord &+ bit &>> 6] |= (1 &<< UInt64(bit & 63)).littleEndian
    }
    low.finish(in: &room)
    values.finish(in: &room)
    let key = RunKey(run: run, order: entries[start].order)
    words[shape.words - 1] = checksum(words.span.wordBytes, under: key).littleEndian
  }
}

/// Packs fields of equal width.
private struct RunBlockPacker {
  private var word: Int
  private var bits: UInt64 = 0
  private var count: UInt64 = 0
  private let width: UInt64
  private let mask: UInt64

  init(word: Int, width: Int) {
    self.word = word
    self.width = UInt64(width)
    mask = (1 << UInt64(width)) - 1
  }

  /// Packs the low bits of `field`.
  @inline(__always)
  mutating func pack(_ field: UInt64, in words: inout MutableSpan<UInt64>) {
    let field = field & mask
    bits |= field &<< count
    count &+= width
    guard count >= 64 else { return }
    words[word] = bits.littleEndian
    word &+= 1
    count &-= 64
    // The remaining bits of the field; none if it ended at the word boundary.
    bits = field >> (width &- count)
  }

  /// Writes the last, incomplete word.
  mutating func finish(in words: inout MutableSpan<UInt64>) {
    if count > 0 { words[word] = bits.littleEndian }
  }
}
