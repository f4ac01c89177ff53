import LedgerEvents
import LedgerStore
import Testing

@testable import Audit

@Suite("A policy of witnesses") struct WitnessPolicyTests {
  private static let now = Instant(seconds: 1_700_000_000)
  private static let time: UInt64 = 1_699_999_000

  private let log: ToyLog
  private let witnesses: [NoteSigner]
  private var keys: [NoteVerifier] { witnesses.map(\.verifier) }
  private var logKeys: [NoteVerifier] { [log.key.verifier] }

  init() throws {
    log = ToyLog(try NoteSigner(name: "log.example/toy"))
    witnesses = try ["a", "b", "c"].map { try NoteSigner(name: "\($0).example", kind: .witness) }
  }

  private func checkpoint(
    cosignedBy signers: [(NoteSigner, UInt64)], at size: Int = 9
  ) throws -> SignedCheckpoint {
    let bare = try log.checkpoint(at: size)
    return bare.with(
      bare.note.signatures + (try signers.map { try bare.cosignature(by: $0.0, at: $0.1) }))
  }

  private func standings(
    _ signers: [(NoteSigner, UInt64)], required: Int = 1
  ) throws -> [WitnessPolicy.Standing] {
    try WitnessPolicy(keys, required: required)
      .check(try checkpoint(cosignedBy: signers), signedBy: logKeys, now: Self.now)
      .standings.map(\.standing)
  }

  @Test("k of n holds for every set of at least k of them, and for no smaller one")
  func thresholds() throws {
    for set in 0..<8 {
      let signers = witnesses.indices.filter { set >> $0 & 1 == 1 }
        .map { (witnesses[$0], Self.time) }
      let signed = try checkpoint(cosignedBy: signers)
      for required in 1...3 {
        let policy = try WitnessPolicy(keys, required: required)
        if signers.count >= required {
          let finding = try policy.check(signed, signedBy: logKeys, now: Self.now)
          #expect(finding.count == signers.count)
        } else {
          #expect(throws: ProofError(.notProven, ""), "\(set), \(required)") {
            try policy.check(signed, signedBy: logKeys, now: Self.now)
          }
        }
      }
    }
  }

  @Test("the error names who has cosigned and who has not")
  func shortfall() throws {
    let signed = try checkpoint(cosignedBy: [(witnesses[1], Self.time)])
    let error = try #require(throws: ProofError.self) {
      try WitnessPolicy(keys, required: 2).check(signed, signedBy: logKeys, now: Self.now)
    }
    #expect(error.message.contains("2 of 3 witnesses are required, and 1 cosigned"))
    #expect(error.message.contains("Cosigned: \(keys[1].nameAndIdentifier). "))
    #expect(
      error.message.contains(
        "Not cosigned: \(keys[0].nameAndIdentifier), \(keys[2].nameAndIdentifier)"))
  }

  @Test("many cosignatures by one witness count once, and the newest that counts is reported")
  func repeated() throws {
    let many = (1...5).map { (witnesses[0], Self.time + UInt64($0)) }
    #expect(try standings(many) == [.cosigned(at: Self.time + 5), .missing, .missing])
    #expect(throws: ProofError(.notProven, "")) { try standings(many, required: 2) }
    // A key that is given twice is one witness.
    let policy = try WitnessPolicy([keys[0], keys[0], keys[1]], required: 2)
    #expect(policy.witnesses.count == 2)
    #expect(throws: ProofError(.notProven, "")) {
      try policy.check(
        try checkpoint(cosignedBy: many), signedBy: logKeys, now: Self.now)
    }
  }

  @Test("more witnesses than there are cannot be required, and no fewer than one")
  func impossible() throws {
    for required in [0, -1, 4] {
      #expect(throws: ProofError(.badKey, "")) { try WitnessPolicy(keys, required: required) }
    }
    #expect(throws: ProofError(.badKey, "")) { try WitnessPolicy([], required: nil) }
    #expect(throws: ProofError(.badKey, "")) {
      try WitnessPolicy([keys[0], keys[0]], required: 2)
    }
    #expect(try WitnessPolicy(keys).required == 3)
  }

  @Test("two witnesses with one name are two, and neither signs for the other")
  func sameName() throws {
    let twin = try NoteSigner(name: "a.example", kind: .witness)
    let policy = try WitnessPolicy([keys[0], twin.verifier], required: 2)
    let both = try checkpoint(cosignedBy: [(witnesses[0], 5), (twin, 6)])
    #expect(try policy.check(both, signedBy: logKeys, now: Self.now).count == 2)
    let twice = try checkpoint(cosignedBy: [(twin, 5), (twin, 6)])
    #expect(throws: ProofError(.notProven, "")) {
      try policy.check(twice, signedBy: logKeys, now: Self.now)
    }
  }

  @Test("another witness's cosignature under this one's name and id refuses the whole note")
  func stolenName() throws {
    let bare = try checkpoint(cosignedBy: [(witnesses[1], Self.time)])
    let stolen = try bare.cosignature(by: witnesses[2], at: Self.time)
    let forged = bare.with(
      bare.note.signatures + [
        SignedNote.Signature(
          name: keys[0].name, identifier: keys[0].identifier, bytes: stolen.bytes)
      ])
    let policy = try WitnessPolicy(keys, required: 1)
    let error = try #require(throws: ProofError.self) {
      try policy.check(forged, signedBy: logKeys, now: Self.now)
    }
    #expect(error.code == .notProven)
    #expect(error.message.contains("the cosignature of \(keys[0].nameAndIdentifier) is false"))
    // Under the name alone it is a stranger's, and is ignored.
    let named = bare.with(
      bare.note.signatures + [
        SignedNote.Signature(
          name: keys[0].name, identifier: keys[2].identifier, bytes: stolen.bytes)
      ])
    let finding = try policy.check(named, signedBy: logKeys, now: Self.now)
    #expect(finding.standings[0].standing == .missing)
  }

  @Test("a time of 0 and a time that has not come do not count")
  func times() throws {
    let ahead = WitnessPolicy.aheadSecondsMax
    let latest = UInt64(1_700_000_000) + ahead
    #expect(try standings([(witnesses[0], latest)]).first == .cosigned(at: latest))
    #expect(
      try standings([(witnesses[0], latest + 1), (witnesses[1], 1)]).first
        == .future(at: latest + 1))
    #expect(try standings([(witnesses[0], 0), (witnesses[1], 1)]).first == .undated)
    let far = UInt64(Int64.max)
    #expect(throws: ProofError(.notProven, "")) { try standings([(witnesses[0], far)]) }
    #expect(throws: ProofError(.notProven, "")) { try standings([(witnesses[0], 0)]) }
    // A good cosignature beside a bad one counts.
    #expect(
      try standings([(witnesses[0], far), (witnesses[0], 7), (witnesses[0], 0)]).first
        == .cosigned(at: 7))
  }

  @Test("one public key under two names, the key of a log, and the log's own key are refused")
  func sameKey() throws {
    let seed = [UInt8](repeating: 7, count: 32)
    let names = try ["x.example", "y.example"].map {
      try NoteSigner(name: $0, kind: .witness, seed: seed).verifier
    }
    #expect(throws: ProofError(.badKey, "")) { try WitnessPolicy(names) }
    #expect(throws: ProofError(.badKey, "")) { try WitnessPolicy(logKeys) }
    let own = ToyLog(try NoteSigner(name: "log.example/own", seed: seed))
    #expect(throws: ProofError(.badKey, "")) {
      try WitnessPolicy([names[0]]).check(
        try own.checkpoint(at: 1), signedBy: [own.key.verifier], now: Self.now)
    }
  }

  @Test("cosignatures do not stand in for the log's own signature")
  func logSignature() throws {
    let signed = try checkpoint(cosignedBy: witnesses.map { ($0, Self.time) })
    let bare = signed.with(Array(signed.note.signatures.dropFirst()))
    #expect(throws: ProofError(.notProven, "")) {
      try WitnessPolicy(keys).check(bare, signedBy: logKeys, now: Self.now)
    }
  }
}
