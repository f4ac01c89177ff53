internal import LMDB
internal import LedgerEvents

/// The description of a run. Its rows are in the family's table under its number.
package struct RunDescription: Sendable, Equatable {
  /// The run's number, from 1, which is never reused within a family.
  var id: UInt32

  /// The number of rows.
  var blocks: UInt32 = 0

  /// The number of entries.
  var entries: UInt64 = 0

  /// The total size of its blocks in bytes.
  var bytes: UInt64 = 0

  /// The key of its first entry.
  var first: UInt64 = 0

  /// Its last entry.
  var last = RunEntry.least

  init(id: UInt32) { self.id = id }

  /// The run's level, which follows from its size: level 0 ends at ``levelZeroEntriesMax`` entries,
  /// and each further level at ``fanIn`` times as many.
  var level: Int {
    var level = 0
    var most = UInt64(Self.levelZeroEntriesMax)
    while entries > most {
      most *= UInt64(Self.fanIn)
      level += 1
    }
    return level
  }

  /// The maximum number of entries of a run at level 0. A merge rewrites that many in well under a
  /// millisecond, so that runs of single entries stay cheap.
  static let levelZeroEntriesMax = 4096

  /// The number of runs of a level that are merged into one.
  static let fanIn = 8

  /// An upper bound for the entries of a run, so that sums fit into 64 bits.
  static let entriesMax: UInt64 = 1 << 48

  /// An upper bound for the bytes of a run.
  static let bytesMax: UInt64 = 1 << 52

  /// The maximum number of runs in one merge, if more than ``fanIn`` are waiting.
  static let fanInMax = 16
}

/// A merge in progress. Its output is not yet a run of the family.
struct RunMergeDescription: Sendable, Equatable {
  /// The run that is being written. The next slice continues after its last entry.
  var output: RunDescription

  /// The numbers of the runs that are being merged. They stay readable until the output is
  /// complete.
  var inputs: [UInt32]
}

/// A family's list of runs and of merges and deletions in progress. It is one row, which is
/// rewritten in the transaction that changes it.
///
/// Little-endian words of 64 bits:
///
///     word 0    "RUNS" and the format's version
///     word 1    revision, incremented with each change
///     word 2    next run's number | number of runs << 32
///     word 3    number of merges | number of runs being deleted << 32
///     runs      id | blocks << 32, entries, bytes, first key, last key, last value
///     merges    the output as a run, number of inputs, an id each
///     deleted   an id each
///     last      XXH64 of all words before it
package struct RunManifest: Sendable, Equatable {
  /// The revision, which increases by one with each change.
  var revision: UInt64 = 0

  /// The number of the next run.
  var nextID: UInt32 = 1

  /// The runs that make up the family.
  var runs: [RunDescription] = []

  /// The merges in progress.
  var merges: [RunMergeDescription] = []

  /// The numbers of runs whose rows are being deleted.
  var deleted: [UInt32] = []

  private static let format: UInt64 = 0x0000_0002_534E_5552

  /// Creates the list of a family without runs.
  package init() {}

  /// The words of the row.
  package var words: [UInt64] {
    var words: [UInt64] = [
      Self.format, revision,
      UInt64(nextID) | UInt64(runs.count) << 32,
      UInt64(merges.count) | UInt64(deleted.count) << 32,
    ]
    for run in runs { run.append(to: &words) }
    for merge in merges {
      merge.output.append(to: &words)
      words.append(UInt64(merge.inputs.count))
      for input in merge.inputs { words.append(UInt64(input)) }
    }
    for id in deleted { words.append(UInt64(id)) }
    words = words.map(\.littleEndian)
    words.append(XXH64.hash(words.span.wordBytes).littleEndian)
    return words
  }

  /// Reads the row.
  ///
  /// - Throws: ``RunsError``: `unknownFormat`, `corrupt`.
  package init(_ bytes: Span<UInt8>) throws(RunsError) {
    guard bytes.count >= 16, bytes.count % 8 == 0 else {
      throw .corrupt("The list of sorted runs ends early")
    }
    let content = bytes.extracting(0..<bytes.count - 8)
    var reader = RunManifestReader(content)
    let format = try reader.next()
    guard format == Self.format else {
      throw RunsError(
        .unknownFormat,
        """
        Sorted runs of an unknown format (\(format)): discard the projections and rebuild them \
        with this version.
        """)
    }
    guard XXH64.hash(content) == bytes.word(at: content.count) else {
      throw .corrupt("The list of sorted runs does not have its checksum")
    }
    revision = try reader.next()
    let (next, runCount) = try reader.pair()
    let (mergeCount, deletedCount) = try reader.pair()
    nextID = next
    for _ in 0..<runCount { runs.append(try reader.run()) }
    for _ in 0..<mergeCount {
      let output = try reader.run()
      var inputs: [UInt32] = []
      for _ in 0..<(try reader.next()) { inputs.append(try reader.number()) }
      merges.append(RunMergeDescription(output: output, inputs: inputs))
    }
    for _ in 0..<deletedCount { deleted.append(try reader.number()) }
    #if DEBUG
      // The counterpart of the assertion in `SortedRuns.store`: a list that was consistent when it
      // was written, but is not now, was damaged on the disk.
      guard isConsistent else { throw .corrupt("The list of sorted runs contradicts itself") }
    #endif
  }
}

extension RunDescription {
  fileprivate func append(to words: inout [UInt64]) {
    words.append(UInt64(id) | UInt64(blocks) << 32)
    words.append(entries)
    words.append(bytes)
    words.append(first)
    words.append(last.key)
    words.append(UInt64(last.value))
  }
}

/// Reads the manifest's words in order.
private struct RunManifestReader: ~Escapable {
  private let bytes: Span<UInt8>
  private var offset = 0

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  mutating func next() throws(RunsError) -> UInt64 {
    guard offset + 8 <= bytes.count else {
      throw .corrupt("The list of sorted runs is incomplete")
    }
    defer { offset += 8 }
    return bytes.word(at: offset)
  }

  mutating func pair() throws(RunsError) -> (UInt32, UInt32) {
    let word = try next()
    return (UInt32(truncatingIfNeeded: word), UInt32(truncatingIfNeeded: word >> 32))
  }

  mutating func number() throws(RunsError) -> UInt32 {
    guard let number = UInt32(exactly: try next()) else {
      throw .corrupt("The list of sorted runs contains an invalid number")
    }
    return number
  }

  mutating func run() throws(RunsError) -> RunDescription {
    let (id, blocks) = try pair()
    var run = RunDescription(id: id)
    run.blocks = blocks
    run.entries = try next()
    run.bytes = try next()
    run.first = try next()
    run.last = RunEntry(key: try next(), value: try number())
    guard id > 0, run.entries < RunDescription.entriesMax, run.bytes < RunDescription.bytesMax,
      run.first <= run.last.key
    else { throw .corrupt("The list of sorted runs contains an invalid run") }
    return run
  }
}
