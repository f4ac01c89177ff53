import LedgerEvents

/// What RevenueCat said once: a webhook, or a row of an export.
struct RevenueCatStatement {
  /// Where it stands in the file: `line 3`, `[2]`; empty for the whole file.
  let place: String
  let saidAt: Instant
  /// The environment of everything in it.
  let environment: StoreEnvironment
  /// The id of the first link between ids of the customer. It does not depend on them, because it
  /// outlives their erasure.
  let linkID: Name
  /// The ids of one customer, that of the purchase first. They are to be linked.
  var accounts: [Name] = []
  /// The purchase that it is about, in the vocabulary of signed data.
  var entry: StoreObject?
  /// Whether it states the purchase, with its price and dates, or is only about it.
  var isPurchase = false
  var transaction: Name?
  /// Whether it says which chain the purchase belongs to.
  var statesOriginal = false
  /// The events that it states beside the purchase and the links.
  var events: [Event] = []
  /// Whether the events are states that a row repeats in each export.
  var isRow = false
}

extension Event {
  /// A webhook that is kept as it is, without the ids of its customer, who was erased.
  var withoutCustomer: Event {
    guard type.kind == .notificationReceived else { return self }
    var event = self
    let ids: Set<String> = ["app_user_id", "original_app_user_id", "aliases"]
    event.data.members.removeAll { ids.contains($0.name) }
    return event
  }
}

/// A purchase as RevenueCat states it.
struct RevenueCatPurchase {
  var transaction: String
  var original: String?
  var product: String
  var purchasedAt: Instant
  var expiresAt: Instant?
  var account: Name?
  var isFamilyShared = false
  var price: String?
  var currency: String?
  var isTrial = false
  var isIntroductory = false
  var offer: String?

  /// When a failed payment, or the grace period after it, is dated: right before the end of the
  /// period. RevenueCat says when it noticed it; whatever the store says of what came after the
  /// period is then the newer fact, in whichever order files are imported, and so is a grace period
  /// after a failure. Exports leave out milliseconds.
  func date(of kind: EventKind, saidAt: Instant) -> Instant {
    guard let expiresAt else { return saidAt }
    let before: Int64 = kind == .subscriptionGracePeriodEntered ? 1 : 2
    return Instant(microseconds: max(0, min(saidAt, expiresAt.second).microseconds - before))
  }

  /// The purchase as a transaction of StoreKit 2, so that it becomes the facts that the store's own
  /// data becomes, by the same code.
  ///
  /// - Parameter path: Where it stands, for messages.
  func entry(path: String, _ pricePath: String) throws(ImportError) -> StoreObject {
    var members: [(name: String, value: JSONValue)] = [
      (name: "transactionId", value: .string(transaction)),
      (name: "productId", value: .string(product)),
      (name: "purchaseDate", value: .number(String(purchasedAt.microseconds / 1_000))),
    ]
    func add(_ name: String, _ text: String?) {
      if let text { members.append((name: name, value: .string(text))) }
    }
    add("originalTransactionId", original)
    add("appAccountToken", account?.text)
    if let expiresAt {
      let milliseconds = String(expiresAt.microseconds / 1_000)
      members.append((name: "expiresDate", value: .number(milliseconds)))
    }
    if isFamilyShared { add("inAppOwnershipType", "FAMILY_SHARED") }
    if let price, let currency {
      guard let thousandths = Self.thousandths(price) else {
        throw ImportError(
          .badValue, path: pricePath, reason: "expected a price such as 4.99, found \"\(price)\"",
          remedy: "Check that it is what RevenueCat sent, unmodified")
      }
      // A refund has a negative price, which is not what was paid.
      if thousandths >= 0 {
        add("price", String(thousandths))
        add("currency", currency)
      }
    }
    if let offer {
      add("offerType", "3")
      add("offerIdentifier", offer)
    } else if isTrial || isIntroductory {
      add("offerType", "1")
      if isTrial { add("offerDiscountType", "FREE_TRIAL") }
    }
    return try StoreObject(
      try StoreJSONReader.document(JSONValue.object(members).json), path: path, .signed)
  }

  /// The most digits before the point of a price; 12 of them are a trillion of any currency.
  private static let wholeDigitsMax = 12

  /// Returns a decimal in thousandths, rounded half up; nil if it is none. RevenueCat computes with
  /// binary fractions, so that a price can be 4.989999999999999.
  static func thousandths(_ text: String) -> Int64? {
    // Written by programs that compute with such numbers: 1e-05.
    if text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
      // `Double` reads hexadecimal digits, too.
      guard text.utf8.allSatisfy({ isDigit($0) || "+-.eE".utf8.contains($0) }),
        let value = Double(text), abs(value) < 1e12
      else { return nil }
      return Int64((value * 1_000).rounded())
    }
    var digits = text[...].utf8
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative { digits.removeFirst() }
    let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard let whole = parts.first, parts.count <= 2, (1...wholeDigitsMax).contains(whole.count),
      parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) })
    else { return nil }
    var value: Int64 = 0
    for digit in whole { value = value * 10 + Int64(digit - UInt8(ascii: "0")) }
    let fraction = (parts.count == 2 ? Array(parts[1].prefix(4)) : []) + [0x30, 0x30, 0x30, 0x30]
    for digit in fraction.prefix(4) { value = value * 10 + Int64(digit - UInt8(ascii: "0")) }
    let rounded = (value + 5) / 10
    return isNegative ? -rounded : rounded
  }
}

extension Instant {
  /// The beginning of its second.
  var second: Instant { Instant(microseconds: microseconds - microseconds % 1_000_000) }
}
