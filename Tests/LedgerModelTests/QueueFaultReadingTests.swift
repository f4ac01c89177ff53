import LedgerEvents
import LedgerModel
import Testing

/// Contradictions of a queue or an app where the obvious reading of a rule would give another
/// answer. The random histories check the oracle for the same cases.
struct QueueFaultReadingTests {
  private func found(_ rule: Rule, in text: String) throws -> [UInt64] {
    let scene = try Scene(text)
    if rule.isJudgedAtAMoment {
      let newest = try #require(scene.folded.newestEvent(in: .production))
      return scene.folded.findings(at: newest, in: .production).filter { $0.rule == rule }
        .map(\.position)
    }
    return scene.folded.findings.filter { $0.rule == rule }.map(\.position)
  }

  @Test("a failure from StoreKit 2 opens nothing, and is a delivery all the same")
  func failureFrom() throws {
    let scene = """
      1T10:00 transaction.failed t=t1 p=coin src=storekit2
      1T10:01 transaction.finished t=t1
      1T10:02 transaction.finished t=t1
      1T10:03 transaction.failed t=t2 p=coin src=storekit1
      1T10:04 transaction.failed t=t1 p=coin src=storekit2
      5T10:00 session.started
      """
    #expect(try found(.neverFinished, in: scene) == [4])
    #expect(try found(.finishedTwice, in: scene) == [3])
    #expect(try found(.deliveredAfterFinish, in: scene) == [5])
    #expect(try found(.redelivered, in: scene) == [])
  }

  @Test("a failure from StoreKit 2 closes nothing that a purchase opened")
  func failureFromStoreKit() throws {
    let scene = """
      1T10:00 transaction.purchased t=t1 p=coin src=storekit2
      1T10:01 transaction.failed t=t1 p=coin src=storekit2
      5T10:00 session.started
      """
    #expect(try found(.neverFinished, in: scene) == [1])
    #expect(try found(.failedAfterPurchase, in: scene) == [2])
    #expect(try found(.redelivered, in: scene) == [2])
  }

  @Test("a download that has ended, or is another device's, does not excuse a loop")
  func downloadHas() throws {
    func scene(_ download: String) -> String {
      var lines = ["1T10:00 transaction.purchased t=t1 p=coin", "1T10:01 \(download)"]
      for launch in 2...4 {
        lines.append("1T10:0\(launch) session.started")
        lines.append("1T10:0\(launch):30 transaction.purchased t=t1 p=coin")
      }
      return lines.joined(separator: "\n")
    }
    #expect(try found(.deliveryLoop, in: scene("download.progressed t=t1 dl=c1")) == [])
    #expect(try found(.deliveryLoop, in: scene("download.finished t=t1 dl=c1")) == [6])
    #expect(try found(.deliveryLoop, in: scene("download.requested t=t1 dl=c1 d=d2")) == [6])
    #expect(try found(.deliveryLoop, in: scene("download.requested t=t2 dl=c1")) == [6])
  }

  @Test("a payment that is added again is one payment, open from its first") func paymentAdded()
    throws
  {
    let scene = """
      1T10:00 payment.added p=coin pay=p1
      1T12:00 payment.added p=coin pay=p1
      1T12:01 payment.added p=book
      1T12:02 payment.added p=book
      1T14:00 session.started
      """
    #expect(try found(.paymentUnanswered, in: scene) == [1, 3, 4])
  }

  @Test("a product that one catalogue names twice is what the last of its entries says")
  func productOne()
    throws
  {
    let twice = #"{"product":"coin","kind":"nonConsumable"},{"product":"coin","kind":"consumable"}"#
    let scene = """
      1T10:00 transaction.purchased t=t1 p=coin a=A
      1T10:01 purchase.fulfilled t=t1
      1T10:02 purchase.fulfilled t=t1
      2T10:00 catalog.set d=- {"products":[\(twice)]}
      """
    #expect(try found(.fulfilledTwice, in: scene) == [3])
  }

  @Test("a restore is held against what its account holds now, not what it held then")
  func restoreHeld() throws {
    let restore = """
      1T10:00 transaction.purchased t=t1 p=book a=A
      1T10:01 restore.requested a=B d=d2
      1T10:02 restore.completed d=d2
      """
    #expect(try found(.restoreIncomplete, in: restore + "\n2T10:00 session.started") == [])
    for join in ["account.linked a=B", "account.transferred a=A"] {
      let to = join.hasSuffix("B") ? "A" : "B"
      let later = #"2T10:00 \#(join) d=- {"to":"\#(to)"}"#
      #expect(try found(.restoreIncomplete, in: restore + "\n" + later) == [2])
    }
  }

  @Test("a restore is held against each chain by itself") func restoreHeldAgainst() throws {
    let scene = """
      1T09:00 transaction.purchased t=t1 o=t1 p=book a=A
      1T09:01 transaction.purchased t=t2 o=t2 p=book a=A
      1T10:00 restore.requested a=A d=d2
      1T10:01 restore.completed d=d2
      1T10:02 restore.requested a=A d=d2
      1T10:03 restore.completed d=d2
      1T10:04 transaction.restored t=t3 o=t2 p=book d=d2
      1T12:00 session.started
      """
    #expect(try found(.restoreIncomplete, in: scene) == [3, 5])
  }

  @Test("thresholds of the newer rules can be set") func thresholdsNewer() throws {
    let scene = try Scene(
      """
      1T09:00 transaction.purchased t=t1 p=book a=A
      1T10:00 receipt.rejected t=t1
      1T10:00 transaction.finished t=t1
      1T10:00 purchase.fulfilled t=t2
      1T10:00 restore.requested a=A d=d2
      1T10:00 restore.completed d=d2
      """)
    let moment = try Scene.moment("1T10:30")
    #expect(scene.folded.findings(at: moment, in: .production) == [])
    for rule in [Rule.unfulfilled, .fulfilledUnpurchased, .restoreIncomplete] {
      var thresholds = Thresholds()
      let isKnown = thresholds.set(rule, to: 29 * 60 * Instant.second)
      #expect(isKnown)
      let found = scene.folded.findings(at: moment, in: .production, thresholds: thresholds)
      #expect(found.map(\.rule) == [rule])
      #expect(Thresholds.rules.contains(rule))
    }
  }
}
