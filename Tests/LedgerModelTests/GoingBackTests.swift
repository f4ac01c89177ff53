import LedgerEvents
import LedgerHistories
import ModelComparison
import Testing

@testable import LedgerModel

@Suite("A unit that goes back for a late fact") struct GoingBackTests {
  /// A unit that stays in memory, and the pages that a store has of it.
  private struct KeptUnit {
    let texts: FoldedLedger
    let layout = UnitLayout(rowsPerPage: 3, undividedRowsMax: 0)
    private(set) var unit = Unit()
    private(set) var facts: [Fact] = []
    private(set) var context = SharedContext()
    private(set) var pages: [StatePage: [UInt8]] = [:]
    /// How often it went back, and how often all was folded.
    private(set) var returns = 0
    private(set) var folds = 0

    init(texts: FoldedLedger) { self.texts = texts }

    mutating func append(_ batch: [Fact]) {
      var change = ContextChange()
      for fact in batch { context.extend(with: fact, texts, &change) }
      facts += batch
      let isAffected = unit.isAffected(by: change)
      if !change.isEmpty { unit.forgetMarks(restingOn: change) }
      let sorted = batch.inFoldOrder(texts)
      let isLate = unit.isLate(sorted[0], texts)
      let foldContext = FoldContext(context: context, texts: texts)
      var onlyChanged = true
      if !isAffected, unit.advance(sorted, foldContext, keepsJournal: true) {
        if isLate { returns += 1 }
      } else {
        unit = Unit.fold(facts, foldContext, keepsJournal: true)
        folds += 1
        onlyChanged = false
        pages = [:]
      }
      unit.pages(of: layout, onlyChanged: onlyChanged) { page, bytes in pages[page] = bytes }
      unit.markStored()
    }
  }

  @Test(
    "has the very bytes of a complete fold after each batch, and so do its pages",
    arguments: 0..<40 as Range<UInt64>)
  func sameBytes(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let histories = [
      Histories.dense(seed: seed, count: 90), Histories.realistic(seed: seed, count: 150),
      Histories.sparse(seed: seed, count: 120, accounts: 4),
      Histories.dense(seed: seed, count: 90).mostlyWithoutDevices(&random),
    ]
    var (returns, folds) = (0, 0)
    for (number, history) in histories.enumerated() {
      let texts = FoldedLedger(
        RecordedEvent.someLate(history, delayMax: 12, &random))
      var kept = KeptUnit(texts: texts)
      var rest = texts.facts[...]
      while !rest.isEmpty {
        let piece = Array(rest.prefix(1 + random.below(3)))
        rest = rest.dropFirst(piece.count)
        kept.append(piece)
        let whole = UnitSet.fold(connected: kept.facts, context: kept.context, texts: texts)
        let place = "seed \(seed), history \(number), \(kept.facts.count) facts"
        guard kept.unit.encoded() == whole.encoded() else {
          Issue.record("\(place): another state")
          break
        }
        var pages: [StatePage: [UInt8]] = [:]
        whole.pages(of: kept.layout, onlyChanged: false) { page, bytes in pages[page] = bytes }
        guard kept.pages == pages else {
          Issue.record("\(place): other pages")
          break
        }
      }
      returns += kept.returns
      folds += kept.folds
    }
    #expect(returns > 20, "seed \(seed): \(returns) returns, \(folds) complete folds")
  }

  @Test("folds everything if a late fact changes what was judged in the order of arrival")
  func judgedBefore() throws {
    // The late purchase is found to be Ben's, until an earlier event says that it is Ada's.
    let scene = try Scene(
      """
      1T01:00 session.started a=ben
      1T01:01 session.started a=ben
      1T01:02 session.started a=ben
      1T01:03 session.started a=ben
      1T01:04 session.started a=ben
      1T01:05 session.started a=ben
      1T01:06 session.started a=ben
      1T01:07 session.started a=ben
      2T10:00 subscription.renewed t=t1 o=t0 p=sub a=ben src=notification
      1T12:00 subscription.renewed t=t9 o=t0 p=sub a=ben src=notification
      1T11:00 transaction.purchasing t=t9 o=t0 p=sub a=ada
      """)
    var kept = KeptUnit(texts: scene.ledger)
    for fact in scene.ledger.facts { kept.append([fact]) }
    let whole = UnitSet.fold(connected: kept.facts, context: kept.context, texts: scene.ledger)
    #expect(kept.unit.encoded() == whole.encoded())
    #expect(kept.returns == 1)
  }
}
