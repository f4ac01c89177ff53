package import Foundation
package import LedgerEvents
package import LedgerModel

/// Computes the postings of transactions from the events alone, in another way than the ledger:
/// with dictionaries of texts, over all events at once, in `Decimal`.
package struct PostingOracle {
  package struct Entry: Hashable, CustomStringConvertible {
    package var kind: Posting.Kind
    package var environment: StoreEnvironment
    package var transaction: Name
    package var position: UInt64
    package var product: Name?
    package var account: Name?
    package var quantity: Int64
    package var currency: Name?
    package var amount: Decimal?

    package init(
      kind: Posting.Kind, environment: StoreEnvironment, transaction: Name, position: UInt64,
      product: Name?, account: Name?, quantity: Int64, currency: Name?, amount: Decimal?
    ) {
      self.kind = kind
      self.environment = environment
      self.transaction = transaction
      self.position = position
      self.product = product
      self.account = account
      self.quantity = quantity
      self.currency = currency
      self.amount = amount
    }

    package var description: String {
      "\(kind.text) \(transaction) in \(environment.text) at \(position): \(quantity) "
        + "\(amount.map { "\($0)" } ?? "-") \(currency.map(\.text) ?? "-") of "
        + "\(product.map(\.text) ?? "-") by \(account.map(\.text) ?? "-")"
    }
  }

  private struct Key: Hashable {
    var environment: StoreEnvironment
    var transaction: Name
  }

  private static let stores: Set<String> = ["notification", "receipt", "server"]
  private static let sales: Set<EventKind> = [.transactionPurchased, .subscriptionRenewed]
  private static let reversals: Set<EventKind> = [
    .transactionRefunded, .transactionRefundReversed, .transactionRevoked,
  ]

  private let events: [RecordedEvent]
  private var transactionOfPayment: [Name: Name] = [:]
  private var environments: [String: StoreEnvironment] = [:]

  /// - Parameter events: The events, in any order.
  package init(_ events: [RecordedEvent]) {
    self.events = events.sorted { EventFoldKey($0) < EventFoldKey($1) }
    for recorded in self.events {
      let event = recorded.event
      guard let payment = event.payment, let transaction = event.transaction,
        event.type.kind != .unknown, transactionOfPayment[payment] == nil
      else { continue }
      transactionOfPayment[payment] = transaction
    }
    for recorded in self.events {
      guard let stated = recorded.event.environment, let root = root(recorded.event) else {
        continue
      }
      environments[root] = environments[root] ?? stated
    }
  }

  private func root(_ event: Event) -> String? {
    if let transaction = event.transaction { return "t" + transaction.text }
    guard let payment = event.payment else { return nil }
    return transactionOfPayment[payment].map { "t" + $0.text } ?? "p" + payment.text
  }

  /// All postings, in no particular order.
  package var entries: Set<Entry> {
    var byTransaction: [Key: [RecordedEvent]] = [:]
    for recorded in events where recorded.event.type.kind != .unknown {
      let event = recorded.event
      guard let root = root(event), root.first == "t" else { continue }
      let environment = event.environment ?? environments[root] ?? .production
      let key = Key(environment: environment, transaction: Name(String(root.dropFirst())))
      byTransaction[key, default: []].append(recorded)
    }
    return Set(byTransaction.flatMap { entries(of: $0, $1) })
  }

  private func entries(of key: Key, _ all: [RecordedEvent]) -> [Entry] {
    let indices = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1.position, $0) })
    func isOlder(_ left: RecordedEvent, _ right: RecordedEvent) -> Bool {
      let (one, other) = (storeTime(left), storeTime(right))
      if one != other { return one < other }
      return indices[left.position] ?? 0 < indices[right.position] ?? 0
    }
    let sold = all.filter { Self.sales.contains($0.event.type.kind) }
    let newestFirst =
      sold.filter(isStoreFact).sorted { isOlder($1, $0) }
      + sold.filter { !isStoreFact($0) }.reversed()
    func stated(_ name: String) -> RecordedEvent? {
      newestFirst.first { $0.event.data[name] != nil }
    }
    let priced = stated("price")
    let isShared = stated("ownership")?.event.data.string("ownership") == "familyShared"
    let price =
      isShared ? nil : priced.flatMap { Decimal(string: $0.event.data.string("price") ?? "") }
    func entry(_ kind: Posting.Kind, _ recorded: RecordedEvent, _ percent: Decimal?) -> Entry {
      Entry(
        kind: kind, environment: key.environment, transaction: key.transaction,
        position: recorded.position,
        product: newestFirst.first.map(\.event.product)
          ?? all.lazy.compactMap(\.event.product).first,
        account: all.lazy.compactMap(\.event.account).first,
        quantity: stated("quantity")?.event.data.integer("quantity") ?? 1,
        currency: price == nil ? nil : priced?.event.data.name("currency"),
        amount: percent.flatMap { share in price.map { $0 * share / 100 } })
    }
    var found = newestFirst.first.map { [entry(.sale, $0, 100)] } ?? []
    let reversed = all.filter { Self.reversals.contains($0.event.type.kind) }.sorted(by: isOlder)
    var taken = Decimal(0)
    for (index, recorded) in reversed.enumerated() {
      let kind = recorded.event.type.kind
      if kind == .transactionRefunded {
        taken = Decimal(recorded.event.data.double("percent") ?? 100)
      }
      if index + 1 < reversed.count, reversed[index + 1].event.type.kind == kind { continue }
      switch kind {
      case .transactionRefunded: found.append(entry(.refund, recorded, taken))
      case .transactionRefundReversed:
        found.append(entry(.refundReversal, recorded, taken))
        taken = 0
      default: found.append(entry(.revocation, recorded, nil))
      }
    }
    return found
  }

  private func storeTime(_ recorded: RecordedEvent) -> Instant {
    recorded.event.data.instant("signedAt") ?? EventFoldKey(recorded).time
  }

  private func isStoreFact(_ recorded: RecordedEvent) -> Bool {
    recorded.event.data["signedAt"] != nil
      || Self.stores.contains(recorded.event.source?.text ?? "")
  }
}
