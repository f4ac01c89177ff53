import LedgerModel

extension RuleCase {
  static let queue: [RuleCase] = [
    RuleCase(
      rule: .removedWithoutFinish, line: 2,
      incident: """
        1T10:00 transaction.purchased t=t1 p=coin
        1T10:01 transaction.removed t=t1
        1T10:02 transaction.removed t=t1
        """,
      nearMiss: """
        1T10:00 transaction.purchased t=t1 p=coin
        1T10:01 transaction.finished t=t1
        1T10:02 transaction.removed t=t1
        """),
    RuleCase(
      rule: .redelivered, line: 2,
      incident: """
        1T10:00 transaction.purchased t=t1 p=coin
        1T10:01 transaction.purchased t=t1 p=coin
        """,
      nearMiss: """
        1T10:00 transaction.purchased t=t1 p=coin
        1T10:01 transaction.purchased t=t1 p=coin d=d2
        1T10:02 transaction.purchased t=t1 p=coin src=server
        """),
    RuleCase(
      rule: .deliveredAfterFinish, line: 3,
      incident: """
        1T10:00 transaction.purchased t=t1 p=coin
        1T10:01 transaction.finished t=t1
        1T10:02 transaction.purchased t=t1 p=coin
        """,
      nearMiss: """
        1T10:00 transaction.purchased t=t1 p=coin
        1T10:01 transaction.finished t=t1
        1T10:02 transaction.purchased t=t1 p=coin d=d2
        """),
    RuleCase(
      rule: .deliveryLoop, line: 6,
      incident: """
        1T10:00 session.started
        1T10:01 transaction.purchased t=t1 p=coin
        1T10:02 session.started
        1T10:03 transaction.purchased t=t1 p=coin
        1T10:04 session.started
        1T10:05 transaction.purchased t=t1 p=coin
        1T10:06 session.started
        1T10:07 transaction.purchased t=t1 p=coin
        """,
      nearMiss: """
        1T10:00 session.started
        1T10:01 transaction.purchased t=t1 p=coin
        1T10:02 session.started
        1T10:03 transaction.purchased t=t1 p=coin
        1T10:03 transaction.purchased t=t1 p=coin
        1T10:03:30 transaction.finished t=t1
        1T10:04 session.started
        1T10:05 transaction.purchased t=t1 p=coin
        1T10:06 download.requested t=t1 dl=c1
        1T10:07 session.started
        1T10:08 transaction.purchased t=t1 p=coin
        1T10:09 download.waiting t=t1 dl=c1
        1T10:10 session.started
        1T10:11 transaction.purchased t=t1 p=coin
        1T10:12 download.paused t=t1 dl=c1
        1T10:13 session.started
        1T10:14 transaction.purchased t=t1 p=coin
        """),
    RuleCase(
      rule: .failedAfterPurchase, line: 3,
      incident: """
        1T10:00 transaction.purchased t=t1 p=coin
        1T10:01 transaction.finished t=t1
        1T10:02 transaction.failed t=t1 p=coin {"error":{"domain":"x","code":1}}
        1T10:03 transaction.restored t=t1 p=coin
        1T10:04 transaction.failed t=t1 p=coin {"error":{"domain":"x","code":1}}
        """,
      nearMiss: """
        1T10:00 transaction.failed t=t1 p=coin {"error":{"domain":"x","code":1}}
        1T10:01 transaction.purchased t=t1 p=coin
        1T10:02 transaction.failed t=t1 p=coin src=server {"error":{"domain":"x","code":1}}
        1T10:03 transaction.deferred t=t1 p=coin
        1T10:04 transaction.failed t=t1 p=coin {"error":{"domain":"x","code":1}}
        1T10:05 transaction.purchased t=t2 p=coin src=server
        1T10:06 transaction.failed t=t2 p=coin {"error":{"domain":"x","code":1}}
        """),
    RuleCase(
      rule: .fulfilledTwice, line: 4,
      incident: """
        1T09:00 catalog.set d=- {"products":[{"product":"coin","kind":"consumable"}]}
        1T10:00 purchase.fulfilled t=t1
        1T10:01 purchase.fulfillmentFailed t=t1
        1T10:02 purchase.fulfilled t=t1
        1T10:03 transaction.purchased t=t1 p=coin
        """,
      nearMiss: """
        1T09:00 catalog.set d=- {"products":[{"product":"coin","kind":"consumable"}]}
        1T10:00 transaction.purchased t=t1 p=coin
        1T10:01 purchase.fulfillmentFailed t=t1
        1T10:02 purchase.fulfilled t=t1
        1T10:03 transaction.purchased t=t2 o=t1 p=coin
        1T10:04 purchase.fulfilled t=t2
        1T10:05 transaction.purchased t=t3 p=book
        1T10:06 purchase.fulfilled t=t3
        1T10:07 purchase.fulfilled t=t3
        1T10:08 purchase.fulfilled t=t4
        1T10:09 purchase.fulfilled t=t4
        """),
    RuleCase(
      rule: .failedWithoutError, line: 1,
      incident: "1T10:00 transaction.failed t=t1 p=coin",
      nearMiss: """
        1T10:00 transaction.failed t=t1 p=coin {"error":{"domain":"x","code":2}}
        1T10:00 transaction.failed t=t2 p=coin src=server
        """),
    RuleCase(
      rule: .hostedContentUnsupported, line: 2,
      incident: """
        1T09:00 catalog.set d=- {"products":[{"product":"coin","kind":"consumable"}]}
        1T10:00 transaction.purchased t=t1 p=coin {"downloads":[{"download":"c1"}]}
        1T10:01 transaction.purchased t=t1 p=coin {"downloads":[{"download":"c1"}]}
        """,
      nearMiss: """
        1T09:00 catalog.set d=- {"products":[{"product":"coin","kind":"consumable"}]}
        1T10:00 transaction.purchased t=t1 p=coin {"downloads":[{"download":"c1","host":"own"}]}
        1T10:01 transaction.purchased t=t2 p=book {"downloads":[{"download":"c1"}]}
        """),
  ]

  static let payments: [RuleCase] = [
    RuleCase(
      rule: .purchasedAfterFailure, line: 2,
      incident: """
        1T10:00 transaction.failed t=t1 p=coin a=A {"error":{"domain":"x","code":2}}
        2T10:00 transaction.purchased t=t2 p=coin a=A d=d2
        """,
      nearMiss: """
        1T10:00 transaction.failed t=t1 p=coin a=A {"error":{"domain":"x","code":2}}
        1T10:01 transaction.purchased t=t2 p=coin a=B
        2T10:00:01 transaction.purchased t=t3 p=coin a=A
        """),
    RuleCase(
      rule: .purchasedTwice, line: 2,
      incident: """
        1T10:00 transaction.purchased t=t1 o=t1 p=book a=A
        1T11:00 transaction.purchased t=t2 o=t2 p=book a=A
        """,
      nearMiss: """
        1T10:00 transaction.purchased t=t1 o=t1 p=book a=A
        1T10:30 transaction.refunded t=t1 src=notification
        1T11:00 transaction.purchased t=t2 o=t2 p=book a=A
        1T12:00 transaction.purchased t=t3 p=book a=A
        """),
    RuleCase(
      rule: .invalidProduct, line: 2,
      incident: """
        1T10:00 catalog.received {"products":[],"invalid":["book"]}
        1T10:01 payment.added p=book pay=p1
        """,
      nearMiss: """
        1T10:00 catalog.received {"products":[],"invalid":["book"]}
        1T10:00:30 catalog.received {"products":[{"product":"book"}]}
        1T10:01 payment.added p=book pay=p1
        1T10:02 payment.added p=other pay=p2
        """),
    RuleCase(
      rule: .paymentNotAllowed, line: 2,
      incident: """
        1T10:00 payments.checked {"allowed":false}
        1T10:01 payment.added p=book pay=p1
        """,
      nearMiss: """
        1T10:00 payments.checked {"allowed":false}
        1T10:01 payment.added p=book pay=p1 d=d2
        1T10:02 payments.checked {"allowed":true}
        1T10:03 payment.added p=book pay=p2
        """),
  ]
}
