import LedgerEvents

/// All transactions with one original, in one environment.
struct ChainState: Sendable {
  /// `subscription.expired`: ends the periods that started before it.
  struct Lapse: Sendable {
    var occurredAt: Int64
    var end: Int64
  }

  /// A grace period, a failed or recovered billing, or an expiry. The state after the end of a
  /// period depends on these.
  struct Billing: Sendable {
    var kind: EventKind
    var occurredAt: Int64
    var graceEnd: Int64
  }

  /// An `expiresAt` in a fact that names only the chain. It applies to the last period that starts
  /// no later than the fact.
  struct FloatingExpiry: Sendable {
    var isStoreFact: Bool
    var storeTime: Int64
    var ordinal: Int
    var occurredAt: Int64
    var value: Int64
  }

  var original: NameNumber
  var firstTransaction = none
  var lastTransaction = none
  /// The transaction of the chain's first purchase fact.
  var firstPurchase = none
  var firstProduct: NameNumber = 0
  var quantity: Int64 = 1
  var hasHostedContent = false
  /// Whether a transaction began without a holder. If so, an account that is stated later changes
  /// the past.
  var hasHolderless = false
  var sharingFound = false
  /// The first finish or removal of one of its transactions; position 0 before any.
  var endedPosition: UInt64 = 0
  var endedAt: Int64 = 0
  var lapses: [Lapse] = []
  var billings: [Billing] = []
  var floating: [FloatingExpiry] = []
  /// The highest store time among dated store facts, in the order of arrival.
  var latestStoreTime: Int64 = .min

  init(original: NameNumber) { self.original = original }
}
