import LedgerEvents
import LedgerStore
import Testing

@testable import Audit

@Suite("A memory of checkpoints") struct CheckpointMemoryTests {
  private let folder: WitnessFolder
  private let log: ToyLog
  private let file: CheckpointMemoryFile

  init() throws {
    folder = try WitnessFolder()
    log = ToyLog(try NoteSigner(name: "log.example/toy"))
    file = CheckpointMemoryFile(folder.path("seen"))
  }

  private func see(
    _ size: Int, of other: ToyLog? = nil, with proof: ConsistencyProof? = nil
  ) throws -> CheckpointMemory.Verdict {
    try file.remember(
      try (other ?? log).checkpoint(at: size), signedBy: [log.key.verifier], consistency: proof)
  }

  private func newest() throws -> UInt64? { try file.read()?.newest(of: "log.example/toy")?.size }

  @Test("the first checkpoint is remembered, and the same one again changes nothing")
  func first() throws {
    #expect(try file.read() == nil)
    guard case .first = try see(7) else { return #expect(Bool(false), "the first") }
    let before = try folder.read("seen")
    guard case .same = try see(7) else { return #expect(Bool(false), "the same") }
    #expect(try folder.read("seen") == before)
  }

  @Test("growth is believed with a proof from what was seen, and remembered")
  func growth() throws {
    for (old, new) in [(3, 4), (4, 7), (7, 8), (8, 33)] {
      if old == 3 { _ = try see(3) }
      let verdict = try see(new, with: log.proof(from: old, to: new))
      guard case .extends(let before) = verdict else {
        return #expect(Bool(false), "\(old) to \(new): \(verdict)")
      }
      #expect(before.size == UInt64(old))
      #expect(try newest() == UInt64(new))
    }
  }

  @Test("growth without a proof, or with one from elsewhere, is not believed and not remembered")
  func unproven() throws {
    _ = try see(7)
    for proof in [
      nil, log.proof(from: 6, to: 9), log.proof(from: 7, to: 10), log.proof(from: 0, to: 9),
    ] {
      let verdict = try see(9, with: proof)
      guard case .unproven(let newest) = verdict else {
        return #expect(Bool(false), "\(verdict)")
      }
      #expect(newest.size == 7 && !verdict.isAccepted)
    }
    #expect(try newest() == 7)
  }

  @Test("after an empty log, everything is growth")
  func empty() throws {
    _ = try see(0)
    let verdict = try see(9)
    #expect(verdict.isAccepted)
    #expect(try newest() == 9)
  }

  @Test("another root at the same position is a fork, and what was seen stays")
  func forkAtOnePosition() throws {
    _ = try see(7)
    for fork in 0..<7 {
      let verdict = try see(7, of: ToyLog(log.key, forkedAt: fork))
      guard case .forks(let seen) = verdict else { return #expect(Bool(false), "\(verdict)") }
      #expect(try seen.root == log.checkpoint(at: 7).root && !verdict.isAccepted)
    }
    #expect(try file.read()?.newest(of: "log.example/toy")?.root == log.checkpoint(at: 7).root)
  }

  @Test("a proof that does not lead from what was seen is a fork")
  func forkByProof() throws {
    _ = try see(7)
    for fork in 0..<7 {
      let forked = ToyLog(log.key, forkedAt: fork)
      for (proof, new) in [(forked.proof(from: 7, to: 12), 12), (log.proof(from: 7, to: 9), 9)] {
        let verdict = try see(new, of: forked, with: proof)
        guard case .forks = verdict else { return #expect(Bool(false), "\(fork): \(verdict)") }
      }
    }
    #expect(try newest() == 7)
  }

  @Test("a log that goes back is noticed, unless a proof shows that the file is only old")
  func goingBack() throws {
    _ = try see(9)
    guard case .wentBack(let newest) = try see(5) else { return #expect(Bool(false), "back") }
    #expect(newest.size == 9)
    guard case .wentBack = try see(5, with: log.proof(from: 4, to: 9)) else {
      return #expect(Bool(false), "a proof from elsewhere")
    }
    guard case .precedes = try see(5, with: log.proof(from: 5, to: 9)) else {
      return #expect(Bool(false), "an old file")
    }
    let forked = ToyLog(log.key, forkedAt: 2)
    guard case .forks = try see(5, of: forked, with: log.proof(from: 5, to: 9)) else {
      return #expect(Bool(false), "another history")
    }
    #expect(try self.newest() == 9)
  }

  @Test("a checkpoint that nobody known has signed is refused and not remembered")
  func unsigned() throws {
    let stranger = ToyLog(try NoteSigner(name: "log.example/toy"))
    #expect(throws: ProofError(.notProven, "")) { try see(7, of: stranger) }
    #expect(try file.read() == nil)
    _ = try see(7)
    #expect(throws: ProofError(.notProven, "")) {
      try see(9, of: stranger, with: log.proof(from: 7, to: 9))
    }
    #expect(try newest() == 7)
  }

  @Test("logs are remembered apart, in the order of their names, and read back as they were")
  func manyLogs() throws {
    var memory = CheckpointMemory()
    for name in ["c.example", "a.example", "b.example"] {
      let toy = ToyLog(try NoteSigner(name: name))
      _ = try memory.remember(try toy.checkpoint(at: 3), signedBy: [toy.key.verifier])
    }
    let again = try CheckpointMemory(Array(memory.document.utf8))
    #expect(again.checkpoints.map(\.origin) == ["a.example", "b.example", "c.example"])
    #expect(again.document == memory.document)
    #expect(again.newest(of: "b.example")?.size == 3)
    #expect(again.newest(of: "d.example") == nil)
  }

  @Test("a file that is cut short or changed anywhere is refused, and is not begun anew")
  func damaged() throws {
    _ = try see(7)
    let good = try folder.read("seen")
    var bad = good.indices.map { Array(good.prefix($0)) } + [good + [10]]
    for index in good.indices {
      var changed = good
      changed[index] ^= 0x20
      bad.append(changed)
    }
    for bytes in bad {
      try folder.write(bytes, to: "seen")
      #expect(throws: ProofError(.malformed, "")) { try see(7) }
      #expect(try folder.read("seen") == bytes)
    }
  }

  @Test("the format's golden file") func golden() throws {
    let key = try NoteSigner(name: "log.example/golden", seed: (0..<32).map { $0 })
    let empty = "daybook/checkpoints@v1\nsha256 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n"
    #expect(CheckpointMemory().document == empty)
    var memory = CheckpointMemory()
    let checkpoint = try SignedCheckpoint.sign(size: 0, root: .emptyTree, with: key)
    _ = try memory.remember(checkpoint, signedBy: [key.verifier])
    let lines = memory.document.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 10)
    #expect(lines[2] == "" && lines[6] == "" && lines[8] == "")
    #expect(lines[3...5].joined(separator: "\n") + "\n" == checkpoint.note.text)
  }
}
