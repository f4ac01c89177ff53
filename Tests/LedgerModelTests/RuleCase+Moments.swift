import LedgerModel

extension RuleCase {
  static let moments: [RuleCase] = [
    RuleCase(
      rule: .neverFinished, line: 1,
      incident: "1T10:00 transaction.purchased t=t1 p=coin",
      nearMiss: "1T10:00 transaction.purchased t=t1 p=coin", moment: "2T10:00"
    ).judgedLater("2T10:00:01"),
    RuleCase(
      rule: .paymentUnanswered, line: 1,
      incident: """
        1T10:00 payment.added p=coin pay=p1
        1T10:01 transaction.purchasing pay=p2 p=coin
        """,
      nearMiss: """
        1T10:00 payment.added p=coin pay=p1
        1T10:01 transaction.purchasing pay=p1 p=coin
        1T10:02 payment.added p=book
        1T10:03 transaction.purchasing t=t5 p=book
        """),
    RuleCase(
      rule: .downloadStalled, line: 1,
      incident: """
        1T10:00 transaction.purchased t=t1 p=book
        1T10:01 download.progressed t=t1 dl=c1 {"progress":0.5}
        """,
      nearMiss: """
        1T10:00 transaction.purchased t=t1 p=book
        1T10:01 download.progressed t=t1 dl=c1 {"progress":0.5}
        1T10:02 download.paused t=t1 dl=c1
        1T10:03 download.requested t=t1 dl=c2
        1T10:04 transaction.finished t=t1
        """),
    RuleCase(
      rule: .undelivered, line: 1,
      incident: """
        1T10:00 transaction.purchased t=t1 p=book a=A {"downloads":[{"download":"c1"}]}
        1T10:01 transaction.finished t=t1
        1T10:02 content.installed p=book a=B {"contentVersion":"1"}
        """,
      nearMiss: """
        1T10:00 transaction.purchased t=t1 p=book a=A {"downloads":[{"download":"c1"}]}
        1T10:01 transaction.finished t=t1
        1T10:02 content.installed p=book a=A d=d2 {"contentVersion":"1"}
        1T10:03 content.removed p=book a=A d=d2
        1T10:04 transaction.purchased t=t2 p=plain a=A
        1T10:05 transaction.finished t=t2
        """),
    RuleCase(
      rule: .installInterrupted, line: 1,
      incident: "1T10:00 content.installStarted p=book",
      nearMiss: """
        1T10:00 content.installStarted p=book
        1T10:01 content.installFailed p=book
        """),
    RuleCase(
      rule: .restoreUnanswered, line: 2,
      incident: """
        1T10:00 restore.requested
        1T10:01 restore.failed
        1T10:02 restore.requested d=-
        1T10:03 restore.requested
        """,
      nearMiss: """
        1T10:00 restore.requested
        1T10:00:01 restore.requested
        1T10:01 session.started
        1T10:02 restore.requested d=-
        1T10:02:01 restore.requested d=-
        1T10:03 restore.completed
        1T10:04 restore.failed d=-
        """),
    RuleCase(
      rule: .restoreIncomplete, line: 1,
      incident: """
        1T10:00 transaction.purchased t=t1 o=t1 p=book a=A
        1T10:01 transaction.purchased t=t2 o=t2 p=plain a=A d=d2
        1T10:02 restore.requested a=A d=d2
        1T10:03 transaction.restored t=t3 o=t1 p=book a=A d=d2
        1T10:04 transaction.failed t=t2 p=plain a=A d=d2 {"error":{"domain":"x","code":1}}
        1T10:05 restore.completed d=d2
        """,
      nearMiss: """
        1T10:00 transaction.purchased t=t1 o=t1 p=book a=A app=maps
        1T10:01 restore.requested a=A d=d2
        1T10:02 session.started d=d2
        1T10:03 restore.completed d=d2
        1T10:04 restore.requested d=d2
        1T10:05 restore.completed d=d2
        1T10:06 restore.requested a=A d=-
        1T10:07 restore.completed d=-
        1T10:08 restore.requested a=A d=d3 app=games
        1T10:09 restore.completed d=d3
        1T10:10 restore.requested a=A d=d4
        1T10:11 restore.completed d=d4
        1T10:12 restore.requested a=B d=d5
        1T10:13 restore.completed d=d5
        1T10:14 restore.requested a=C d=d6
        1T10:15 restore.completed d=d6
        1T10:16 transaction.purchased t=t4 o=t4 p=book a=C
        1T10:17 transaction.purchased t=t5 o=t5 p=book a=D
        1T10:18 transaction.refunded t=t5 src=server
        1T10:19 restore.requested a=D d=d7
        1T10:20 restore.completed d=d7
        2T10:00 transaction.purchased t=t1 o=t1 p=book a=A d=d4
        """),
    RuleCase(
      rule: .unfulfilled, line: 2,
      incident: """
        1T10:00 transaction.purchased t=t1 p=coin
        1T10:01 receipt.accepted t=t1
        1T10:02 receipt.rejected t=t1
        1T10:03 transaction.finished t=t1
        1T10:04 transaction.purchased t=t2 p=coin
        1T10:05 purchase.fulfilled t=t2
        1T10:06 purchase.fulfillmentFailed t=t2
        1T10:07 receipt.accepted t=t2
        1T10:08 transaction.removed t=t2
        """,
      nearMiss: """
        1T10:00 transaction.purchased t=t1 p=coin
        1T10:01 receipt.rejected t=t1
        1T10:02 transaction.finished t=t1
        1T10:03 receipt.accepted t=t1
        1T10:04 transaction.purchased t=t2 p=coin
        1T10:05 purchase.fulfillmentFailed t=t2
        1T10:06 transaction.purchased t=t3 p=coin
        1T10:07 purchase.fulfillmentFailed t=t3
        1T10:08 purchase.fulfilled t=t3
        1T10:09 receipt.rejected t=t3
        1T10:10 transaction.finished t=t3
        1T10:11 transaction.purchased t=t4 p=coin
        1T10:12 purchase.fulfillmentFailed t=t4
        1T10:13 transaction.finished t=t4
        1T10:14 transaction.refunded t=t4 src=server
        1T10:15 purchase.fulfillmentFailed t=t5
        1T10:16 transaction.finished t=t5
        """),
    RuleCase(
      rule: .fulfilledUnpurchased, line: 1,
      incident: """
        1T10:00 transaction.deferred t=t1 p=coin
        1T10:01 purchase.fulfilled t=t1
        1T10:02 purchase.fulfilled t=t1
        """,
      nearMiss: """
        1T10:00 transaction.deferred t=t1 p=coin
        1T10:01 purchase.fulfilled t=t1
        1T10:02 purchase.fulfillmentFailed t=t2
        1T12:00 subscription.renewed t=t1 p=coin src=server
        """),
  ]

  /// Returns the same case with its incident judged at `time` and its near miss just before.
  fileprivate func judgedLater(_ time: String) -> RuleCase {
    var later = self
    later.incidentMoment = time
    return later
  }
}
