package import LedgerEvents
package import LedgerQueries
package import StoreImport

extension KnownPurchases {
  /// What a ledger knows about a file's purchases, by environment.
  ///
  /// - Parameters:
  ///   - file: What was read of the store.
  ///   - view: What the ledger contains.
  ///   - now: The time as of which accounts are linked.
  /// - Throws: `LedgerError`: what reading the ledger throws.
  /// - Complexity: O(*n*) in the events of the chains' units, once for each chain of the file.
  package static func all(
    of file: any PurchaseImport, in view: LedgerView, now: Instant
  ) throws(LedgerError) -> [StoreEnvironment: KnownPurchases] {
    var known: [StoreEnvironment: KnownPurchases] = [:]
    for subjects in file.subjects {
      known[subjects.environment] = try KnownPurchases(of: subjects, in: view, now: now)
    }
    return known
  }

  /// What a ledger knows about the purchases of a file in one environment.
  private init(
    of receipt: ImportSubjects, in view: LedgerView, now: Instant
  ) throws(LedgerError) {
    self.init()
    for identifier in receipt.identifiers {
      recorded[identifier] = try view.event(withID: identifier)?.event
    }
    var questions = PurchaseQuestions(environment: receipt.environment, now: now)
    for purchase in receipt.purchases {
      try questions.ask(ofChain: purchase.original, view)
      try questions.ask(of: purchase.transaction, view)
    }
    upgraded = questions.upgraded
    facts = questions.facts
    statedSince = questions.statedSince
    bought = questions.bought
    transactions = try questions.transactions(named: receipt.accounts, view)
    for account in receipt.accounts { linked[account] = Set(try questions.linked(account, view)) }
    if receipt.followsTransfers {
      transfers = try questions.transfers(of: receipt.accounts, view)
    }
    for renewal in receipt.renewals {
      renewals[renewal.original] = try questions.renewals(of: renewal, view)
    }
  }
}

/// Questions to a ledger about purchases, with cached answers.
private struct PurchaseQuestions {
  let environment: StoreEnvironment
  let now: Instant
  private var entries: [Name: TransactionsAnswer.Entry] = [:]
  /// The transactions in the order in which they were found, which is that of their first events.
  private var found: [Name] = []
  private var asked: Set<Name> = []
  private var held: [Name: Set<Name>] = [:]
  /// Whether anything was linked to an account or transferred between it and another.
  private var moved: [Name: Bool] = [:]
  /// For each transaction, the first of the additional accounts that holds it.
  private var namedHolders: [Name: Name]?
  /// The accounts that events of a chain state, by original, in the order of the transactions.
  private var stated: [Name: [Name]] = [:]
  /// Transactions that the ledger knows to have ended by an upgrade.
  private(set) var upgraded: Set<Name> = []
  /// What was imported about each transaction.
  private(set) var facts: [Name: [Event]] = [:]
  /// The transactions that have a purchase fact, from whichever side.
  private(set) var bought: Set<Name> = []
  /// Since when an event of a chain states an account, by original.
  private(set) var statedSince: [Name: Instant] = [:]

  init(environment: StoreEnvironment, now: Instant) {
    self.environment = environment
    self.now = now
  }

  /// Finds the transactions of a chain, and those of their holders.
  mutating func ask(ofChain original: Name, _ view: LedgerView) throws(LedgerError) {
    guard asked.insert(original).inserted else { return }
    var names: Set<Name> = [original]
    var upgrades: Set<Name> = []
    var facts: [Event] = []
    var since: Instant?
    var accounts: Set<Name> = []
    var bought: Set<Name> = []
    var query = EventsQuery()
    query.original = original
    try view.events(query) { (recorded) throws(LedgerError) in
      if let account = recorded.event.account {
        accounts.insert(account)
        let believed = recorded.event.occurredAt.believed(recordedAt: recorded.recordedAt)
        since = min(believed, since ?? believed)
      }
      guard let name = recorded.event.transaction else { return true }
      names.insert(name)
      if recorded.event.data.boolean("isUpgraded") == true { upgrades.insert(name) }
      if Self.isImported(recorded.event) { facts.append(recorded.event) }
      if Self.purchaseKinds.contains(recorded.event.type.kind) { bought.insert(name) }
      return true
    }
    upgraded.formUnion(upgrades)
    self.bought.formUnion(bought)
    if let since, try !hasMoved(accounts, view) { statedSince[original] = since }
    for fact in facts {
      if let name = fact.transaction { self.facts[name, default: []].append(fact) }
    }
    for name in names.sorted() { try find(name, view) }
  }

  /// Whether anything was linked or transferred between accounts. An older event that names one of
  /// them could then give the chain to another customer.
  private mutating func hasMoved(
    _ accounts: Set<Name>, _ view: LedgerView
  ) throws(LedgerError) -> Bool {
    for account in accounts.sorted() {
      if let isKnown = moved[account] {
        if isKnown { return true }
        continue
      }
      var isFound = false
      var query = EventsQuery()
      query.account = account
      query.type = "account.*"
      try view.events(query) { (_) throws(LedgerError) in
        isFound = true
        return false
      }
      moved[account] = isFound
      if isFound { return true }
    }
    return false
  }

  private static let purchaseKinds: Set<EventKind> = [
    .transactionPurchased, .transactionRestored, .subscriptionRenewed,
  ]

  private static func isImported(_ event: Event) -> Bool {
    KnownPurchases.factKinds.contains(event.type.kind)
      && [EventSource(.receipt), EventSource(.notification)].contains(event.source)
  }

  /// Finds a transaction, and its chain if the ledger has the transaction in another one than the
  /// receipt.
  mutating func ask(of transaction: Name, _ view: LedgerView) throws(LedgerError) {
    try find(transaction, view)
    if let original = entries[transaction]?.originalTransaction {
      try ask(ofChain: original, view)
    }
  }

  private mutating func find(_ transaction: Name, _ view: LedgerView) throws(LedgerError) {
    guard entries[transaction] == nil else { return }
    let answer = try view.transactions(
      of: .transaction(transaction), environments: StoreEnvironment.allCases)
    for entry in answer.entries { try add(entry, view) }
  }

  private mutating func add(
    _ entry: TransactionsAnswer.Entry, _ view: LedgerView
  ) throws(LedgerError) {
    guard let name = entry.transaction, entries[name] == nil else { return }
    if entry.environment != environment {
      if try statesEnvironment(name, view) { return }
    }
    entries[name] = entry
    found.append(name)
    let original = entry.originalTransaction ?? name
    if let account = entry.account, stated[original]?.contains(account) != true {
      stated[original, default: []].append(account)
    }
  }

  /// Whether an event of a transaction states its environment. If none does, the transaction will
  /// be in the receipt's environment.
  private func statesEnvironment(
    _ transaction: Name, _ view: LedgerView
  ) throws(LedgerError) -> Bool {
    var query = EventsQuery()
    query.transaction = transaction
    var isStated = false
    try view.events(query) { (recorded) throws(LedgerError) in
      isStated = recorded.event.environment != nil
      return !isStated
    }
    return isStated
  }

  /// All transactions that were found, with their holders.
  ///
  /// - Parameter accounts: Additional accounts that may be the holder.
  mutating func transactions(
    named accounts: [Name], _ view: LedgerView
  ) throws(LedgerError) -> [KnownPurchases.Transaction] {
    var transactions: [KnownPurchases.Transaction] = []
    for name in found {
      guard let entry = entries[name] else { continue }
      transactions.append(
        KnownPurchases.Transaction(
          transaction: name, original: entry.originalTransaction ?? name,
          statedAccount: entry.account, holder: try holder(of: entry, named: accounts, view)))
    }
    return transactions
  }

  private mutating func holder(
    of entry: TransactionsAnswer.Entry, named accounts: [Name], _ view: LedgerView
  ) throws(LedgerError) -> KnownPurchases.Holder? {
    guard let name = entry.transaction else { return nil }
    let stated =
      (entry.account.map { [$0] } ?? []) + (self.stated[entry.originalTransaction ?? name] ?? [])
    var holder: Name?
    for account in stated where try holdings(of: account, view).contains(name) {
      holder = account
      break
    }
    if holder == nil { holder = try namedHolders(accounts, view)[name] }
    if let holder {
      return .customer([holder] + (try linked(holder, view)).filter { $0 != holder })
    }
    guard !stated.isEmpty else { return nil }
    // The accounts that state the transaction do not hold it: it was transferred, or its customer
    // was erased.
    for account in try receivers(from: stated, view)
    where try holdings(of: account, view).contains(name) {
      return .customer([account] + (try linked(account, view)).filter { $0 != account })
    }
    return .forgotten
  }

  /// What the additional accounts hold: looked up for all of them at once, because a file can name
  /// as many accounts as transactions.
  private mutating func namedHolders(
    _ accounts: [Name], _ view: LedgerView
  ) throws(LedgerError) -> [Name: Name] {
    if let namedHolders { return namedHolders }
    var holders: [Name: Name] = [:]
    for account in accounts {
      for name in try holdings(of: account, view) { holders[name] = holders[name] ?? account }
    }
    namedHolders = holders
    return holders
  }

  /// The transactions that an account's customer holds.
  private mutating func holdings(
    of account: Name, _ view: LedgerView
  ) throws(LedgerError) -> Set<Name> {
    if let known = held[account] { return known }
    let answer = try view.transactions(
      of: .account(account), environments: StoreEnvironment.allCases)
    let names = Set(
      answer.entries.filter { entry in
        entry.transaction.flatMap { entries[$0] }?.environment == entry.environment
      }.compactMap(\.transaction))
    held[account] = names
    return names
  }

  /// Every account to which something was transferred, among the events connected with some
  /// accounts.
  private func receivers(
    from accounts: [Name], _ view: LedgerView
  ) throws(LedgerError) -> [Name] {
    var receivers: [Name] = []
    for account in Set(accounts).sorted() {
      for recorded in try view.events(connectedWith: account, upTo: view.position)
      where recorded.event.type.kind == .accountTransferred {
        if let to = recorded.event.data.name("to"), !receivers.contains(to) {
          receivers.append(to)
        }
      }
    }
    return receivers
  }

  /// What accounts gave away, and what the receivers gave away in turn.
  func transfers(
    of accounts: [Name], _ view: LedgerView
  ) throws(LedgerError) -> [KnownPurchases.Transfer] {
    var byPosition: [UInt64: KnownPurchases.Transfer] = [:]
    var left = accounts
    var asked = Set(accounts)
    while let account = left.popLast() {
      var query = EventsQuery()
      query.account = account
      query.type = EventKind.accountTransferred.text
      try view.events(query) { (recorded) throws(LedgerError) in
        let event = recorded.event
        guard event.environment == nil || event.environment == environment,
          let from = event.account, let to = event.data.name("to")
        else { return true }
        byPosition[recorded.position] = KnownPurchases.Transfer(
          from: from, to: to, at: event.occurredAt.believed(recordedAt: recorded.recordedAt))
        if asked.insert(to).inserted { left.append(to) }
        return true
      }
    }
    return byPosition.sorted { $0.key < $1.key }.map(\.value)
  }

  /// All ids of the customer to whom an account belongs.
  func linked(_ account: Name, _ view: LedgerView) throws(LedgerError) -> [Name] {
    var ids: [Name] = []
    let environment = environment
    try view.contents(
      environments: [environment], account: account, now: now
    ) { (contents) throws(LedgerError) in
      ids = contents.customers.first?.accounts ?? []
      return false
    }
    return ids
  }
}

// MARK: - Renewals

extension PurchaseQuestions {
  /// What the ledger knows about a chain's renewals, including events that name only the period.
  func renewals(
    of renewal: ReceiptImport.Renewal, _ view: LedgerView
  ) throws(LedgerError) -> [KnownPurchases.RenewalState] {
    var byPosition: [UInt64: Event] = [:]
    var ofChain = EventsQuery()
    ofChain.original = renewal.original
    var ofPeriod = EventsQuery()
    ofPeriod.transaction = renewal.transaction
    for query in renewal.transaction == nil ? [ofChain] : [ofChain, ofPeriod] {
      var query = query
      query.type = "subscription.*"
      try view.events(query) { (recorded) throws(LedgerError) in
        let stated = recorded.event.environment
        if stated == nil || stated == environment {
          byPosition[recorded.position] = recorded.event
        }
        return true
      }
    }
    var states: [KnownPurchases.RenewalState] = []
    for (position, event) in byPosition.sorted(by: { $0.key < $1.key }) {
      states.append(
        KnownPurchases.RenewalState(event: event, saidAt: try timeSaid(event, at: position, view)))
    }
    return states
  }

  /// When the store reported an event: at the event's own time, except for the imported end of a
  /// lapsed subscription, which has the time of that end. It says itself when it was signed, or the
  /// `import.received` before it has the time of the answer.
  private func timeSaid(
    _ event: Event, at position: UInt64, _ view: LedgerView
  ) throws(LedgerError) -> Instant {
    guard event.type.kind == .subscriptionExpired else { return event.occurredAt }
    if let signedAt = event.data.instant("signedAt") { return max(signedAt, event.occurredAt) }
    guard event.source == EventSource(.receipt),
      event.data.instant("expiresAt") == event.occurredAt
    else { return event.occurredAt }
    var candidate = position
    let last = position > UInt64(batchEventsMax) ? position - UInt64(batchEventsMax) : 1
    while candidate > last {
      candidate -= 1
      let before = try view.event(at: candidate).event
      if before.type.kind == .importReceived {
        // A file of signed data has the date of its newest statement, which can be another
        // customer's.
        let format = before.data.string("format").flatMap { ImportFormat(rawValue: $0) }
        if let format, !format.isOneAnswer { return event.occurredAt }
        return max(before.occurredAt, event.occurredAt)
      }
    }
    return event.occurredAt
  }
}
