import LedgerEvents
import LedgerModel
import LedgerOracle
import Testing

/// Sentences of the text that the model and the oracle once read differently. Both are tested.
struct ReadingTests {
  /// Expects the positions of one rule's findings from both the model and the oracle.
  private func expect(
    _ rule: Rule, at positions: [UInt64], in text: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let scene = try Scene(text)
    let oracle = try #require(Oracle(scene.events).answers()[.production])
    let model: [Finding]
    let reported: [Oracle.Finding]
    if rule.isJudgedAtAMoment {
      model = scene.folded.findings(at: oracle.at.microseconds, in: .production)
      reported = oracle.moment
    } else {
      model = scene.folded.findings
      reported = oracle.findings
    }
    let ofModel = model.filter { $0.rule == rule }.map(\.position).sorted()
    let ofOracle = reported.filter { $0.rule == rule.id }.map(\.position).sorted()
    #expect(ofModel == positions, "the model", sourceLocation: sourceLocation)
    #expect(ofOracle == positions, "the oracle", sourceLocation: sourceLocation)
  }

  @Test("a transaction restored twice is found once, however many devices restore it")
  func transactionRestored() throws {
    try expect(
      .restoredTwice, at: [3],
      in: """
        1T10:00 restore.requested
        1T10:01 transaction.restored t=t1 o=t0 p=book
        1T10:02 transaction.restored t=t2 o=t0 p=book
        1T10:03 restore.requested d=d2
        1T10:04 transaction.restored t=t1 o=t0 p=book d=d2
        1T10:05 transaction.restored t=t2 o=t0 p=book d=d2
        """)
  }

  @Test("a restore on another device can find the other one of two transactions") func restoreOn()
    throws
  {
    try expect(
      .restoredTwice, at: [3, 6],
      in: """
        1T10:00 restore.requested
        1T10:01 transaction.restored t=t1 o=t0 p=book
        1T10:02 transaction.restored t=t2 o=t0 p=book
        1T10:03 restore.requested d=d2
        1T10:04 transaction.restored t=t2 o=t0 p=book d=d2
        1T10:05 transaction.restored t=t1 o=t0 p=book d=d2
        """)
  }

  @Test("a transaction delivered there before the restore is not the restore's second")
  func transactionDelivered() throws {
    try expect(
      .restoredTwice, at: [],
      in: """
        1T10:00 transaction.restored t=t1 o=t0 p=book
        1T10:01 restore.requested
        1T10:02 transaction.restored t=t1 o=t0 p=book
        1T10:03 transaction.restored t=t2 o=t0 p=book
        """)
  }

  @Test("a transaction restored after the end is found once over all devices")
  func transactionRestoredAfter() throws {
    try expect(
      .restoreCompletedEarly, at: [3],
      in: """
        1T10:00 restore.requested
        1T10:01 restore.completed
        1T10:02 transaction.restored t=t1 o=t0 p=book
        1T10:03 restore.requested d=d2
        1T10:04 restore.completed d=d2
        1T10:05 transaction.restored t=t1 o=t0 p=book d=d2
        """)
  }

  @Test("a payment that is added again without an answer is found once, at its first")
  func paymentAdded() throws {
    try expect(
      .paymentUnanswered, at: [1],
      in: """
        1T10:00 payment.added p=coin pay=p1
        1T10:01 payment.added p=coin pay=p1
        1T10:02 payment.added p=book pay=p2
        1T10:03 transaction.purchasing pay=p2
        2T10:00 note.added {"text":"x"}
        """)
  }

  @Test("one answer of the queue answers every payment of its id that was added before")
  func oneAnswer()
    throws
  {
    try expect(
      .paymentUnanswered, at: [4],
      in: """
        1T10:00 payment.added p=coin pay=p1
        1T10:01 payment.added p=coin pay=p1
        1T10:02 transaction.purchasing pay=p1 d=d2
        1T10:03 payment.added p=coin pay=p1
        2T10:00 note.added {"text":"x"}
        """)
  }

  @Test("the store's own word is no answer of the queue to a payment") func storesOwn() throws {
    try expect(
      .paymentUnanswered, at: [1],
      in: """
        1T10:00 payment.added p=coin pay=p1
        1T10:01 transaction.purchased t=t1 p=coin pay=p1 src=notification
        2T10:00 note.added {"text":"x"}
        """)
  }

  @Test("a transfer to another id of the same customer is one that moved the transaction")
  func transferAnother()
    throws
  {
    try expect(
      .accountChanged, at: [7],
      in: """
        1T10:00 transaction.purchased t=t1 p=book a=A
        1T10:01 account.linked a=A d=- {"to":"C"}
        1T10:02 account.transferred a=A d=- {"to":"C"}
        1T10:03 account.transferred a=A d=- {"to":"B"}
        1T10:04 account.erased a=A d=-
        1T10:05 transaction.finished t=t1 a=C
        1T10:06 transaction.finished t=t1 a=D
        """)
  }

  @Test("an install of a download without a transaction is kept by download, not by product")
  func installDownload()
    throws
  {
    try expect(
      .installInterrupted, at: [3, 5],
      in: """
        1T10:00 content.installStarted p=book dl=c1
        1T10:01 content.installStarted p=book
        1T10:02 content.installStarted p=map dl=c1
        1T10:03 content.installed p=book {"contentVersion":"1"}
        1T10:04 content.installStarted p=map dl=c2
        2T10:00 note.added {"text":"x"}
        """)
  }

  @Test(
    "a download event counts, whoever reports it",
    arguments: ["server", "receipt", "notification", "app"])
  func downloadEvent(source: String) throws {
    let text = """
      1T10:00 transaction.purchased t=t1 p=book a=A {"downloads":[{"download":"c1"}]}
      1T10:01 download.finished t=t1 dl=c1 src=\(source)
      1T10:02 content.installed t=t1 dl=c1 p=book {"contentVersion":"1"}
      1T10:03 transaction.finished t=t1
      1T10:04 download.requested t=t1 dl=c1 src=\(source)
      2T10:00 note.added {"text":"x"}
      """
    try expect(.finishedBeforeDownload, at: [], in: text)
    try expect(.installedBeforeDownload, at: [], in: text)
    try expect(.downloadAfterFinish, at: [5], in: text)
    try expect(.downloadStalled, at: [5], in: text)
  }

  @Test("nothing that the store's sources say opens or finishes on the queue") func nothingStores()
    throws
  {
    let text = """
      1T10:00 transaction.purchased t=t1 p=book a=A src=server
      1T10:01 transaction.purchased t=t2 p=book a=A
      1T10:02 transaction.finished t=t2 src=receipt
      1T10:03 transaction.removed t=t2 src=notification
      3T10:00 note.added {"text":"x"}
      """
    try expect(.neverFinished, at: [2], in: text)
    try expect(.removedWithoutFinish, at: [], in: text)
  }
}
