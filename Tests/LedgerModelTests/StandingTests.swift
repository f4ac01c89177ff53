import LedgerEvents
import LedgerModel
import ModelComparison
import Testing

/// The status of a customer's transactions and their downloads.
struct StandingTests {
  private func standings(of account: Name, in text: String) throws -> [TransactionStanding] {
    let scene = try Scene(text)
    let number = scene.ledger.number(.account, account)
    return try #require(scene.folded.unit(of: number)).standings(of: .account(number))
  }

  @Test("a transaction is undelivered, open or finished by what the queue said")
  func transactionUndelivered() throws {
    let standings = try standings(
      of: "A",
      in: """
        1T10:00 transaction.purchased t=t1 p=book a=A src=server
        1T10:01 transaction.purchased t=t2 p=map a=A {"purchasedAt":"2024-01-01T09:00:00Z"}
        1T10:02 transaction.purchased t=t3 p=coin a=A
        1T10:03 transaction.finished t=t3
        1T10:04 transaction.purchasing pay=p4 p=pen a=A
        1T10:05 transaction.removed t=t2
        """)
    #expect(standings.map(\.phase.text) == ["undelivered", "open", "finished", "undelivered"])
    #expect(
      standings.map(\.reported)
        == [.unknown, .transactionPurchased, .transactionPurchased, .transactionPurchasing])
    #expect(
      standings.map(\.openedAt)
        == [nil, try Scene.moment("1T10:01"), try Scene.moment("1T10:02"), nil])
    #expect(
      standings.map(\.purchasedAt)
        == [
          try Scene.moment("1T10:00"), try Scene.moment("1T09:00"), try Scene.moment("1T10:02"),
          nil,
        ])
    #expect(standings.map(\.isRemovedUnfinished) == [false, true, false, false])
    #expect(standings.map(\.finishCount) == [0, 0, 1, 0])
    #expect(standings.map { $0.reportedAt != nil } == [false, true, true, true])
  }

  @Test("what stands of a refund is reported") func standsRefund() throws {
    let standings = try standings(
      of: "A",
      in: """
        1T10:00 transaction.purchased t=t1 p=book a=A
        1T10:01 transaction.purchased t=t2 p=map a=A {"ownership":"familyShared"}
        1T10:02 transaction.purchased t=t3 p=coin a=A
        1T10:03 transaction.purchased t=t4 p=pen a=A
        1T10:04 transaction.refunded t=t1 src=server
        1T10:05 transaction.revoked t=t2 src=server
        1T10:06 transaction.refunded t=t3 src=server
        1T10:07 transaction.refundReversed t=t3 src=server
        """)
    #expect(standings.map { $0.reversal?.text } == ["refunded", "revoked", "refundReversed", nil])
    #expect(standings.map(\.isFamilyShared) == [false, true, false, false])
  }

  @Test("the newest report over several products says when") func newestReport() throws {
    let standings = try standings(
      of: "A",
      in: """
        1T10:00 transaction.purchasing t=t1 p=book a=A
        1T10:01 transaction.deferred t=t1 p=map
        1T10:02 transaction.purchasing t=t1 p=book
        """)
    #expect(standings.map(\.reportedAt) == [try Scene.moment("1T10:02")])
  }

  @Test("downloads stand by their newest event, each on its device") func downloadsStand() throws {
    let standings = try standings(
      of: "A",
      in: """
        1T10:00 transaction.purchased t=t1 p=book a=A {"downloads":[{"download":"c0"}]}
        1T10:01 download.requested t=t1 dl=c1
        1T10:02 download.waiting t=t1 dl=c2 {"contentVersion":"3"}
        1T10:03 download.progressed t=t1 dl=c3 {"progress":0.25}
        1T10:04 download.paused t=t1 dl=c4 {"host":"own"}
        1T10:05 download.finished t=t1 dl=c5
        1T10:06 download.failed t=t1 dl=c6 {"error":{"domain":"x","code":1}}
        1T10:07 download.cancelled t=t1 dl=c7
        1T10:08 download.finished t=t1 dl=c0 d=d2
        """)
    let downloads = try #require(standings.first).downloads
    #expect(
      downloads.map(\.phase.text)
        == [
          "announced", "requested", "waiting", "active", "paused", "finished", "failed",
          "cancelled", "finished",
        ])
    #expect(downloads.map(\.phase.rawValue) == [0, 1, 2, 3, 4, 5, 6, 7, 5])
    #expect(downloads[0].newestAt == nil)
    #expect(downloads[1].newestAt == (try Scene.moment("1T10:01")))
    #expect(downloads[2].version == "3")
    #expect(downloads.map(\.progress) == [nil, nil, nil, 0.25, nil, nil, nil, nil, nil])
    #expect(downloads[4].host == .own)
    #expect(
      downloads[0].number == downloads[8].number && downloads[0].device != downloads[8].device)
  }

  @Test("a finish cancels what the store hosts and leaves the rest") func finishCancels() throws {
    let standings = try standings(
      of: "A",
      in: """
        1T10:00 transaction.purchased t=t1 p=book a=A
        1T10:01 download.requested t=t1 dl=c1
        1T10:02 download.requested t=t1 dl=c2 {"host":"own"}
        1T10:03 transaction.finished t=t1
        """)
    let downloads = try #require(standings.first).downloads
    #expect(downloads.map(\.phase) == [.cancelled, .requested])
    #expect(downloads.map(\.isCancelledByFinish) == [true, false])
  }

  @Test("of what nobody holds the chain is shown, and all of a unit when it is asked for all")
  func nobodyHolds()
    throws
  {
    let scene = try Scene(
      """
      1T10:00 transaction.purchased t=t1 o=t1 p=book
      1T10:01 transaction.restored t=t2 o=t1 p=book
      1T10:02 transaction.purchased t=t3 p=map
      1T10:03 transaction.purchased t=t4 p=map env=sandbox
      """)
    let second = scene.ledger.number(.transaction, "t2")
    let unit = try #require(scene.folded.unit(of: second))
    func texts(_ standings: [TransactionStanding]) -> [Name] {
      standings.map { scene.ledger.text(of: $0.number) }
    }
    #expect(texts(unit.standings(of: .transaction(second))) == ["t1", "t2"])
    #expect(texts(unit.standings) == ["t1", "t2", "t3", "t4"])
    #expect(unit.standings.map(\.environment) == [.production, .production, .production, .sandbox])
    #expect(unit.standings.map(\.original) == [1, 1, 3, 4].map { unit.standings[$0 - 1].number })
  }
}
