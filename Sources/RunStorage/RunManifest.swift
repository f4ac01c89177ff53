internal import LMDB
internal import LedgerEvents

/// What one run is: its rows stand in the family's table under its number.
package struct RunDescription: Sendable, Equatable {
  /// The run's number, 1 and up, never used twice in a family.
  var id: UInt32

  /// How many rows it has.
  var blocks: UInt32 = 0

  /// How many entries it has.
  var entries: UInt64 = 0

  /// The bytes of its blocks.
  var bytes: UInt64 = 0

  /// The key of its first entry.
  var first: UInt64 = 0

  /// Its last entry.
  var last = RunEntry.least

  init(id: UInt32) { self.id = id }

  /// The run's level, from its size: level 0 ends at ``levelZeroEntriesMax``, each further one
  /// at the fan-in's multiple.
  var level: Int {
    var level = 0
    var most = UInt64(Self.levelZeroEntriesMax)
    while entries > most {
      most *= UInt64(Self.fanIn)
      level += 1
    }
    return level
  }

  /// The most entries of a run of level 0: what a merge rewrites in well under a millisecond, so
  /// that runs of single entries stay cheap.
  static let levelZeroEntriesMax = 4096

  /// The number of runs of a level that are merged into one.
  static let fanIn = 8

  /// More entries than any run has, so that sums stay within 64 bits.
  static let entriesMax: UInt64 = 1 << 48

  /// More bytes than any run has.
  static let bytesMax: UInt64 = 1 << 52

  /// The most runs that one merge takes when more than ``fanIn`` wait.
  static let fanInMax = 16
}

/// A merge on its way. What it wrote so far is not yet a run of the family.
struct RunMergeDescription: Sendable, Equatable {
  /// The run being written; its last entry is where the next slice goes on.
  var output: RunDescription

  /// The numbers of the runs being merged, which stay readable until the output is whole.
  var inputs: [UInt32]
}

/// A family's list of runs, and the work on its way: one row, rewritten in the transaction that
/// changes it.
///
/// Little-endian words of 64 bits:
///
///     word 0    "RUNS" and the format's version
///     word 1    revision, one more with each change
///     word 2    next run's number | number of runs << 32
///     word 3    number of merges | number of runs being deleted << 32
///     runs      id | blocks << 32, entries, bytes, first key, last key, last value
///     merges    the output as a run, number of inputs, an id each
///     deleted   an id each
///     last      XXH64 of all words before it
package struct RunManifest: Sendable, Equatable {
  /// One more with each change.
  var revision: UInt64 = 0

  /// The number of the next run.
  var nextID: UInt32 = 1

  /// The runs that make up the family.
  var runs: [RunDescription] = []

  /// The merges on their way.
  var merges: [RunMergeDescription] = []

  /// The numbers of runs whose rows are being deleted.
  var deleted: [UInt32] = []

  private static let format: UInt64 = 0x0000_0002_534E_5552

  init() {}

  /// The words of the row.
  var words: [UInt64] {
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
  init(_ bytes: Span<UInt8>) throws(RunsError) {
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
      // The other half of the assertion in `SortedRuns.store`: what was consistent when it was
      // written and is not any more was damaged on the disk.
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

/// Reads the manifest's words one after the other.
private struct RunManifestReader: ~Escapable {
  private let bytes: Span<UInt8>
  private var offset = 0

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  mutating func next() throws(RunsError) -> UInt64 {
    guard offset + 8 <= bytes.count else {
      throw .corrupt("The list of sorted runs ends early")
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
      throw .corrupt("The list of sorted runs holds an impossible number")
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
    else { throw .corrupt("The list of sorted runs holds an impossible run") }
    return run
  }
}
