import Entitlements
import EventMix
import Foundation
import LedgerEvents
import LedgerStore

/// "May this account have that?", asked by the account's text on one thread, everything folded and
/// every page in memory; C asks for rows of 200 bytes by a key that it has already.
let lookupBenchmark = Benchmark(
  name: "lookup", about: "isEntitled for random accounts, everything folded, pages in memory"
) { context in
  let accounts = context.isQuick ? 10_000 : 100_000
  let lookups = context.isQuick ? 100_000 : 1_000_000
  return try context.withFolder { folder in
    let path = folder.appending(path: "ledger").path
    try fill(path, accounts: accounts)
    let lookup = try Entitlements(path: path)
    // Made in the order of asking: a server has the text of its request at hand, too.
    var random = SplitMix64(seed: 7)
    let asked = (0..<lookups).map { _ in account(Int(random.next() % UInt64(accounts))) }
    // Once through first, so that neither side pays for the first touch of a page.
    _ = try nanoseconds(lookup, asked, .product("monthly"))
    let product = try nanoseconds(lookup, asked, .product("monthly"))
    let entitlement = try nanoseconds(lookup, asked, .entitlement("pro"))
    lookup.release()
    let lines = try context.baseline.run(
      "lookup", folder.appending(path: "c").path, "\(accounts)", "\(lookups)")
    let get = time(lines, "lookup")
    let renewed = time(lines, "lookup.renewed")
    return [
      Figure(
        name: "lookup.product", unit: "ns", daybook: product, baseline: get,
        floor: .ratioAtMost(2)),
      Figure(
        name: "lookup.entitlement", unit: "ns", daybook: entitlement, baseline: get,
        floor: .ratioAtMost(2)),
      Figure(name: "lookup.product/renewed", unit: "ns", daybook: product, baseline: renewed),
    ]
  }
}

/// What one look-up of C took, in nanoseconds.
private func time(_ lines: [Baseline.Line], _ measure: String) -> Double? {
  lines.first { $0.measure == measure }?.rate.map { 1e9 / $0 }
}

/// What one question took, in nanoseconds.
private func nanoseconds(
  _ lookup: Entitlements, _ asked: [String], _ item: Item
) throws -> Double {
  var count = 0
  let time = seconds {
    for account in asked where lookup.isEntitled(account, to: item).isYes { count += 1 }
  }
  guard count == asked.count else {
    throw Baseline.Failed(description: "\(asked.count - count) customers lost \(item)")
  }
  return time / Double(asked.count) * 1e9
}

private func account(_ number: Int) -> String {
  let digits = String(number + 1, radix: 16)
  return "7dbfa8c6-5d5f-4894-affd-" + String(repeating: "0", count: 12 - digits.count) + digits
}

/// A ledger of customers with a subscription each, ten events long, everything folded.
private func fill(_ path: String, accounts: Int) throws {
  let ledger = try Ledger.create(at: path)
  var catalogue = Event(
    id: "catalogue", type: EventType(.catalogSet), occurredAt: Instant(microseconds: 0))
  var data = EventData.Builder()
  let products = #"[{"product":"monthly","kind":"autoRenewable","entitlements":["pro"]}]"#
  data.set("products", json: Array(products.utf8))
  catalogue.data = data.build()
  try ledger.appendAndWait([EventInput(event: catalogue)])
  for start in stride(from: 0, to: accounts, by: 1_000) {
    let batch = (start..<min(start + 1_000, accounts)).flatMap { life(of: $0) }
    try ledger.appendAndWait(batch, options: checked)
  }
  try ledger.fold()
}

private let steps: [EventKind] = [
  .sessionStarted, .paymentsChecked, .paymentAdded, .transactionPurchasing, .transactionPurchased,
  .receiptSubmitted, .receiptAccepted, .purchaseFulfilled, .transactionFinished,
  .transactionRemoved,
]

/// One customer's events.
private func life(of number: Int) -> [EventInput] {
  let begin = 1_700_000_000_000_000 + Int64(number) * 10_000_000
  let customer = Name(account(number))
  return steps.enumerated().map { step, kind in
    let now = Instant(microseconds: begin + Int64(step) * 1_000_000)
    var event = Event(
      id: Name("\(number)-\(step)"), type: EventType(kind), occurredAt: now,
      source: EventSource(.storekit1), app: "example.trailmaps", account: customer,
      device: Name("device-\(number)"), session: Name("session-\(number)"), sequence: Int64(step))
    var data = EventData.Builder()
    if kind == .paymentsChecked { data.set("allowed", true) }
    if step >= 2 { event.product = "monthly" }
    if step == 2 || step == 3 { event.payment = Name("payment-\(number)") }
    if step >= 4 { event.transaction = Name("\(280_000_000_000_000 + number)") }
    if kind == .transactionPurchased {
      // Beyond the day on which anybody runs this.
      data.set("expiresAt", Instant(microseconds: 4_000_000_000_000_000))
    }
    event.data = data.build()
    return EventInput(event: event)
  }
}
