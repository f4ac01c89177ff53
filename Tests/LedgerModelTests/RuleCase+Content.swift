import LedgerModel

extension RuleCase {
  static let downloads: [RuleCase] = [
    RuleCase(
      rule: .downloadWithoutPayment, line: 2,
      incident: """
        1T10:00 transaction.deferred t=t1 p=book
        1T10:01 download.requested t=t1 dl=c1
        1T10:02 download.progressed t=t1 dl=c1 {"progress":0.5}
        """,
      nearMiss: """
        1T10:00 transaction.deferred t=t1 p=book
        1T10:01 transaction.purchased t=t1 p=book
        1T10:02 download.requested t=t1 dl=c1
        """),
    RuleCase(
      rule: .downloadAfterFinish, line: 3,
      incident: """
        1T10:00 transaction.purchased t=t1 p=book
        1T10:01 transaction.finished t=t1
        1T10:02 download.requested t=t1 dl=c1
        1T10:03 download.resumeRequested t=t1 dl=c1
        """,
      nearMiss: """
        1T10:00 transaction.purchased t=t1 p=book
        1T10:01 transaction.finished t=t1
        1T10:02 download.requested t=t1 dl=c1 {"host":"own"}
        1T10:03 transaction.purchased t=t1 p=book
        1T10:04 download.requested t=t1 dl=c2
        """),
    RuleCase(
      rule: .progressRegressed, line: 3,
      incident: """
        1T10:00 transaction.purchased t=t1 p=book
        1T10:01 download.progressed t=t1 dl=c1 {"progress":0.5}
        1T10:02 download.progressed t=t1 dl=c1 {"progress":0.4}
        1T10:03 download.progressed t=t1 dl=c1 {"progress":0.3}
        """,
      nearMiss: """
        1T10:00 transaction.purchased t=t1 p=book
        1T10:01 download.progressed t=t1 dl=c1 {"progress":0.5}
        1T10:02 session.started
        1T10:03 download.progressed t=t1 dl=c1 {"progress":0.1}
        1T10:04 download.requested t=t1 dl=c1
        1T10:05 download.progressed t=t1 dl=c1 {"progress":0}
        """),
    RuleCase(
      rule: .redundantDownload, line: 3,
      incident: """
        1T09:00 content.installed p=book a=A {"contentVersion":"1.0"}
        1T10:00 transaction.purchased t=t1 p=book a=A
        1T10:01 download.requested t=t1 dl=c1 {"contentVersion":"1"}
        """,
      nearMiss: """
        1T09:00 content.installed p=book a=A {"contentVersion":"1.0"}
        1T10:00 transaction.purchased t=t1 p=book a=A
        1T10:01 download.requested t=t1 dl=c1 {"contentVersion":"1.1"}
        1T10:02 download.requested t=t1 dl=c2
        """),
    RuleCase(
      rule: .versionNotIncreased, line: 2,
      incident: """
        1T09:00 catalog.received a=A {"products":[{"product":"book","contentVersion":"1.10"}]}
        1T10:00 content.versionPublished p=book d=- {"contentVersion":"1.9"}
        """,
      nearMiss: """
        1T09:00 catalog.received a=A {"products":[{"product":"book","contentVersion":"1.9"}]}
        1T10:00 content.versionPublished p=book d=- {"contentVersion":"1.10"}
        1T11:00 content.versionPublished p=other d=- {"contentVersion":"1"}
        """),
  ]

  static let contents: [RuleCase] = [
    RuleCase(
      rule: .installedBeforeDownload, line: 3,
      incident: """
        1T10:00 transaction.purchased t=t1 p=book {"downloads":[{"download":"c1"}]}
        1T10:01 download.progressed t=t1 dl=c1 {"progress":1.0}
        1T10:02 content.installStarted t=t1 dl=c1 p=book
        1T10:03 content.installed t=t1 dl=c1 p=book {"contentVersion":"1"}
        """,
      nearMiss: """
        1T10:00 transaction.purchased t=t1 p=book {"downloads":[{"download":"c1"}]}
        1T10:01 download.finished t=t1 dl=c1
        1T10:02 content.installStarted t=t1 dl=c1 p=book
        1T10:03 content.installStarted p=book
        """),
    RuleCase(
      rule: .installDowngraded, line: 2,
      incident: """
        1T10:00 content.installed p=book a=A {"contentVersion":"2"}
        1T10:01 content.installed p=book a=A {"contentVersion":"1.9"}
        """,
      nearMiss: """
        1T10:00 content.installed p=book a=A {"contentVersion":"2"}
        1T10:01 content.installed p=book a=A {"contentVersion":"2.0"}
        1T10:02 content.removed p=book a=A
        1T10:03 content.installed p=book a=A {"contentVersion":"1"}
        1T10:04 content.installed p=book a=A d=d2 {"contentVersion":"0"}
        """),
    RuleCase(
      rule: .digestMismatch, line: 2,
      incident: """
        1T10:00 content.installed p=book a=A {"contentVersion":"1","digest":"aa","path":"/x"}
        1T10:01 content.installed p=book a=B d=d2 {"contentVersion":"1.0","digest":"bb","path":"/x"}
        """,
      nearMiss: """
        1T10:00 content.installed p=book a=A {"contentVersion":"1","digest":"aa","path":"/x"}
        1T10:01 content.installed p=book a=A {"contentVersion":"1.1","digest":"bb","path":"/x"}
        1T10:02 content.installed p=book a=A {"contentVersion":"1.0","digest":"cc","path":"/y"}
        1T10:03 content.installed p=book a=B d=d2 {"contentVersion":"1.0","digest":"aa","path":"/x"}
        """),
    RuleCase(
      rule: .backupNotExcluded, line: 1,
      incident: """
        1T10:00 content.installed p=book {"contentVersion":"1","excludedFromBackup":false}
        """,
      nearMiss: """
        1T10:00 content.installed p=book {"contentVersion":"1","excludedFromBackup":true}
        1T10:01 content.installed p=book {"contentVersion":"1"}
        """),
  ]
}
