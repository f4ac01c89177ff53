import LedgerEvents
import LedgerStore
import Testing

@testable import Audit

@Suite("Cosignatures and the keys of witnesses") struct CosignatureTests {
  /// Made with Python's `cryptography` from the texts of the specifications.
  private static let witnessSecret =
    "PRIVATE+KEY+witness.example/golden+cae279a6+BGRlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn+AgYKD"
  private static let witnessKey =
    "witness.example/golden+cae279a6+BAu8NGpXZnw4ASC9nH/X5R0sX9/qN80vW/QFssa/by14"
  private static let logKey =
    "log.example/golden+15cad01a+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"
  private static let checkpoint = """
    log.example/golden
    20852163
    3VbeQTeVHZySaBsDQW7BX4hrRIKifjpRfTLwhSRMvl0=

    \u{2014} log.example/golden FcrQGlQYcFneaMs08CLYR0jrZDJsGrtpb0rkWk5E6e6XYuqNlpXlNbWXjnDha3qAvcJ\
    SRlr0O8uPalHLvsQ5UOOwFAU=

    """
  private static let time: UInt64 = 1_679_315_147
  private static let now = Instant(seconds: 1_700_000_000)
  private static let line =
    "\u{2014} witness.example/golden yuJ5pgAAAABkGFDL/ycYJ3jeybFgYIQZr1CgPQ7KKYL/c0YtixWxF8RXMPzY+T"
    + "asXAj0VV7JpxEooS4LwN0f1Z8PFEunVwakuxKICQ==\n"

  private let log: ToyLog
  private let witness: NoteSigner

  init() throws {
    log = ToyLog(try NoteSigner(name: "log.example/toy"))
    witness = try NoteSigner(name: "witness.example/w1", kind: .witness)
  }

  private func cosigned(
    _ checkpoint: SignedCheckpoint, by key: NoteSigner? = nil, at time: UInt64 = time
  ) throws -> SignedCheckpoint {
    checkpoint.with(
      checkpoint.note.signatures + [try checkpoint.cosignature(by: key ?? witness, at: time)])
  }

  @Test("keys, ids and the line of a cosignature are those that another program makes")
  func golden() throws {
    let key = try NoteSigner(Self.witnessSecret)
    #expect(key.verifier.text == Self.witnessKey)
    #expect(key.verifier.kind == .witness)
    #expect(key.secretText == Self.witnessSecret)
    let checkpoint = try SignedCheckpoint(Self.checkpoint.utf8)
    #expect(try checkpoint.signers(of: [NoteVerifier(Self.logKey)]).count == 1)
    let answer = try checkpoint.adding(
      Array(Self.line.utf8), by: [NoteVerifier(Self.witnessKey)], now: Self.now)
    #expect(answer.added == [Cosignature(witness: key.verifier, time: Self.time)])
    #expect(answer.checkpoint.document == Self.checkpoint + Self.line)
    // Ed25519 of BoringSSL is deterministic; swift-crypto's need not be, so the line is verified.
    let own = try checkpoint.cosignature(by: key, at: Self.time)
    #expect(try checkpoint.with([own]).cosignatures(of: [key.verifier]).map(\.time) == [Self.time])
  }

  @Test("every changed bit of a cosignature, of its time or of the checkpoint is noticed")
  func changedBits() throws {
    let checkpoint = try cosigned(try log.checkpoint(at: 7))
    let line = try #require(checkpoint.note.signatures.last)
    for index in line.bytes.indices {
      var bytes = line.bytes
      bytes[index] ^= 1
      let changed = checkpoint.with([
        SignedNote.Signature(name: line.name, identifier: line.identifier, bytes: bytes)
      ])
      #expect(throws: ProofError(.notProven, ""), "byte \(index)") {
        try changed.cosignatures(of: [witness.verifier])
      }
    }
    let other = try log.checkpoint(at: 8).with([line])
    #expect(throws: ProofError(.notProven, "")) {
      try other.cosignatures(of: [witness.verifier])
    }
  }

  @Test("a cosignature of other than 72 bytes, or of a time beyond 2⁶³ − 1, is none")
  func sizes() throws {
    let checkpoint = try log.checkpoint(at: 7)
    let line = try checkpoint.cosignature(by: witness, at: Self.time)
    let late = try checkpoint.cosignature(by: witness, at: UInt64(Int64.max) + 1)
    let latest = try checkpoint.cosignature(by: witness, at: UInt64(Int64.max))
    for bytes in [line.bytes + [0], Array(line.bytes.dropLast()), [1], late.bytes] {
      let changed = checkpoint.with([
        SignedNote.Signature(name: line.name, identifier: line.identifier, bytes: bytes)
      ])
      #expect(throws: ProofError(.notProven, "")) {
        try changed.cosignatures(of: [witness.verifier])
      }
    }
    #expect(try checkpoint.with([latest]).cosignatures(of: [witness.verifier]).count == 1)
  }

  @Test("a signature of one kind is never taken for one of the other")
  func kinds() throws {
    let seed = [UInt8](repeating: 9, count: 32)
    let asLog = try NoteSigner(name: "log.example/toy", seed: seed)
    let asWitness = try NoteSigner(name: "log.example/toy", kind: .witness, seed: seed)
    #expect(asLog.verifier.identifier != asWitness.verifier.identifier)
    let toy = ToyLog(asLog)
    let checkpoint = try toy.checkpoint(at: 3)
    // The key of a witness does not sign for a log, even under its name.
    let cosigned = checkpoint.with([try checkpoint.cosignature(by: asWitness, at: Self.time)])
    #expect(throws: ProofError(.notProven, "")) {
      try cosigned.signers(of: [asWitness.verifier])
    }
    #expect(throws: ProofError(.badKey, "")) {
      try SignedCheckpoint.sign(size: 0, root: .emptyTree, with: asWitness)
    }
    #expect(throws: ProofError(.badKey, "")) { try checkpoint.cosignature(by: asLog, at: 1) }
    #expect(try checkpoint.cosignatures(of: [asLog.verifier]).isEmpty)
  }

  @Test("lines of a checkpoint after its root are cosigned, too")
  func extensions() throws {
    let checkpoint = try cosigned(
      try SignedCheckpoint.sign(
        size: 0, root: .emptyTree, extensions: ["more"], with: log.key))
    #expect(try checkpoint.cosignatures(of: [witness.verifier]).count == 1)
    let bare = try SignedCheckpoint.sign(size: 0, root: .emptyTree, with: log.key)
      .with(checkpoint.note.signatures)
    #expect(throws: ProofError(.notProven, "")) {
      try bare.cosignatures(of: [witness.verifier])
    }
  }

  @Test("an answer is verified line by line, and strangers' lines are left out")
  func adding() throws {
    let checkpoint = try log.checkpoint(at: 7)
    let other = try NoteSigner(name: "witness.example/w2", kind: .witness)
    func lines(_ keys: [NoteSigner], at times: [UInt64]) throws -> [UInt8] {
      Array(
        SignedNote.lines(
          of: try zip(keys, times).map { try checkpoint.cosignature(by: $0, at: $1) }
        ).utf8)
    }
    let both = try checkpoint.adding(
      try lines([other, witness], at: [5, 6]), by: [witness.verifier], now: Self.now)
    #expect(both.added.map(\.time) == [6])
    #expect(
      both.checkpoint.note.signatures.map(\.name) == [log.key.verifier.name, "witness.example/w1"])
    #expect(both.checkpoint.note.text == checkpoint.note.text)
    // Of several cosignatures by one witness, the newest stays, whatever the order.
    for (first, second) in [(6, 9), (9, 6)] as [(UInt64, UInt64)] {
      let once = try checkpoint.adding(
        try lines([witness], at: [first]), by: [witness.verifier], now: Self.now)
      let twice = try once.checkpoint.adding(
        try lines([witness], at: [second]), by: [witness.verifier], now: Self.now)
      #expect(try twice.checkpoint.cosignatures(of: [witness.verifier]).map(\.time) == [9])
    }
    #expect(throws: ProofError(.notProven, "")) {
      try checkpoint.adding(try lines([other], at: [5]), by: [witness.verifier], now: Self.now)
    }
    let elsewhere = SignedNote.lines(
      of: [try log.checkpoint(at: 8).cosignature(by: witness, at: 5)])
    #expect(throws: ProofError(.notProven, "")) {
      try checkpoint.adding(Array(elsewhere.utf8), by: [witness.verifier], now: Self.now)
    }
  }

  @Test("a cosignature of the future is refused, and leaves no other one out") func future() throws
  {
    let bare = try log.checkpoint(at: 7)
    func lines(at times: UInt64...) throws -> [UInt8] {
      Array(SignedNote.lines(of: try times.map { try bare.cosignature(by: witness, at: $0) }).utf8)
    }
    let key = witness.verifier
    let latest = UInt64(Self.now.microseconds / Instant.second) + WitnessPolicy.aheadSecondsMax
    let good = try bare.adding(try lines(at: 5), by: [key], now: Self.now).checkpoint
    for times in [
      try lines(at: latest + 1), try lines(at: 6, latest + 1), try lines(at: UInt64(Int64.max)),
    ] {
      let error = #expect(throws: ProofError(.notProven, "")) {
        try good.adding(times, by: [key], now: Self.now)
      }
      #expect(error?.message.contains("\(key.nameAndIdentifier) is dated in the future") == true)
    }
    let newest = try good.adding(try lines(at: latest), by: [key], now: Self.now)
    #expect(newest.added.map(\.time) == [latest])
    // One that is there already, from another program, gives way to one that counts.
    let ahead = bare.with([try bare.cosignature(by: witness, at: latest + 9)])
    let mended = try ahead.adding(try lines(at: 5), by: [key], now: Self.now)
    #expect(try mended.checkpoint.cosignatures(of: [key]).map(\.time) == [5])
  }

  @Test("what was added is what the checkpoint did not have before") func added() throws {
    let bare = try log.checkpoint(at: 7)
    func adding(_ times: UInt64..., to checkpoint: SignedCheckpoint) throws -> (
      checkpoint: SignedCheckpoint, added: [Cosignature]
    ) {
      let lines = SignedNote.lines(
        of: try times.map { try bare.cosignature(by: witness, at: $0) })
      return try checkpoint.adding(
        Array(lines.utf8), by: [witness.verifier, witness.verifier], now: Self.now)
    }
    let once = try adding(5, to: bare)
    #expect(once.added.map(\.time) == [5])
    #expect(try adding(5, to: once.checkpoint).added == [])
    #expect(try adding(4, to: once.checkpoint).added == [])
    #expect(try adding(5, to: once.checkpoint).checkpoint.document == once.checkpoint.document)
    // Of two in one answer, only the newer one is left.
    #expect(try adding(6, 8, 7, to: once.checkpoint).added.map(\.time) == [8])
  }

  @Test(
    "what is no answer is malformed",
    arguments: ["", "\n", "no line\n", "\u{2014} a AAAA\n", "old 7\n\n"])
  func malformed(_ text: String) throws {
    let checkpoint = try log.checkpoint(at: 7)
    #expect(throws: ProofError(.malformed, "")) {
      try checkpoint.adding(Array(text.utf8), by: [witness.verifier], now: Self.now)
    }
  }

  @Test("an answer cannot change the text by an empty line of its own")
  func smuggled() throws {
    let checkpoint = try log.checkpoint(at: 7)
    let line = SignedNote.lines(of: [try checkpoint.cosignature(by: witness, at: 5)])
    #expect(throws: ProofError(.malformed, "")) {
      try checkpoint.adding(Array((line + "\n" + line).utf8), by: [witness.verifier], now: Self.now)
    }
  }
}
