import LedgerEvents
import Testing

@testable import StoreImport

/// A customer of the store. Their receipts list the purchases so far: the fields that every list
/// has, and in each list some of the optional ones.
private struct Customer {
  struct Purchase {
    var transaction: Int
    var original: Int
    var date: Int
    var end: Int?
    var refundedAt: Int?
    var isTrial: Bool
    var quantity: Int
  }

  var purchases: [Purchase] = []
  var random: Seeded

  init(seed: UInt64) {
    random = Seeded(state: seed)
    var date = 1_700_000_000_000
    for number in 1...Int.random(in: 1...12, using: &random) {
      date += Int.random(in: 1...90_000_000, using: &random)
      let isPeriod = Bool.random(using: &random)
      let earlier = purchases.first { $0.end != nil }
      purchases.append(
        Purchase(
          transaction: number, original: isPeriod ? earlier?.transaction ?? number : number,
          date: date, end: isPeriod ? date + 3_600_000 : nil,
          refundedAt: Int.random(in: 0..<5, using: &random) == 0 ? date + 7_000 : nil,
          isTrial: isPeriod && earlier == nil,
          quantity: isPeriod ? 1 : Int.random(in: 1...3, using: &random)))
    }
  }

  /// Returns the store's answer at `moment`.
  mutating func answer(at moment: Int) -> String {
    var inApp: [String] = []
    var latest: [String] = []
    for purchase in purchases where purchase.date <= moment {
      if purchase.end == nil || Bool.random(using: &random) {
        inApp.append(entry(purchase, at: moment))
      }
      if purchase.end != nil { latest.append(entry(purchase, at: moment)) }
    }
    inApp.shuffle(using: &random)
    latest.shuffle(using: &random)
    return """
      {"status":0,"environment":"Production","receipt":{"bundle_id":"app",
       "request_date_ms":"\(moment)","in_app":[\(inApp.joined(separator: ","))]},
       "latest_receipt_info":[\(latest.joined(separator: ","))]}
      """
  }

  private mutating func entry(_ purchase: Purchase, at moment: Int) -> String {
    func ms(_ name: String, _ date: Int?, quoted: Bool) -> String? {
      date.map { quoted ? "\"\(name)_ms\":\"\($0)\"" : "\"\(name)_ms\":\($0)" }
    }
    let quoted = Bool.random(using: &random)
    // A restore appears as a date that is later than the original's.
    let isRestored = purchase.end == nil && Bool.random(using: &random)
    var members: [String?] = [
      quoted
        ? "\"transaction_id\":\"\(purchase.transaction)\""
        : "\"transaction_id\":\(purchase.transaction)",
      "\"product_id\":\"\(purchase.end == nil ? "thing" : "plus")\"",
      ms("purchase_date", isRestored ? moment : purchase.date, quoted: quoted),
      ms("original_purchase_date", purchase.date, quoted: quoted),
      ms("expires_date", purchase.end, quoted: quoted),
    ]
    if let refundedAt = purchase.refundedAt, refundedAt <= moment {
      members.append(ms("cancellation_date", refundedAt, quoted: quoted))
    }
    if purchase.transaction != purchase.original || Bool.random(using: &random) {
      members.append("\"original_transaction_id\":\"\(purchase.original)\"")
    }
    if purchase.quantity > 1 || Bool.random(using: &random) {
      members.append("\"quantity\":\"\(purchase.quantity)\"")
    }
    if Bool.random(using: &random) { members.append("\"is_trial_period\":\(purchase.isTrial)") }
    if Bool.random(using: &random) { members.append("\"in_app_ownership_type\":\"PURCHASED\"") }
    if Bool.random(using: &random) { members.append("\"subscription_group_identifier\":\"7\"") }
    return "{\(members.compactMap { $0 }.shuffled(using: &random).joined(separator: ","))}"
  }
}

@Suite("The history in a receipt") struct ReceiptHistoryTests {
  @Test(
    "receipts of one customer in any order are each purchase once",
    arguments: 1...60 as ClosedRange<UInt64>)
  func receiptsOfOneCustomerInAnyOrderAreEachPurchaseOnce(seed: UInt64) throws {
    var customer = Customer(seed: seed)
    let last = customer.purchases.map(\.date).max() ?? 0
    var answers = (0..<6).map { number in
      customer.answer(at: last - (3 - number) * 40_000_000 + 8_000)
    }
    answers.shuffle(using: &customer.random)
    var log = IdempotentLog()
    for answer in answers { _ = try log.append(try receipt(answer)) }
    let events = Array(log.events.values)
    let purchases = events.of(.transactionPurchased, .subscriptionRenewed)
    #expect(purchases.count == customer.purchases.count, "seed \(seed)")
    for purchase in customer.purchases {
      let event = purchases.first { $0.transaction?.text == String(purchase.transaction) }
      #expect(event?.occurredAt.microseconds == Int64(purchase.date) * 1_000, "seed \(seed)")
      #expect(event?.originalTransaction?.text == String(purchase.original), "seed \(seed)")
    }
    #expect(
      events.of(.transactionRefunded).count
        == customer.purchases.filter { $0.refundedAt != nil }.count, "seed \(seed)")
  }

  @Test(
    "an import cut off anywhere is whole when it is run again",
    arguments: 1...20 as ClosedRange<UInt64>)
  func anImportCutOffAnywhereIsWholeWhenItIsRunAgain(seed: UInt64) throws {
    var customer = Customer(seed: seed)
    let events = try receipt(customer.answer(at: 1_900_000_000_000))
    var once = IdempotentLog()
    _ = try once.append(events)
    for count in 0...events.count {
      var again = IdempotentLog()
      _ = try again.append(Array(events.prefix(count)))
      #expect(try again.append(events) == events.count - count, "seed \(seed)")
      #expect(Set(again.events.keys) == Set(once.events.keys), "seed \(seed)")
    }
  }
}
