import Foundation
import LedgerEvents
import LedgerQueries

/// Who must be told of a newer version, asked over all accounts, each with content of its own;
/// everything folded, the ledger opened for the question.
let updatesBenchmark = Benchmark(
  name: "content.updates", about: "who must be told of new content, over 10^5 accounts"
) { context in
  let accounts = context.isQuick ? 10_000 : 100_000
  return try context.withFolder { folder in
    let path = folder.appending(path: "ledger").path
    try fill(path, accounts: accounts)
    var (first, found) = (0.0, 0)
    let clock = ContinuousClock()
    let begin = clock.now
    let all = try seconds {
      let query = ContentUpdatesQuery(now: Instant(microseconds: 1_800_000_000_000_000))
      try Ledger(at: path, access: .readOnly).read { (view) throws(LedgerError) in
        try view.contentUpdates(
          query,
          counts: { _ in
            let duration = clock.now - begin
            first =
              Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
          },
          { _ in
            found += 1
            return true
          })
      }
    }
    guard found == accounts else {
      throw Baseline.Failed(description: "\(found) of \(accounts) customers were found")
    }
    // One second for 10⁵ accounts is promised, and a smaller ledger has no more than its share.
    let limit = 1_000 * Double(accounts) / 100_000
    return [
      Figure(
        name: "content.updates.first", unit: "ms", daybook: first * 1_000, floor: .atMost(limit)),
      Figure(name: "content.updates.all", unit: "accounts/s", daybook: Double(accounts) / all),
    ]
  }
}

/// Customers who bought an atlas of which 1.0 was on offer, and then 1.1.
private func fill(_ path: String, accounts: Int) throws {
  let ledger = try Ledger.create(at: path)
  for start in stride(from: 0, to: accounts, by: 1_000) {
    let batch = (start..<min(start + 1_000, accounts)).flatMap { life(of: $0) }
    try ledger.appendAndWait(batch, options: checked)
  }
  var data = EventData.Builder()
  data.set("contentVersion", "1.1")
  let published = Event(
    id: "published", type: EventType(.contentVersionPublished),
    occurredAt: Instant(microseconds: 1_790_000_000_000_000), product: "atlas", data: data.build())
  try ledger.appendAndWait([EventInput(event: published)])
  try ledger.fold()
  try ledger.close()
}

private let steps: [EventKind] = [
  .sessionStarted, .paymentAdded, .transactionPurchased, .downloadRequested, .downloadProgressed,
  .downloadFinished, .contentInstallStarted, .contentInstalled, .transactionFinished,
]

/// One customer's events.
private func life(of number: Int) -> [EventInput] {
  let begin = 1_700_000_000_000_000 + Int64(number) * 10_000_000
  return steps.enumerated().map { step, kind in
    var event = Event(
      id: Name("\(number)-\(step)"), type: EventType(kind),
      occurredAt: Instant(microseconds: begin + Int64(step) * 1_000_000),
      source: EventSource(.storekit1), app: "example.trailmaps",
      account: Name("customer-\(number)"), device: Name("device-\(number)"),
      session: Name("session-\(number)"), sequence: Int64(step))
    var data = EventData.Builder()
    if step >= 1 { event.product = "atlas" }
    if step >= 2 { event.transaction = Name("\(280_000_000_000_000 + number)") }
    if step >= 3 && step <= 7 { event.download = "atlas-download" }
    switch kind {
    case .transactionPurchased:
      data.set(
        "downloads",
        json: Array(#"[{"download":"atlas-download","contentVersion":"1.0"}]"#.utf8))
    case .downloadProgressed: data.set("progress", number: "0.5")
    case .contentInstalled:
      data.set("contentVersion", "1.0")
      data.set("path", "atlas/1.0")
    default: break
    }
    event.data = data.build()
    return EventInput(event: event)
  }
}
