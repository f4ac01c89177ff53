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
        1T10:01 restore.requested
        1T10:02 restore.requested d=-
        1T10:03 restore.failed
        """,
      nearMiss: """
        1T10:00 restore.requested
        1T10:01 session.started
        1T10:02 restore.completed
        """),
  ]

  /// The same case, its incident judged at `time` and its near miss just before.
  fileprivate func judgedLater(_ time: String) -> RuleCase {
    var later = self
    later.incidentMoment = time
    return later
  }
}
