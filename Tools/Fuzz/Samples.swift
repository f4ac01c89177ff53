import Audit
import Foundation
import LedgerEvents
import LedgerModel
import LedgerStore

/// What the targets' samples are made of: the lines of the repository's samples, and a ledger that
/// holds them.
struct Samples {
  let lines: [[UInt8]]
  let events: [Event]
  let records: [[UInt8]]
  let facts: [Fact]
  let texts: NumberedTexts
  private let root: URL

  init() throws {
    let root =
      URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
      .standardizedFileURL
    let lines = try ["Tests/Samples", "Tools/samples/incidents"].flatMap { folder in
      try Self.files(in: root.appending(path: folder), endingWith: "jsonl")
        .flatMap { $0.split(separator: UInt8(ascii: "\n")).map { Array($0) } }
    }
    let events = try lines.map { try EventDecoder().decode(line: $0).event }
    var numbers = NameNumbers()
    var (records, facts): ([[UInt8]], [Fact]) = ([], [])
    for (index, event) in events.enumerated() {
      let used = numbers.number(event)
      let position = UInt64(index + 1)
      records.append(
        Record.encode(
          event, position: position, recordedAt: event.occurredAt, numbers: used,
          commitment: index % 2 == 0 ? [1, 2, 3, 4] : nil))
      facts.append(
        Fact(event, position: position, recordedAt: event.occurredAt, numbers: used))
    }
    self.root = root
    self.lines = lines
    self.events = events
    self.records = records
    self.facts = facts
    texts = NumberedTexts(numbers: numbers, ids: events.map(\.id))
  }

  /// The path of a file of the repository.
  func path(_ path: String) -> String { root.appending(path: path).path }

  /// The contents of a file of the repository.
  func file(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: root.appending(path: path)))
  }

  /// Inputs that once broke something, kept in `Corpus/<target>`.
  func kept(for target: String) throws -> [[UInt8]] {
    let folder = root.appending(path: "Tools/Fuzz/Corpus").appending(path: target)
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    return try Self.files(in: folder, endingWith: "bin")
  }

  private static func files(in folder: URL, endingWith kind: String) throws -> [[UInt8]] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == kind }
      .sorted { $0.path < $1.path }
      .map { Array(try Data(contentsOf: $0)) }
  }
}

/// The texts of names and ids in a fold; anything for a number that there is not, because a changed
/// state may contain it.
struct NumberedTexts: FactTexts {
  let numbers: NameNumbers
  let ids: [Name]

  func id(ofPosition position: UInt64) -> Name {
    position > 0 && position <= UInt64(ids.count) ? ids[Int(position) - 1] : "unknown"
  }

  func text(of number: NameNumber) -> Name { numbers.use(number)?.name ?? "unknown" }
}

/// Files that a ledger with the samples gives to others: proofs, checkpoints and bundles.
struct ProofSamples {
  let documents: [[UInt8]]
  let requests: [[UInt8]]
  let memories: [[UInt8]]
  let keys: [[UInt8]]

  init(_ samples: Samples) throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "daybook-fuzz-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      do { try FileManager.default.removeItem(at: folder) } catch {
        print("left \(folder.path): \(error)")
      }
    }
    let ledger = try Ledger.create(at: folder.appending(path: "ledger").path)
    try ledger.appendAndWait(samples.events.map { EventInput(event: $0) })
    let key = try NoteSigner(name: "fuzz.example/ledger")
    let size = UInt64(samples.events.count)
    let old = size / 2
    let (evidence, path, roots) = try ledger.log.read { (view) throws(LedgerError) in
      (
        try [1, old, size].map { (position) throws(LedgerError) in
          try view.evidence(of: position, at: size, withholding: .nothing)
        }, try view.consistencyProof(from: old, to: size),
        (try view.root(at: old), try view.root(at: size))
      )
    }
    let earlier = try SignedCheckpoint.sign(size: old, root: roots.0, with: key)
    let checkpoint = try SignedCheckpoint.sign(size: size, root: roots.1, with: key)
    var documents = evidence.map { evidence in
      EventProofFile(
        extra: evidence.extra, inclusion: evidence.inclusion, checkpoint: checkpoint
      ).document
    }
    documents.append(
      ConsistencyProofFile(consistency: path, old: earlier, new: checkpoint).document)
    documents.append(checkpoint.document)
    let account = samples.events.lazy.compactMap(\.account).first ?? "nobody"
    let contents = try ledger.read { (view) throws(LedgerError) in
      try view.bundleContents(of: account, disclosing: ["error"])
    }
    let signed = try contents.sign(with: key)
    let bundle = try ledger.read { (view) throws(LedgerError) in
      var bytes: [UInt8] = []
      try view.writeBundle(contents, signed: signed) { line in
        bytes += line
        return true
      }
      return bytes
    }
    self.documents = documents.map { Array($0.utf8) } + [bundle]
    requests = [
      Array(WitnessRequest(checkpoint, path: path.path, from: old).document.utf8),
      Array(WitnessRequest(earlier, path: [], from: 0).document.utf8),
    ]
    var memory = CheckpointMemory()
    _ = try memory.remember(checkpoint, signedBy: [key.verifier])
    memories = [Array(memory.document.utf8), Array(CheckpointMemory().document.utf8)]
    keys = [Array(key.verifier.text.utf8), Array(key.secretText.utf8)]
    try ledger.close()
  }
}
