import LedgerEvents

/// One transaction in one environment: what its events state, and what the sweep derives.
final class Transaction {
  let key: TransactionKey
  var events: [Seen] = []
  /// The first account that an event of it states.
  var account: Name?
  var product: Name?
  var statedOriginal: Name?
  var purchaseFacts: [Seen] = []
  unowned var chain: Chain

  /// The holder at this point of the sweep, as an account of the customer; nil for none.
  var holder: Name?
  var hasBegun = false
  /// The receivers of the transfers that moved it.
  var movedTo: [Name] = []
  var queue = QueueState()

  init(key: TransactionKey, chain: Chain) {
    self.key = key
    self.chain = chain
  }
}

/// All transactions with one original.
final class Chain {
  let key: TransactionKey
  /// The transactions, by first event.
  var transactions: [Transaction] = []
  /// The facts of `subscription.*` that name only the original transaction.
  var loose: [Seen] = []
  var wasShared = false

  init(key: TransactionKey) { self.key = key }

  /// All events of the chain, in the fold order.
  var events: [Seen] {
    (transactions.flatMap(\.events) + loose).sorted { $0.index < $1.index }
  }

  var firstPurchaseFact: Seen? {
    transactions.compactMap(\.purchaseFacts.first).min { $0.index < $1.index }
  }
}

/// One environment's events, arranged into transactions and chains.
final class World {
  let environment: StoreEnvironment
  let events: [Seen]
  let catalogue: Catalogue
  private(set) var transactions: [Transaction] = []
  private(set) var chains: [Chain] = []

  deinit { for seen in events { seen.transaction = nil } }

  init(_ environment: StoreEnvironment, _ arrangement: Arrangement) {
    self.environment = environment
    var events: [Seen] = []
    for seen in arrangement.events {
      guard let own = arrangement.environment(of: seen) else {
        events.append(Seen(copyOf: seen))
        continue
      }
      if own == environment { events.append(seen) }
    }
    for (index, seen) in events.enumerated() { seen.index = index }
    self.events = events
    catalogue = Catalogue(events)
    arrange(arrangement)
  }

  private func arrange(_ arrangement: Arrangement) {
    var order: [TransactionKey] = []
    var grouped: [TransactionKey: [Seen]] = [:]
    for seen in events where seen.kind != .unknown {
      guard let key = arrangement.key(of: seen) else { continue }
      if grouped[key] == nil { order.append(key) }
      grouped[key, default: []].append(seen)
    }
    var chainByKey: [TransactionKey: Chain] = [:]
    func chain(_ key: TransactionKey) -> Chain {
      if let known = chainByKey[key] { return known }
      let made = Chain(key: key)
      chainByKey[key] = made
      chains.append(made)
      return made
    }
    for key in order {
      let events = grouped[key] ?? []
      let original = events.lazy.compactMap(\.event.originalTransaction).first
      let chain = chain(original.map { .named($0) } ?? key)
      let transaction = Transaction(key: key, chain: chain)
      transaction.events = events
      transaction.account = events.lazy.compactMap(\.event.account).first
      transaction.product = events.lazy.compactMap(\.event.product).first
      transaction.statedOriginal = original
      transaction.purchaseFacts = events.filter(\.isPurchaseFact)
      for seen in events { seen.transaction = transaction }
      chain.transactions.append(transaction)
      transactions.append(transaction)
    }
    for seen in events where seen.isOfSubscriptions && seen.transaction == nil {
      guard let original = seen.event.originalTransaction else { continue }
      chain(.named(original)).loose.append(seen)
    }
  }

  /// Returns the chain of an event, by its transaction or by the original transaction that it
  /// names.
  func chain(of seen: Seen) -> TransactionKey? {
    if let transaction = seen.transaction { return transaction.chain.key }
    return seen.event.originalTransaction.map { .named($0) }
  }

  /// Returns the product that an event is about.
  func product(of seen: Seen) -> Name? { seen.event.product ?? seen.transaction?.product }
}
