package import LMDB

extension KeyFilter {
  /// Blocks of a chunk, which fill a page of the environment.
  ///
  /// Larger values would need so many free pages in a row, which a file that is rewritten all the
  /// time seldom has; and a save after few insertions writes few chunks.
  static let chunkBlocks = 63

  /// The most chunks that a save writes by default: 32 MB and 8,192 dirty pages.
  package static let saveChunksMax = 8192

  /// What a save wrote, to be confirmed when its transaction has committed.
  package struct Save: Sendable {
    /// Whether the stored filter now has all that this one has.
    package let isComplete: Bool

    fileprivate let epoch: UInt32
    fileprivate let generation: UInt32
    fileprivate let mark: UInt64
    fileprivate let written: [Int]
  }

  /// Writes the chunks that changed since the last confirmed save, up to `chunksMax` of them.
  ///
  /// A filter too large for one save is written by several; until the last one, readers find the
  /// filter saved before. The table belongs to the filter alone, and one process saves.
  ///
  ///     row 0                       "FILT" and version, generation, blocks, capacity, keys, mark:
  ///                                 little-endian words of 64 bits
  ///     row generation << 32 | i+1  chunk i: 63 blocks of 64 bytes, the last one fewer
  ///
  /// - Complexity: O(*c*) in the number of changed chunks.
  /// - Parameters:
  ///   - table: the filter's own.
  ///   - mark: how far the filter reaches, for whoever loads it.
  ///   - chunksMax: how many chunks one save writes.
  ///   - transaction: what is written in.
  /// - Returns: what to ``confirm(_:)`` after the commit.
  /// - Throws: ``RunsError``; the transaction is then to be aborted.
  package mutating func save(
    to table: Table, mark: UInt64, chunksMax: Int = saveChunksMax,
    in transaction: inout WriteTransaction
  ) throws(RunsError) -> Save {
    let stored = try KeyFilterHeader.read(table, transaction.view)
    let generation = generation > 0 ? generation : (stored?.generation ?? 0) + 1
    let kept = [generation, stored?.generation ?? generation]
    try Self.deleteStale(table, keeping: kept, upTo: chunksMax, in: &transaction)
    let changed = stamps.indices.filter { stamps[$0] > 0 }
    let written = Array(changed.prefix(chunksMax))
    do throws(LMDBError) {
      for chunk in written {
        let start = chunk * Self.chunkBlocks
        let end = min(start + Self.chunkBlocks, blocks.count)
        let key = Self.key(generation, chunk: chunk)
        try transaction.put(table, key, blocks.span.extracting(start..<end).wordBytes)
      }
      if written.count == changed.count {
        let header = KeyFilterHeader(of: self, generation: generation, mark: mark).words
        try transaction.put(table, 0, header.span.wordBytes)
      }
    } catch { throw RunsError(error) }
    defer { epoch += 1 }
    return Save(
      isComplete: written.count == changed.count, epoch: epoch, generation: generation,
      mark: mark, written: written)
  }

  /// Notes that the transaction of `save` has committed: what it wrote need not be written again.
  ///
  /// A save that is never confirmed is done again by the next one.
  package mutating func confirm(_ save: Save) {
    generation = save.generation
    if save.isComplete { mark = save.mark }
    for chunk in save.written where stamps[chunk] <= save.epoch { stamps[chunk] = 0 }
  }

  /// The filter stored in `table`, or nil when there is none.
  ///
  /// Keys inserted after it was saved are not in it: insert those beyond its ``mark`` again.
  ///
  /// - Complexity: O(*n*) in its size.
  /// - Throws: ``RunsError``: `corrupt`, `unknownFormat`.
  package static func load(
    from table: Table, in view: TransactionView
  ) throws(RunsError) -> KeyFilter? {
    guard let header = try KeyFilterHeader.read(table, view) else { return nil }
    var filter = KeyFilter(capacity: header.capacity, blockCount: header.blocks)
    filter.generation = header.generation
    filter.count = header.count
    filter.mark = header.mark
    for chunk in filter.stamps.indices {
      let start = chunk * chunkBlocks
      let end = min(start + chunkBlocks, filter.blocks.count)
      let key = key(header.generation, chunk: chunk)
      let bytes: Span<UInt8>?
      do throws(LMDBError) {
        bytes = try view.get(table, key)
      } catch { throw RunsError(error) }
      guard let bytes, bytes.count == (end - start) * blockBits / 8 else {
        throw .corrupt("A part of a key filter is missing")
      }
      for index in start..<end {
        for lane in 0..<8 {
          filter.blocks[index][lane] = bytes.word(at: (index - start) * blockBits / 8 + lane * 8)
        }
      }
      filter.stamps[chunk] = 0
    }
    return filter
  }

  private static func key(_ generation: UInt32, chunk: Int) -> UInt64 {
    UInt64(generation) << 32 | UInt64(chunk + 1)
  }

  /// Deletes up to `count` chunks of filters that are neither stored nor being stored.
  private static func deleteStale(
    _ table: Table, keeping kept: [UInt32], upTo count: Int,
    in transaction: inout WriteTransaction
  ) throws(RunsError) {
    do throws(LMDBError) {
      for key in try staleKeys(table, keeping: kept, upTo: count, in: transaction.view) {
        _ = try transaction.delete(table, key)
      }
    } catch { throw RunsError(error) }
  }

  private static func staleKeys(
    _ table: Table, keeping kept: [UInt32], upTo count: Int, in view: TransactionView
  ) throws(LMDBError) -> [UInt64] {
    var keys: [UInt64] = []
    var cursor = try view.cursor(table)
    var isAtEntry = try cursor.seek(1)
    while isAtEntry && keys.count < count && cursor.key.count == 8 {
      let key = cursor.key.word(at: 0).byteSwapped
      let generation = key >> 32
      if kept.contains(where: { $0 == generation }) {
        guard generation < UInt64(UInt32.max) else { break }
        isAtEntry = try cursor.seek((generation + 1) << 32)
      } else {
        keys.append(key)
        isAtEntry = try cursor.next()
      }
    }
    return keys
  }
}

/// The first row of a stored filter.
private struct KeyFilterHeader {
  let generation: UInt32
  let blocks: Int
  let capacity: Int
  let count: Int
  let mark: UInt64

  private static let format: UInt64 = 0x0000_0001_544C_4946

  init(of filter: KeyFilter, generation: UInt32, mark: UInt64) {
    self.generation = generation
    blocks = filter.blocks.count
    capacity = filter.capacity
    count = filter.count
    self.mark = mark
  }

  var words: [UInt64] {
    let numbers = [UInt64(generation), UInt64(blocks), UInt64(capacity), UInt64(count), mark]
    return ([Self.format] + numbers).map(\.littleEndian)
  }

  /// The header in `table`, or nil when no filter was stored whole.
  static func read(
    _ table: Table, _ view: TransactionView
  ) throws(RunsError) -> KeyFilterHeader? {
    let row: Span<UInt8>?
    do throws(LMDBError) {
      row = try view.get(table, 0)
    } catch { throw RunsError(error) }
    guard let row else { return nil }
    return try KeyFilterHeader(row)
  }

  private init(_ bytes: Span<UInt8>) throws(RunsError) {
    guard bytes.count == 48 else { throw .corrupt("The header of a key filter is damaged") }
    guard bytes.word(at: 0) == Self.format else {
      throw RunsError(
        .unknownFormat,
        "A key filter of an unknown format: discard the projections and rebuild them.")
    }
    guard let generation = UInt32(exactly: bytes.word(at: 8)),
      let blocks = Int(exactly: bytes.word(at: 16)),
      let capacity = Int(exactly: bytes.word(at: 24)),
      let count = Int(exactly: bytes.word(at: 32)),
      KeyFilter.capacityMin...KeyFilter.capacityMax ~= capacity,
      blocks == KeyFilter.blockCount(capacity)
    else { throw .corrupt("The header of a key filter is damaged") }
    self.generation = generation
    self.blocks = blocks
    self.capacity = capacity
    self.count = count
    mark = bytes.word(at: 40)
  }
}
