internal import LMDB
internal import LedgerEvents

/// The format of a block: up to 4,096 entries of a run in one LMDB value.
///
/// Keys are stored as their distance from the first key, in Elias–Fano coding: the low bits of all
/// distances are packed one after the other, and the high parts are in unary. The result is within
/// half a bit per key of the minimum for random keys, and a key can be found without reading those
/// before it. Values are packed as their distance from the least value, so a family without values
/// needs no space for them.
///
/// All numbers are little-endian 64-bit words; packed fields begin at a word's lowest bit.
///
///     word 0    bits  0…15  number of entries n, 1…4,096
///                    16…23  low bits per distance l, 0…48
///                    24…31  bits per value v, 0…32
///                    32…63  least value
///     then      bit (high part of entry i) + i is set, for each i; in the remaining words
///     then      n × l bits  low parts, rounded up to a word
///     then      n × v bits  values minus the least value, rounded up to a word
///     then      first key, which is also in the row's key
///     then      first key of the run's next block, all ones in the last block
///     last      XXH64 of all words before it, seeded with the row's key
///
/// The checksum is compared each time a block is read. Together with the next block's key, it lets
/// a lookup prove that a key is absent: damage to a block or to the pages above it never looks like
/// a missing key.
///
/// Peter Elias, "Efficient storage and retrieval by content and address of static files",
/// J. ACM 21 (1974).
package enum RunBlock {
  /// The maximum size of a block in bytes: with LMDB's 16-byte page header, it fills one 4 KiB
  /// overflow page.
  ///
  /// A value that fills its own page is packed equally well wherever it is inserted (values inside
  /// leaf pages fill half a page unless they are appended at the end of the table). Deleting it
  /// changes only the leaf page of its key, a hundredth of the pages.
  static let sizeBytesMax = 4080

  /// ``sizeBytesMax`` in words.
  static let wordsMax = sizeBytesMax / 8

  /// The word at which the high parts begin.
  static let upperWord = 1

  /// The number of words other than the high parts and the packed fields.
  static let frameWords = 1 + trailerWords

  /// The number of words after the packed fields: the first key, the next block's first key, and
  /// the checksum.
  static let trailerWords = 3

  /// The value in the last block of a run instead of the next block's first key.
  static let noNextKey = UInt64.max

  /// The maximum number of entries in a block, which limits how much a reader decodes at once.
  static let entriesMax = 4096

  /// The maximum number of low bits per distance, so that shifting a high part back never exceeds
  /// 64 bits.
  static let lowBitsMax = 48

  /// Returns the number of words that `count` fields of `bits` bits take.
  @inline(__always)
  static func words(_ count: Int, _ bits: Int) -> Int { (count &* bits &+ 63) &>> 6 }

  /// The checksum of the block in `bytes` under its row's key. The last word, which contains the
  /// checksum, is not covered.
  ///
  /// - Complexity: O(*n*), a third of a microsecond for the largest block.
  static func checksum(_ bytes: Span<UInt8>, under key: RunKey) -> UInt64 {
    let high = UInt64(truncatingIfNeeded: key.number >> 64)
    // The factor is odd, so that two halves of a key that change together do not cancel each other
    // out.
    let seed = high &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: key.number)
    return XXH64.hash(bytes.extracting(0..<bytes.count - 8), seed: seed)
  }
}

/// A block in a page, whose checksum has been verified.
struct RunBlockView: ~Escapable {
  private let bytes: Span<UInt8>

  /// The key of the first entry, from the row's key.
  let first: UInt64

  /// The key of the first entry of the run's next block, or ``RunBlock/noNextKey``.
  let next: UInt64

  /// The number of entries in the block.
  let count: Int

  /// The size of the block in bytes.
  var byteCount: Int { bytes.count }

  private let lowBits: Int
  private let valueBits: Int
  private let valueBase: UInt32
  private let lowWord: Int
  private let valueWord: Int

  /// Checks the block in `bytes`, which is stored under `key`.
  ///
  /// - Parameters:
  ///   - bytes: The row's value.
  ///   - key: The row's key.
  ///   - isChecked: Whether its checksum has just been compared in the same snapshot.
  /// - Complexity: O(*n*) for the checksum.
  /// - Throws: ``RunsError`` if it is not a block, or not the one that was written under `key`.
  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>, under key: RunKey, isChecked: Bool = false) throws(RunsError) {
    let size = bytes.count
    guard size % 8 == 0, size > 8 * RunBlock.frameWords, size <= RunBlock.sizeBytesMax else {
      throw .corrupt("A block of a sorted run has an impossible size of \(size) bytes")
    }
    let last = size - 8
    guard isChecked || bytes.word(at: last) == RunBlock.checksum(bytes, under: key) else {
      throw .corrupt("A block of a sorted run does not have its checksum")
    }
    let header = bytes.word(at: 0)
    let count = Int(truncatingIfNeeded: header & 0xFFFF)
    let lowBits = Int(truncatingIfNeeded: header >> 16 & 0xFF)
    let valueBits = Int(truncatingIfNeeded: header >> 24 & 0xFF)
    let valueWord = size / 8 - RunBlock.trailerWords - RunBlock.words(count, valueBits)
    let lowWord = valueWord - RunBlock.words(count, lowBits)
    guard count >= 1, count <= RunBlock.entriesMax, lowBits <= RunBlock.lowBitsMax,
      valueBits <= 32, lowWord > RunBlock.upperWord
    else { throw .corrupt("A block of a sorted run has an impossible header") }
    self.bytes = bytes
    first = key.firstKey
    next = bytes.word(at: last - 8)
    self.count = count
    self.lowBits = lowBits
    self.valueBits = valueBits
    self.valueBase = UInt32(truncatingIfNeeded: header >> 32)
    self.lowWord = lowWord
    self.valueWord = valueWord
  }

  /// Appends the entries with keys from `lower` through `upper` to `entries`, in order. Returns
  /// true if the block has a key greater than `upper`, so that no later block can match.
  ///
  /// - Complexity: O(*k* + *n*/32) if *k* of *n* entries match.
  /// - Throws: ``RunsError`` if the number of entries differs from the header, or if they are not
  ///   in order.
  @discardableResult
  func append(
    from lower: UInt64, through upper: UInt64, to entries: inout [RunEntry]
  ) throws(RunsError) -> Bool {
    guard var cursor = cursor(at: lower) else { return false }
    while let entry = try next(&cursor) {
      if entry.key < lower { continue }
      if entry.key > upper { return true }
      entries.append(entry)
    }
    return false
  }

  /// Appends all entries to `entries`.
  ///
  /// - Complexity: O(*n*).
  /// - Throws: as ``append(from:through:to:)``.
  func append(to entries: inout [RunEntry]) throws(RunsError) {
    let end = entries.count
    entries.append(contentsOf: repeatElement(.least, count: count))
    var room = entries.mutableSpan
    var cursor = self.start
    while let entry = try next(&cursor) {
      room[end &+ cursor.index &- 1] = entry
    }
  }

  /// A position in the unary part: the index of the next entry, the remaining bits of its word, and
  /// the greatest key so far.
  private struct Cursor {
    var word: Int
    var bits: UInt64
    var index: Int
    var key: UInt64
  }

  /// Returns the entry at `cursor` and advances it; `nil` after the last entry.
  @inline(__always)
  private func next(_ cursor: inout Cursor) throws(RunsError) -> RunEntry? {
    while cursor.bits == 0 {
      cursor.word &+= 1
      if cursor.word >= lowWord {
        guard cursor.index == count else { throw miscounted }
        return nil
      }
      cursor.bits = word(cursor.word)
    }
    let index = cursor.index
    guard index < count else { throw miscounted }
    let bit = (cursor.word &- RunBlock.upperWord) &* 64 &+ cursor.bits.trailingZeroBitCount
    cursor.bits &= cursor.bits &- 1
    cursor.index = index &+ 1
    let low = field(index, width: lowBits, from: lowWord)
    let high = UInt64(truncatingIfNeeded: bit &- index) &<< UInt64(truncatingIfNeeded: lowBits)
    let key = first &+ (high | low)
    guard key >= cursor.key else { throw .corrupt("A block of a sorted run is not in order") }
    cursor.key = key
    let value = UInt32(truncatingIfNeeded: field(index, width: valueBits, from: valueWord))
    return RunEntry(key: key, value: valueBase &+ value)
  }

  /// The position of the first entry.
  private var start: Cursor {
    Cursor(word: RunBlock.upperWord, bits: word(RunBlock.upperWord), index: 0, key: first)
  }

  private var miscounted: RunsError {
    .corrupt("A block of a sorted run does not have as many entries as its header states")
  }

  /// Returns the position of the first entry with the high part of `key`, or `nil` if all are
  /// lower.
  private func cursor(at key: UInt64) -> Cursor? {
    guard key > first else { return start }
    let high = (key - first) >> UInt64(lowBits)
    guard high < UInt64(lowWord) * 64 else { return nil }
    // Entries with the high part h follow zero number h. The number of ones before it is its bit
    // index minus h.
    var zeros = Int(high)
    guard zeros > 0 else { return start }
    var index = RunBlock.upperWord
    while index < lowWord {
      let bits = word(index)
      let here = 64 - bits.nonzeroBitCount
      if zeros <= here {
        var left = ~bits
        for _ in 1..<zeros { left &= left &- 1 }
        let next = left.trailingZeroBitCount + 1
        let rest = (bits >> UInt64(next)) << UInt64(next)
        let before = (index - RunBlock.upperWord) * 64 + next - Int(high)
        return Cursor(word: index, bits: rest, index: before, key: first)
      }
      zeros -= here
      index += 1
    }
    return nil
  }

  @inline(__always)
  private func word(_ index: Int) -> UInt64 { bytes.word(at: index &* 8) }

  /// Returns the packed field at `index` among those that begin at the word `start`.
  @inline(__always)
  private func field(_ index: Int, width: Int, from start: Int) -> UInt64 {
    let bit = index &* width
    let shift = UInt64(truncatingIfNeeded: bit & 7)
    // A field has at most 48 bits, so it lies within the eight bytes from its first one. Reading
    // them is safe, because the word with the first key follows the fields.
    let word = bytes.word(at: start &* 8 &+ bit &>> 3)
    return (word &>> shift) & ((1 &<< UInt64(truncatingIfNeeded: width)) &- 1)
  }
}
