import Audit
import LedgerEvents
import LedgerHistories
import LedgerModel
import Testing

@testable import LedgerQueries
@testable import LedgerStore

/// What a proposed event would change is what it changes.
@Suite("An operator's event that is only proposed") struct EventProposalTests {
  private func described(_ difference: CustomerDifference) -> String {
    let answer = difference.answer
    let entries = (answer?.entries ?? []).map { entry in
      "\(entry.before?.product ?? entry.before?.entitlement ?? "-") "
        + "\(entry.before?.state.text ?? "-") \(entry.after?.state.text ?? "-") "
        + "\(entry.after?.product ?? entry.after?.entitlement ?? "-")"
    }
    let balances = (answer?.balances ?? []).map { "\($0.unit) \($0.before) \($0.after)" }
    let installed = difference.installed.map {
      "\($0.device ?? "-") \($0.product) \($0.before ?? "-") \($0.after ?? "-")"
    }.sorted()
    return "\(difference.account) \(difference.environment): gains \(answer?.gained ?? []), loses "
      + "\(answer?.lost ?? []); \(entries); \(balances); \(installed)"
  }

  @Test(
    "changes what its append changes, and nothing before that",
    arguments: 1...10 as ClosedRange<UInt64>)
  func append(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed &+ 31)
    let walk = try LedgerWalk()
    let events = Histories.dense(seed: seed, count: 90)
    try walk.append(events[..<50])
    try walk.ledger().fold()
    try walk.append(events[50...])
    let newest = try #require(walk.arrived.map { EventFoldKey($0).time.microseconds }.max())
    let accounts =
      Set(events.compactMap(\.event.account)).sorted() + ["nobody-yet", "new-one"]
    var changed = 0
    for round in 0..<12 {
      let now = Instant(microseconds: newest + Int64(round + 1) * 60_000_000)
      let (account, other) = (random.one(of: accounts), random.one(of: accounts))
      let kinds: [(EventKind, String?)] = [
        (.entitlementGranted, #""entitlement":"pro""#), (.entitlementGranted, nil),
        (.entitlementWithdrawn, #""entitlement":"pro""#), (.accountLinked, #""to":"\#(other)""#),
        (.accountTransferred, #""to":"\#(other)""#),
      ]
      let (kind, data) = random.one(of: kinds)
      if account == other, data?.contains("to") == true { continue }
      let product = data == nil ? #","product":"never-seen""# : ""
      let line =
        #"{"id":"act-\#(round)","type":"\#(kind.text)","occurredAt":"\#(now.rfc3339)","#
        + #""source":"operator","account":"\#(account)"\#(product),"data":{\#(data ?? "")}}"#
      let event = try EventDecoder().decode(line: Array(line.utf8)).event
      let named = account == other ? [account] : [account, other]
      let concerned = data?.contains("to") == true ? named : [account]
      let all = StoreEnvironment.allCases
      let (position, reported) = try walk.ledger().read { (view) throws(LedgerError) in
        (
          view.position,
          try view.differences(appending: event, accounts: concerned, environments: all, now: now)
        )
      }
      try walk.append([RecordedEvent(position: 1, recordedAt: now, event: event)])
      var came: [CustomerDifference] = []
      try walk.ledger().read { (view) throws(LedgerError) in
        #expect(view.position == position + 1)
        for account in concerned {
          try view.differences(
            from: .position(position), to: .position(position + 1), account: account,
            environments: all, at: now
          ) { difference in
            came.append(difference)
            return true
          }
        }
      }
      #expect(reported.map(described) == came.map(described), "seed \(seed), \(line)")
      changed += came.count
    }
    #expect(changed > 0, "seed \(seed): nothing ever changes")
  }
}
