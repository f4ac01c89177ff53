import LedgerEvents
import LedgerHistories
import ModelComparison
import Testing

@testable import LedgerModel

struct AdvanceTests {
  private static let isPresent = ConditionTrait.enabled(
    if: Conformance.isPresent, "skipped: no ../shared beside the package")

  /// Appends facts in random pieces. Returns where a unit differs from a fresh fold of its facts.
  private func differences(
    _ ledger: FoldedLedger, pieceMax: Int, seed: UInt64, advances: inout Int
  ) throws -> Int {
    var random = SeededRandom(seed: seed)
    var growing = GrowingLedger(texts: ledger)
    var rest = ledger.facts[...]
    while !rest.isEmpty {
      let count = min(rest.count, 1 + random.below(pieceMax))
      try growing.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    advances += growing.advances
    return growing.units.count { unit in
      !unit.facts.isEmpty
        && UnitSet.fold(connected: unit.facts, context: growing.context, texts: ledger).encoded()
          != unit.state
    }
  }

  @Test("random histories grown in pieces give the very bytes of a fresh fold")
  func randomHistories() throws {
    var advances = 0
    for seed in 0..<25 as Range<UInt64> {
      let dense = Histories.dense(seed: seed, count: 40)
      let histories = [
        dense, RecordedEvent.shuffled(dense, seed: seed),
        Histories.realistic(seed: seed, count: 120),
        Histories.sparse(seed: seed, count: 120, accounts: 6),
      ]
      for (number, history) in histories.enumerated() {
        let different = try differences(
          FoldedLedger(history), pieceMax: 6, seed: seed, advances: &advances)
        #expect(different == 0, "seed \(seed), history \(number)")
      }
    }
    #expect(advances > 500, "most pieces in order go on without folding anew")
  }

  @Test("going on in pieces gives the very bytes of a fresh fold", isPresent, arguments: [5])
  func goingOn(pieceMax: Int) throws {
    var advances = 0
    for (number, history) in try #require(Conformance()).histories().enumerated() {
      let events =
        number % 2 == 0
        ? history.events : RecordedEvent.shuffled(history.events, seed: UInt64(number))
      let different = try differences(
        FoldedLedger(events), pieceMax: pieceMax, seed: UInt64(number), advances: &advances)
      #expect(different == 0, "\(history.name) in pieces up to \(pieceMax)")
    }
    #expect(advances > 500, "most pieces in order go on without folding anew")
  }

  @Test("the context is the same in any order of arrival", isPresent) func contextSame() throws {
    for (number, history) in try #require(Conformance()).histories().prefix(100).enumerated() {
      let ledger = FoldedLedger(history.events)
      var random = SeededRandom(seed: UInt64(number))
      var contexts: [SharedContext] = []
      for facts in [ledger.facts, random.shuffled(ledger.facts)] {
        contexts.append(SharedContext(of: facts, texts: ledger))
      }
      for unit in ledger.folded.units {
        #expect(unit.encoded() == (try Unit(decoding: unit.encoded())).encoded())
      }
      let folds = contexts.map {
        UnitSet.fold(connected: ledger.facts, context: $0, texts: ledger).encoded()
      }
      #expect(folds[0] == folds[1], "\(history.name)")
    }
  }

  @Test(
    "what reaches back is folded anew",
    arguments: [
      // A chain without a catalogue entry becomes a subscription when a fact states an expiry.
      """
      1T10:00 transaction.purchased t=t1 o=t1 p=book a=A
      1T11:00 transaction.purchased t=t2 o=t2 p=book a=A
      1T12:00 subscription.renewed t=t2 p=book {"expiresAt":"2024-02-01T00:00:00Z"}
      """,
      // The events of a payment belong to the transaction that a later event names, which has an
      // original that others have, too.
      """
      1T10:00 transaction.purchased t=t0 o=t0 p=book
      1T10:01 transaction.purchasing pay=p1 p=book
      1T10:02 transaction.purchased pay=p1 t=t1 o=t0 p=book
      """,
      // What was found about a payment is about its transaction.
      """
      1T10:00 payments.checked {"allowed":false}
      1T10:01 payment.added pay=p1 p=book
      1T10:02 transaction.purchased pay=p1 t=t1 p=book
      """,
      // A transaction was known before it turns out to be a payment's.
      """
      1T10:00 transaction.purchased t=t1 p=book
      1T10:01 payment.added pay=p1 p=book
      1T10:02 transaction.purchased pay=p1 t=t1 p=book
      """,
      // An account that is stated later holds the transaction from its first event on.
      """
      1T10:00 transaction.purchased t=t1 p=book
      1T10:01 account.transferred a=A d=- {"to":"B"}
      1T10:02 transaction.finished t=t1 a=A
      """,
      // An environment that is stated later applies to all events of the transaction.
      """
      1T10:00 transaction.purchased t=t1 p=book
      1T10:01 transaction.finished t=t1 env=sandbox
      """,
    ])
  func reachesBack(text: String) throws {
    let scene = try Scene(text)
    let facts = scene.ledger.facts
    let foldContext = FoldContext(context: scene.folded.context, texts: scene.ledger)
    var unit = Unit.fold(Array(facts.dropLast()), foldContext)
    let goesOn = unit.advance(Array(facts.suffix(1)), foldContext)
    #expect(!goesOn)
  }

  @Test(
    "a payment whose transaction is named later goes on to the very bytes of a fresh fold",
    arguments: [
      """
      1T10:00 payment.added pay=p1 p=book a=A
      1T10:01 transaction.purchasing pay=p1 p=book a=A
      1T10:02 transaction.purchased pay=p1 t=t1 p=book a=A
      1T10:03 transaction.finished pay=p1 t=t1 p=book a=A
      """,
      """
      1T10:00 transaction.purchasing pay=p1 p=book
      1T10:01 transaction.purchasing pay=p2 p=book
      1T10:02 transaction.purchased pay=p1 t=t1 o=t1 p=book
      1T10:03 transaction.failed pay=p2 t=t2 p=book
      """,
      """
      1T10:00 payment.added pay=p1 p=book a=A env=sandbox
      1T10:01 transaction.purchased pay=p1 t=t1 o=t1 p=book a=A env=sandbox
      1T10:02 transaction.restored t=t2 o=t1 p=book a=A env=sandbox
      """,
    ])
  func payments(text: String) throws {
    let scene = try Scene(text)
    var growing = GrowingLedger(texts: scene.ledger)
    for fact in scene.ledger.facts { try growing.append([fact]) }
    let units = growing.units.filter { !$0.facts.isEmpty }
    #expect(units.count == 1)
    for unit in units {
      let fresh = UnitSet.fold(
        connected: unit.facts, context: growing.context, texts: scene.ledger)
      #expect(fresh.encoded() == unit.state)
    }
    #expect(growing.refolds == 0)
  }

  @Test("so do many payments, each before its transaction") func manyPayments() throws {
    let lines = stride(from: 10, to: 60, by: 2).flatMap { number in
      [
        "1T10:\(number) payment.added pay=p\(number) p=book a=A",
        "1T10:\(number + 1) transaction.purchased pay=p\(number) t=t\(number) p=book a=A",
      ]
    }
    try payments(text: lines.joined(separator: "\n"))
  }

  @Test(
    "what arrives late changes what was folded as if it had come in time",
    arguments: [
      // A purge recorded after the newest event, and an earlier install that arrives late.
      """
      1T10:00 transaction.purchased t=t1 p=book a=A d=- {"downloads":[{"download":"c1"}]}
      1T10:01 download.finished t=t1 dl=c1 d=-
      1T10:02 transaction.finished t=t1 d=-
      1T10:10 content.purged d=-
      1T10:05 content.installed t=t1 dl=c1 p=book d=- {"contentVersion":"1"}
      """,
      // Launches of the absent device that arrive after the deliveries between them.
      """
      1T10:01 transaction.purchased t=t1 p=book a=A d=-
      1T10:03 transaction.purchased t=t1 p=book a=A d=-
      1T10:05 transaction.purchased t=t1 p=book a=A d=-
      1T10:02 session.started d=-
      1T10:04 session.started d=-
      """,
      // The session of a launch turns out to be in another environment.
      """
      1T10:01 transaction.purchased t=t1 p=book a=A d=-
      1T10:02 session.started d=- s=s1
      1T10:03 transaction.purchased t=t1 p=book a=A d=-
      1T10:04 session.started d=- s=s2
      1T10:05 transaction.purchased t=t1 p=book a=A d=-
      1T10:06 session.ended d=- s=s2 env=sandbox
      """,
      // A catalogue that arrives late makes a chain a subscription.
      """
      1T10:00 transaction.purchased t=t1 o=t1 p=book a=A
      1T11:00 transaction.purchased t=t2 o=t2 p=book a=A
      1T09:00 catalog.set d=- {"products":[{"product":"book","kind":"autoRenewable"}]}
      """,
    ])
  func arrivesLate(text: String) throws {
    let scene = try Scene(text)
    var growing = GrowingLedger(texts: scene.ledger)
    for fact in scene.ledger.facts { try growing.append([fact]) }
    var found: [Finding] = []
    for unit in growing.units where !unit.facts.isEmpty {
      let fresh = UnitSet.fold(
        connected: unit.facts, context: growing.context, texts: scene.ledger)
      #expect(fresh.encoded() == unit.state)
      found += try Unit(decoding: unit.state).findings
    }
    #expect(Set(found) == Set(scene.folded.findings))
  }
}
