import LedgerModel

extension RuleCase {
  static let restores: [RuleCase] = [
    RuleCase(
      rule: .restoredWithoutOriginal, line: 1,
      incident: "1T10:00 transaction.restored t=t1 p=book",
      nearMiss: """
        1T10:00 transaction.restored t=t1 o=t0 p=book
        1T10:01 transaction.restored t=t2 p=book src=receipt
        """),
    RuleCase(
      rule: .restoredTwice, line: 3,
      incident: """
        1T10:00 restore.requested
        1T10:01 transaction.restored t=t1 o=t0 p=book
        1T10:02 transaction.restored t=t2 o=t0 p=book
        """,
      nearMiss: """
        1T10:00 restore.requested
        1T10:01 transaction.restored t=t1 o=t0 p=book
        1T10:02 restore.requested
        1T10:03 transaction.restored t=t2 o=t0 p=book
        1T10:04 transaction.restored t=t3 o=s0 p=sub {"expiresAt":"2024-02-01T00:00:00Z"}
        1T10:05 transaction.restored t=t4 o=s0 p=sub {"expiresAt":"2024-03-01T00:00:00Z"}
        """),
    RuleCase(
      rule: .restoreCompletedEarly, line: 3,
      incident: """
        1T10:00 restore.requested
        1T10:01 restore.completed
        1T10:02 transaction.restored t=t1 o=t0 p=book
        1T10:03 transaction.restored t=t1 o=t0 p=book
        """,
      nearMiss: """
        1T10:00 restore.requested
        1T10:01 transaction.restored t=t1 o=t0 p=book
        1T10:02 restore.completed
        1T10:03 session.started
        1T10:04 transaction.restored t=t2 o=t0 p=book
        """),
    RuleCase(
      rule: .restoreStorm, line: 13,
      incident: storm(requests: 11),
      nearMiss: storm(requests: 10) + """
        1T12:00 download.finished t=t1 dl=c1
        1T12:01 download.requested t=t1 dl=c11
        """),
  ]

  /// Returns a restore of one transaction with this many downloads started together.
  private static func storm(requests: Int) -> String {
    var lines = ["1T10:00 restore.requested", "1T10:01 transaction.restored t=t1 o=t0 p=book"]
    for number in 1...requests {
      lines.append("1T11:\(number + 10) download.requested t=t1 dl=c\(number)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  static let accounts: [RuleCase] = [
    RuleCase(
      rule: .accountChanged, line: 2,
      incident: """
        1T10:00 transaction.purchased t=t1 p=book a=A
        1T10:01 transaction.purchased t=t1 p=book a=B
        1T10:02 transaction.finished t=t1 a=C
        """,
      nearMiss: """
        1T10:00 transaction.purchased t=t1 p=book a=A
        1T10:01 account.linked a=A d=- {"to":"B"}
        1T10:02 transaction.purchased t=t1 p=book a=B
        1T10:03 account.transferred a=A d=- {"to":"C"}
        1T10:04 transaction.finished t=t1 a=C
        1T10:05 transaction.finished t=t1 a=A
        """),
    RuleCase(
      rule: .originalShared, line: 2,
      incident: """
        1T10:00 transaction.purchased t=t1 o=t1 p=book a=A
        1T10:01 transaction.restored t=t2 o=t1 p=book a=B d=d2
        1T10:02 transaction.restored t=t3 o=t1 p=book a=C d=d2
        """,
      nearMiss: """
        1T10:00 transaction.purchased t=t1 o=t1 p=book a=A
        1T10:01 transaction.purchased t=t2 o=t1 p=book a=B d=d2 {"ownership":"familyShared"}
        1T10:00 transaction.purchased t=t5 o=t5 p=book a=A
        1T10:02 transaction.restored t=t6 o=t5 p=book d=d3
        1T10:03 transaction.purchased t=t7 o=t7 p=book a=B d=d2 {"ownership":"familyShared"}
        1T10:04 transaction.restored t=t8 o=t7 p=book a=A
        """),
    RuleCase(
      rule: .environmentMixed, line: 2,
      incident: """
        1T10:00 transaction.purchased t=t1 p=book env=production
        1T10:01 transaction.finished t=t1 env=sandbox
        1T10:02 transaction.finished t=t1 env=xcode
        """,
      nearMiss: """
        1T10:00 transaction.purchased t=t1 p=book env=sandbox
        1T10:01 transaction.finished t=t1
        1T10:02 transaction.purchased t=t2 p=book env=production
        """),
  ]

  static let clocks: [RuleCase] = [
    RuleCase(
      rule: .arrivedLate, line: 2,
      incident: """
        2T10:00 subscription.renewed t=t1 o=t0 p=sub src=notification
        1T10:00 subscription.expired o=t0 src=notification
        """,
      nearMiss: """
        2T10:00 subscription.renewed t=t1 o=t0 p=sub src=notification
        1T10:00 subscription.expired o=other src=notification
        1T11:00 transaction.refundDeclined t=t1 src=notification
        1T12:00 transaction.purchased t=t1 o=t0 p=sub
        """),
    RuleCase(
      rule: .clockAhead, line: 1,
      incident: "3T10:00:01 session.started rec=2T10:00",
      nearMiss: "3T10:00 session.started rec=2T10:00"),
    RuleCase(
      rule: .clockStepped, line: 2,
      incident: """
        1T10:00 session.started s=s1 seq=5
        1T10:01 session.foregrounded s=s1 seq=4
        1T10:02 session.foregrounded s=s1 seq=3
        """,
      nearMiss: """
        1T10:00 session.started s=s1 seq=5
        1T10:01 session.foregrounded s=s2 seq=4
        1T10:02 session.foregrounded s=s1 seq=4 d=d2
        1T10:00 session.foregrounded s=s1 seq=3
        """),
  ]
}
