import LedgerModel

extension RuleCase {
  static let finishing: [RuleCase] = [
    RuleCase(
      rule: .finishedBeforeDownload, line: 3,
      incident: """
        1T10:00 transaction.purchased t=t1 p=book {"downloads":[{"download":"c1"}]}
        1T10:01 download.requested t=t1 dl=c1
        1T10:02 transaction.finished t=t1
        """,
      nearMiss: """
        1T10:00 transaction.purchased t=t1 p=book {"downloads":[{"download":"c1","host":"own"}]}
        1T10:01 download.requested t=t1 dl=c1
        1T10:02 transaction.finished t=t1
        """),
    RuleCase(
      rule: .finishedWithoutDownload, line: 2,
      incident: """
        1T10:00 transaction.restored t=t1 o=t0 p=book {"downloads":[{"download":"c1"}]}
        1T10:02 transaction.finished t=t1
        """,
      nearMiss: """
        1T10:00 transaction.restored t=t1 o=t0 p=book {"downloads":[{"download":"c1"}]}
        1T10:01 download.requested t=t1 dl=c1
        1T10:02 transaction.finished t=t1
        """),
    RuleCase(
      rule: .finishedAfterFailedDownload, line: 4,
      incident: """
        1T10:00 transaction.purchased t=t1 p=book {"downloads":[{"download":"c1"}]}
        1T10:01 download.requested t=t1 dl=c1
        1T10:02 download.failed t=t1 dl=c1 {"error":{"domain":"x","code":1}}
        1T10:03 transaction.finished t=t1
        """,
      nearMiss: """
        1T10:00 transaction.purchased t=t1 p=book {"downloads":[{"download":"c1"}]}
        1T10:02 download.failed t=t1 dl=c1 {"error":{"domain":"x","code":1}}
        1T10:03 download.requested t=t1 dl=c1
        1T10:04 download.finished t=t1 dl=c1
        1T10:05 transaction.finished t=t1
        """),
    RuleCase(
      rule: .finishedBeforeInstall, line: 3,
      incident: """
        1T10:00 transaction.purchased t=t1 p=book {"downloads":[{"download":"c1"}]}
        1T10:01 download.finished t=t1 dl=c1
        1T10:02 transaction.finished t=t1
        1T10:03 content.installed t=t1 dl=c1 p=book {"contentVersion":"1"}
        """,
      nearMiss: """
        1T10:00 transaction.purchased t=t1 p=book {"downloads":[{"download":"c1"}]}
        1T10:01 download.finished t=t1 dl=c1
        1T10:02 content.installed t=t1 dl=c1 p=book {"contentVersion":"1"}
        1T10:03 transaction.finished t=t1
        """),
    RuleCase(
      rule: .installFailedThenFinished, line: 4,
      incident: """
        1T10:00 transaction.purchased t=t1 p=book {"downloads":[{"download":"c1"}]}
        1T10:01 download.finished t=t1 dl=c1
        1T10:02 content.installStarted t=t1 dl=c1 p=book
        1T10:03 transaction.finished t=t1
        """,
      nearMiss: """
        1T10:00 transaction.purchased t=t1 p=book {"downloads":[{"download":"c1"}]}
        1T10:01 download.finished t=t1 dl=c1
        1T10:02 content.installFailed t=t1 dl=c1 p=book
        1T10:03 content.installStarted t=t1 dl=c1 p=book
        1T10:04 content.installed t=t1 dl=c1 p=book {"contentVersion":"1"}
        1T10:05 transaction.finished t=t1
        """),
    RuleCase(
      rule: .finishedUnknown, line: 1,
      incident: """
        1T10:00 transaction.finished t=t1
        1T10:01 transaction.finished t=t1
        """,
      nearMiss: """
        1T09:00 subscription.renewed t=t1 p=sub src=notification
        1T10:00 transaction.finished t=t1
        """),
    RuleCase(
      rule: .finishedWhilePurchasing, line: 2,
      incident: """
        1T10:00 transaction.purchasing pay=p1 p=book
        1T10:01 transaction.finished pay=p1
        """,
      nearMiss: """
        1T10:00 transaction.purchasing pay=p1 p=book
        1T10:01 transaction.finished pay=p1
        1T10:00 transaction.failed pay=p1 p=book {"error":{"domain":"x","code":1}}
        """),
    RuleCase(
      rule: .finishedTwice, line: 3,
      incident: """
        1T10:00 transaction.purchased t=t1 p=coin
        1T10:01 transaction.finished t=t1
        1T10:02 transaction.finished t=t1
        """,
      nearMiss: """
        1T10:00 transaction.purchased t=t1 p=coin
        1T10:01 transaction.finished t=t1
        1T10:02 transaction.purchased t=t1 p=coin
        1T10:03 transaction.finished t=t1
        """),
    RuleCase(
      rule: .finishedBeforeFulfillment, line: 3,
      incident: """
        1T10:00 transaction.purchased t=t1 p=coin
        1T10:01 transaction.finished t=t1
        1T10:02 purchase.fulfillmentFailed t=t1 {"error":{"domain":"x","code":1}}
        1T10:03 purchase.fulfilled t=t1
        """,
      nearMiss: """
        1T10:00 transaction.purchased t=t1 p=coin
        1T10:01 purchase.fulfilled t=t1
        1T10:02 transaction.finished t=t1
        1T10:03 purchase.fulfilled t=t1
        """),
    RuleCase(
      rule: .contentMissingAtInstall, line: 5,
      incident: """
        1T10:00 transaction.purchased t=t1 p=book {"downloads":[{"download":"c1"}]}
        1T10:01 download.finished t=t1 dl=c1
        1T10:02 content.installStarted t=t1 dl=c1 p=book
        1T10:03 transaction.finished t=t1
        1T10:04 content.purged
        1T10:05 content.installFailed t=t1 dl=c1 p=book
        """,
      nearMiss: """
        1T10:00 transaction.purchased t=t1 p=book {"downloads":[{"download":"c1"}]}
        1T10:01 download.finished t=t1 dl=c1
        1T10:02 content.installStarted t=t1 dl=c1 p=book
        1T10:03 transaction.finished t=t1
        1T10:04 content.purged d=d2
        1T10:05 content.installed t=t1 dl=c1 p=book {"contentVersion":"1"}
        1T10:06 content.purged
        """),
  ]
}
