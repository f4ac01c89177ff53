import Foundation
import LedgerEvents
import LedgerStore
import Testing

@testable import Audit

@Suite("A witness") struct WitnessTests {
  private static let now = Instant(seconds: 1_700_000_000)

  private let folder: WitnessFolder
  private let log: ToyLog
  private let key: NoteSigner
  private let witness: Witness
  private let state: CheckpointMemoryFile

  init() throws {
    folder = try WitnessFolder()
    log = ToyLog(try NoteSigner(name: "log.example/toy"))
    key = try NoteSigner(name: "witness.example/w1", kind: .witness)
    state = CheckpointMemoryFile(folder.path("state"))
    try state.create()
    witness = try Witness(key: key, logs: [log.key.verifier], state: state)
  }

  private func answer(_ request: WitnessRequest) throws -> WitnessAnswer {
    try witness.answer(request.bytes, at: Self.now)
  }

  @discardableResult
  private func cosign(_ old: Int, _ new: Int) throws -> SignedCheckpoint {
    let answer = try answer(try log.request(from: old, to: new))
    #expect(answer.status == .cosigned, "\(answer)")
    return try log.checkpoint(at: new).adding(
      Array(answer.body.utf8), by: [key.verifier], now: Self.now
    )
    .checkpoint
  }

  /// Expects a refusal that leaves the state as it was.
  private func expectRefusal(
    _ request: [UInt8], _ status: WitnessAnswer.Status, _ comment: Comment? = nil,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let before = try folder.read("state")
    let answer = try witness.answer(request, at: Self.now)
    #expect(answer.status == status, comment, sourceLocation: location)
    #expect(answer.reason != nil, comment, sourceLocation: location)
    #expect(try folder.read("state") == before, comment, sourceLocation: location)
    #expect(!answer.body.contains("\u{2014}"), comment, sourceLocation: location)
  }

  @Test("cosigns every growth between all sizes, and the same size again")
  func growth() throws {
    for old in 0...12 {
      for new in max(old, 1)...13 {
        let folder = try WitnessFolder()
        let file = CheckpointMemoryFile(folder.path("state"))
        try file.create()
        let witness = try Witness(key: key, logs: [log.key.verifier], state: file)
        if old > 0 {
          let first = try witness.answer(try log.request(from: 0, to: old).bytes, at: Self.now)
          try #require(first.status == .cosigned)
        }
        let answer = try witness.answer(try log.request(from: old, to: new).bytes, at: Self.now)
        #expect(answer.status == .cosigned, "\(old) to \(new): \(answer)")
        #expect(try file.read()?.newest(of: "log.example/toy")?.size == UInt64(new))
      }
    }
  }

  @Test("answers with a line that verifies, as of the given time")
  func line() throws {
    let answer = try answer(try log.request(from: 0, to: 7))
    #expect(answer.status.rawValue == 200 && answer.reason == nil)
    #expect(answer.body.hasPrefix("\u{2014} witness.example/w1 ") && answer.body.hasSuffix("\n"))
    let added = try log.checkpoint(at: 7).adding(
      Array(answer.body.utf8), by: [key.verifier], now: Self.now
    ).added
    #expect(added == [Cosignature(witness: key.verifier, time: 1_700_000_000)])
  }

  @Test("keeps the log's signature and its own, and nothing else that came along")
  func kept() throws {
    let checkpoint = try log.checkpoint(at: 7)
    let strangers = try (0..<50).map { _ in
      try checkpoint.cosignature(
        by: try NoteSigner(name: "stranger.example", kind: .witness), at: 1)
    }
    let crowded = checkpoint.with(strangers + checkpoint.note.signatures)
    #expect(try answer(WitnessRequest(crowded, path: [], from: 0)).status == .cosigned)
    let kept = try #require(try state.read()?.newest(of: "log.example/toy"))
    #expect(kept.note.signatures.map(\.name) == ["log.example/toy", "witness.example/w1"])
    #expect(try kept.signers(of: [log.key.verifier]).count == 1)
    #expect(try kept.cosignatures(of: [key.verifier]).count == 1)
  }

  @Test("a log that is not known is refused with 404, and a checkpoint it has not signed with 403")
  func strangers() throws {
    let stranger = ToyLog(try NoteSigner(name: "other.example/log"))
    try expectRefusal(try stranger.request(from: 0, to: 3).bytes, .unknownLog)
    let impostor = ToyLog(try NoteSigner(name: "log.example/toy"))
    try expectRefusal(try impostor.request(from: 0, to: 3).bytes, .notSigned)
    // A false signature under the name and id of the log.
    let (good, other) = (try log.checkpoint(at: 3), try log.checkpoint(at: 4))
    let forged = WitnessRequest(good.with(other.note.signatures), path: [], from: 0)
    try expectRefusal(forged.bytes, .notSigned)
  }

  @Test("an old size above the checkpoint's is refused with 400, before the state is asked")
  func oldSize() throws {
    try cosign(0, 7)
    let request = WitnessRequest(try log.checkpoint(at: 5), path: [], from: 7)
    try expectRefusal(request.bytes, .badRequest)
  }

  @Test("another old size than the last is refused with 409, with the last size as the body")
  func conflict() throws {
    let early = try answer(try log.request(from: 3, to: 7))
    #expect(early.status == .conflict && early.body == "0\n")
    try cosign(0, 7)
    for (old, new) in [(0, 9), (3, 9), (8, 9), (0, 5), (3, 5), (5, 5)] {
      let answer = try answer(try log.request(from: old, to: new))
      #expect(answer.status == .conflict, "\(old) to \(new)")
      #expect(answer.body == "7\n" && answer.contentType == "text/x.tlog.size")
    }
    #expect(try state.read()?.newest(of: "log.example/toy")?.size == 7)
  }

  @Test("an old checkpoint that was cosigned before is not cosigned again")
  func replay() throws {
    let first = try log.request(from: 0, to: 5)
    #expect(try answer(first).status == .cosigned)
    try cosign(5, 9)
    try expectRefusal(first.bytes, .conflict)
    try expectRefusal(try log.request(from: 5, to: 5).bytes, .conflict)
    try expectRefusal(try log.request(from: 5, to: 9).bytes, .conflict)
  }

  @Test(
    "a log that forks is refused, wherever the fork is and whatever proof comes with it")
  func forks() throws {
    try cosign(0, 7)
    for fork in 0..<7 {
      let forked = ToyLog(log.key, forkedAt: fork)
      try expectRefusal(try forked.request(from: 7, to: 7).bytes, .conflict, "\(fork)")
      for new in 8...17 {
        try expectRefusal(
          try forked.request(from: 7, to: new).bytes, .inconsistent, "\(fork), \(new)")
        // The proof of the honest log, under the root of the other one.
        let mixed = WitnessRequest(
          try forked.checkpoint(at: new), path: log.proof(from: 7, to: new).path, from: 7)
        try expectRefusal(mixed.bytes, .inconsistent, "\(fork), \(new)")
      }
    }
    // A fork after what was cosigned is none yet.
    #expect(
      try answer(try ToyLog(log.key, forkedAt: 7).request(from: 7, to: 9)).status == .cosigned)
    try expectRefusal(try log.request(from: 9, to: 9).bytes, .conflict)
  }

  @Test("a checkpoint that would fill the state is refused, and the witness goes on")
  func largeCheckpoint() throws {
    let large = try SignedCheckpoint.sign(
      size: 5, root: log.checkpoint(at: 5).root,
      extensions: [String](repeating: "extension", count: Witness.checkpointBytesMax / 10),
      with: log.key)
    try expectRefusal(WitnessRequest(large, path: [], from: 0).bytes, .badRequest)
    try cosign(0, 7)
  }

  @Test("a proof with a hash too many, too few or changed is refused with 422")
  func badProofs() throws {
    try cosign(0, 7)
    let good = try log.request(from: 7, to: 13)
    let path = good.consistency.path
    #expect(path.count > 2)
    var bad = [path + [path[0]], Array(path.dropLast()), Array(path.dropFirst()), []]
    for index in path.indices {
      var changed = path
      changed[index] = TreeHash.emptyTree
      bad.append(changed)
    }
    for path in bad {
      try expectRefusal(
        WitnessRequest(good.checkpoint, path: path, from: 7).bytes, .inconsistent)
    }
    // Where none is needed, none may come.
    let same = WitnessRequest(try log.checkpoint(at: 7), path: [path[0]], from: 7)
    try expectRefusal(same.bytes, .inconsistent)
    #expect(try answer(good).status == .cosigned)
  }

  @Test("from nothing, a proof has no hashes, and the root of nothing is one only")
  func fromNothing() throws {
    let path = log.proof(from: 3, to: 7).path
    try expectRefusal(
      WitnessRequest(try log.checkpoint(at: 7), path: path, from: 0).bytes, .inconsistent)
    let false0 = try SignedCheckpoint.sign(
      size: 0, root: TreeHash.leaf([1].span), with: log.key)
    try expectRefusal(WitnessRequest(false0, path: [], from: 0).bytes, .conflict)
    #expect(try answer(try log.request(from: 0, to: 0)).status == .cosigned)
    #expect(try answer(try log.request(from: 0, to: 7)).status == .cosigned)
  }

  @Test("what is no request is refused with 400")
  func malformed() throws {
    let good = try log.request(from: 0, to: 7).document
    let hash = StandardBase64.encode(TreeHash.emptyTree.bytes) + "\n"
    var bad = ["", "\n", "old\n\n", "x" + good, String(good.dropLast()), "\n" + good]
    for number in ["00", "01", "-0", "+0", " 0", "0 ", "", "0x0", "18446744073709551616"] {
      bad.append(good.replacingOccurrences(of: "old 0\n", with: "old \(number)\n"))
    }
    for text in [
      "!" + hash, String(hash.dropLast(2)) + "\n", " " + hash, "AAAA\n",
      String(repeating: hash, count: 64),
    ] {
      bad.append(good.replacingOccurrences(of: "old 0\n", with: "old 0\n" + text))
    }
    bad.append(good.replacingOccurrences(of: "\n", with: "\r\n"))
    bad.append(try log.checkpoint(at: 7).document)
    for text in bad {
      try expectRefusal(Array(text.utf8), .badRequest, "\(text.prefix(40))")
    }
    // 63 hashes are a request, though not one that proves anything.
    let most = good.replacingOccurrences(
      of: "old 0\n", with: "old 0\n" + String(repeating: hash, count: 63))
    try expectRefusal(Array(most.utf8), .inconsistent)
    #expect(try WitnessRequest(Array(good.utf8)).document == good)
  }

  @Test("logs are kept apart, and each has its own size")
  func manyLogs() throws {
    let other = ToyLog(try NoteSigner(name: "another.example/log"), forkedAt: 0)
    let witness = try Witness(
      key: key, logs: [log.key.verifier, other.key.verifier], state: state)
    for (toy, old, new) in [(log, 0, 7), (other, 0, 3), (log, 7, 9), (other, 3, 4)] {
      let answer = try witness.answer(
        try toy.request(from: old, to: new).bytes, at: Self.now)
      #expect(answer.status == .cosigned)
    }
    #expect(
      try state.read()?.checkpoints.map(\.origin) == ["another.example/log", "log.example/toy"])
    #expect(try state.read()?.checkpoints.map(\.size) == [4, 9])
  }

  @Test("the state is on disk before the answer, and a state that is lost or damaged signs nothing")
  func lostState() throws {
    try cosign(0, 7)
    let good = try folder.read("state")
    let request = try log.request(from: 7, to: 9).bytes
    for count in good.indices {
      try folder.write(Array(good.prefix(count)), to: "state")
      #expect(throws: ProofError(.malformed, ""), "cut to \(count)") {
        try witness.answer(request, at: Self.now)
      }
    }
    for index in good.indices {
      var bytes = good
      bytes[index] ^= 1
      try folder.write(bytes, to: "state")
      #expect(throws: ProofError(.malformed, ""), "byte \(index)") {
        try witness.answer(request, at: Self.now)
      }
    }
    try folder.write(good + good, to: "state")
    #expect(throws: ProofError(.malformed, "")) { try witness.answer(request, at: Self.now) }
    try FileManager.default.removeItem(atPath: folder.path("state"))
    #expect(throws: ProofError(.noFile, "")) { try witness.answer(request, at: Self.now) }
    #expect(try folder.names().isEmpty)
    try folder.write(good, to: "state")
    #expect(try witness.answer(request, at: Self.now).status == .cosigned)
  }

  @Test("a state that exists is not replaced by an empty one")
  func noSecondState() throws {
    try cosign(0, 7)
    let before = try folder.read("state")
    #expect(throws: ProofError(.exists, "")) { try state.create() }
    #expect(try folder.read("state") == before)
  }

  @Test("if the state cannot be written or locked, no cosignature is returned")
  func unwritable() throws {
    // The file that is written first cannot be made where a link to nowhere has its name.
    try FileManager.default.createSymbolicLink(
      atPath: folder.path(".state.partial"), withDestinationPath: "/nowhere/at/all")
    let before = try folder.read("state")
    let request = try log.request(from: 0, to: 7).bytes
    #expect(throws: ProofError(.file, "")) { try witness.answer(request, at: Self.now) }
    #expect(try folder.read("state") == before)
    let lost = CheckpointMemoryFile("/nowhere/at/all/state")
    #expect(throws: ProofError(.file, "")) {
      try Witness(key: key, logs: [log.key.verifier], state: lost).answer(request, at: Self.now)
    }
  }

  @Test("a key that does not sign leaves the state as it was")
  func failingKey() throws {
    let failing = try Witness(
      key: CommandSigner(key.verifier, command: "exit 3"), logs: [log.key.verifier], state: state)
    let request = try log.request(from: 0, to: 7).bytes
    #expect(throws: ProofError(.signing, "")) { try failing.answer(request, at: Self.now) }
    #expect(try state.read()?.checkpoints.isEmpty == true)
  }

  @Test("a clock that is at 1970 signs nothing") func unsetClock() throws {
    let request = try log.request(from: 0, to: 7).bytes
    #expect(throws: ProofError(.clock, "")) {
      try witness.answer(request, at: Instant(microseconds: 0))
    }
    #expect(try state.read()?.checkpoints.isEmpty == true)
  }

  @Test("a clock that goes back signs nothing of this log until it has caught up")
  func clockGoesBack() throws {
    try cosign(0, 7)
    let before = try folder.read("state")
    for (old, new) in [(7, 9), (7, 7)] {
      let request = try log.request(from: old, to: new).bytes
      for seconds in [1, 1_699_999_999] as [Int64] {
        let error = #expect(throws: ProofError.self) {
          try witness.answer(request, at: Instant(seconds: seconds))
        }
        #expect(error?.code == .clock)
        #expect(error?.message.contains("2023-11-14T22:13:20Z") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("log.example/toy") == true)
        #expect(try folder.read("state") == before)
      }
    }
    // What is wrong with a request is said first, whatever the clock says.
    let conflict = try witness.answer(
      try log.request(from: 3, to: 9).bytes, at: Instant(seconds: 1))
    #expect(conflict.status == .conflict && conflict.body == "7\n")
    // The same second is not earlier.
    try cosign(7, 9)
  }

  @Test("a clock that goes back does not keep the witness from other logs, nor another key")
  func clockOfOthers() throws {
    try cosign(0, 7)
    let earlier = Instant(seconds: 1_600_000_000)
    let other = ToyLog(try NoteSigner(name: "another.example/log"))
    let both = try Witness(key: key, logs: [log.key.verifier, other.key.verifier], state: state)
    #expect(try both.answer(other.request(from: 0, to: 3).bytes, at: earlier).status == .cosigned)
    let renewed = try Witness(
      key: NoteSigner(name: "witness.example/w2", kind: .witness), logs: [log.key.verifier],
      state: state)
    #expect(try renewed.answer(log.request(from: 7, to: 9).bytes, at: earlier).status == .cosigned)
  }

  @Test("what a process that was killed left behind is written over")
  func leftovers() throws {
    try folder.write([1, 2, 3], to: ".state.partial")
    try cosign(0, 7)
    #expect(try folder.names() == ["state"])
  }

  @Test("of two histories sent at the same time, one is cosigned")
  func race() throws {
    let forked = ToyLog(log.key, forkedAt: 3)
    let requests = try (0..<8).map { try ($0 % 2 == 0 ? log : forked).request(from: 0, to: 8) }
    // A link to the state takes the same lock.
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link"), withDestinationPath: folder.path("state"))
    let (first, other) = (
      try Witness(key: SlowKey(key: key), logs: [log.key.verifier], state: state),
      try Witness(
        key: SlowKey(key: key), logs: [log.key.verifier],
        state: CheckpointMemoryFile(folder.path("link")))
    )
    let answers = Answers()
    // Threads of their own: a busy machine runs the iterations of a queue one after the other.
    let group = DispatchGroup()
    for (index, request) in requests.enumerated() {
      let witness = index % 2 == 0 ? first : other
      group.enter()
      Thread.detachNewThread {
        answers.add(Result { try witness.answer(request.bytes, at: Self.now).status })
        group.leave()
      }
    }
    group.wait()
    let statuses = try answers.all.map { try $0.get() }
    #expect(statuses.count { $0 == .cosigned } == 1, "\(statuses)")
    #expect(statuses.count { $0 == .conflict } == 7, "\(statuses)")
    #expect(try folder.names() == ["link", "state"])
  }

  @Test("keys of the wrong kind make no witness, and no log witnesses itself")
  func wrongKeys() throws {
    let seed = [UInt8](repeating: 3, count: 32)
    let (one, same) = (
      try NoteSigner(name: "a.example", kind: .witness, seed: seed),
      try NoteSigner(name: "b.example", seed: seed)
    )
    for (key, log) in [
      (log.key, log.key.verifier), (key, key.verifier), (one, same.verifier),
    ] {
      #expect(throws: ProofError(.badKey, "")) {
        try Witness(key: key, logs: [log], state: state)
      }
    }
  }
}

/// A key that takes so long to sign that another request arrives meanwhile.
private struct SlowKey: NoteSigning {
  let key: NoteSigner
  var verifier: NoteVerifier { key.verifier }

  func signature(of message: [UInt8]) throws(ProofError) -> [UInt8] {
    Thread.sleep(forTimeInterval: 0.05)
    return try key.signature(of: message)
  }
}

/// What several threads were answered.
private final class Answers: @unchecked Sendable {
  private let lock = NSLock()
  private var found: [Result<WitnessAnswer.Status, any Error>] = []

  var all: [Result<WitnessAnswer.Status, any Error>] { lock.withLock { found } }

  func add(_ result: Result<WitnessAnswer.Status, any Error>) {
    lock.withLock { found.append(result) }
  }
}
