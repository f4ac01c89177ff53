internal import LedgerEvents
internal import LedgerModel

/// The parts of one unit in one environment, at a moment.
struct PartSource {
  let unit: Unit
  /// The index of the environment in the unit.
  let environmentIndex: Int
  let environment: StoreEnvironment
  /// The newest event of the environment in the whole ledger.
  let moment: Int64
  let context: SharedContext
  let texts: NumberedEvents

  func chain(_ chain: Int, _ periods: inout ChainPeriods?) -> ChainPart {
    unit.chainPart(
      chain, in: environmentIndex, at: moment, context: context, texts: texts, &periods)
  }
}

/// The lines of one unit in one environment, brought up to date part by part.
struct EnvironmentLines {
  /// Who has something: a customer, or a chain with a transaction that nobody holds.
  private enum Holder: Hashable {
    case customer(Int)
    case chain(Int)
  }

  private struct Chain {
    /// Customers who hold a bought transaction of the chain.
    var customers: Set<Int> = []
    /// Whether the chain has a transaction that nobody holds.
    var isLoose = false
    var original: NameNumber = 0
    /// When the chain must be evaluated again.
    var due = Int64.max
  }

  /// A moment at which time alone changes something.
  private struct Due: Comparable {
    var moment: Int64
    var holder: Holder

    static func < (left: Self, right: Self) -> Bool { left.moment < right.moment }
  }

  private var holdings: [Holder: IncrementalHoldings] = [:]
  private var chains: [Int: Chain] = [:]
  /// Those of the subscriptions that were evaluated.
  private var periods: [Int: ChainPeriods] = [:]
  private var accounts: [Int: [NameNumber]] = [:]
  private var customers: [NameNumber: Int] = [:]
  private var grantsDue: [Int: Int64] = [:]
  private var due = Heap<Due>()

  /// The next moment at which time alone changes a line; `nil` if there is none.
  var nextDue: Int64? { due.first?.moment }

  /// Writes every line.
  ///
  /// - Complexity: O(*n* log *n*) in the size of the unit's state in the environment.
  mutating func writeAll(_ source: PartSource, _ sheet: inout LineSheet) {
    for (account, _) in source.unit.accountParts(in: source.environmentIndex) {
      note(account, source)
    }
    for index in source.unit.transactionIndices(in: source.environmentIndex) {
      _ = write(transaction: index, .all, source, &sheet)
    }
    for chain in chains.keys { write(chain: chain, source, &sheet) }
    for customer in accounts.keys {
      write(grantsOf: customer, source, &sheet)
      write(consumedBy: customer, source, &sheet)
    }
    for content in source.unit.contentParts(in: source.environmentIndex) {
      write(installed: content.product, on: content.device, of: content.customer, source, &sheet)
    }
  }

  /// Notes which transaction's period a fact can have changed, before any line is written.
  mutating func note(_ parts: TouchedParts) {
    guard let transaction = parts.transaction, let chain = parts.chain else { return }
    periods[chain]?.note(transaction)
  }

  /// Writes the lines that a fact can have changed, which was noted.
  ///
  /// - Complexity: O(*k* log *n*) in the size of the parts that it touched: a transaction's
  ///   downloads if the fact is about all of them, and a chain's transactions if it says what was
  ///   bought.
  mutating func write(
    _ parts: TouchedParts, of fact: Fact, _ source: PartSource, _ sheet: inout LineSheet
  ) {
    for account in parts.accounts { note(account, source) }
    var decidesChain = parts.decidesChain
    if let transaction = parts.transaction {
      // From here on, the payment's line is replaced by that of its transaction.
      if fact.transaction != 0 { sheet.strike(payment: fact.payment, source) }
      let hasNewHolder = write(transaction: transaction, parts.downloads, source, &sheet)
      decidesChain = decidesChain || hasNewHolder
    }
    if let chain = parts.chain, decidesChain { write(chain: chain, source, &sheet) }
    guard let customer = parts.holder else { return }
    switch fact.kind {
    case .entitlementGranted, .entitlementWithdrawn: write(grantsOf: customer, source, &sheet)
    case .consumableConsumed: write(consumedBy: customer, source, &sheet)
    case .contentInstalled, .contentRemoved:
      write(installed: fact.product, on: fact.device, of: customer, source, &sheet)
    default: break
    }
  }

  /// Writes the lines that time alone has changed by now.
  ///
  /// - Complexity: O(*k*) in the size of the changed parts.
  mutating func writeDue(_ source: PartSource, _ sheet: inout LineSheet) {
    while let first = due.first, first.moment <= source.moment {
      due.removeFirst()
      switch first.holder {
      case .chain(let chain):
        // The moment is outdated if another one has been noted since.
        guard chains[chain]?.due == first.moment else { continue }
        write(chain: chain, source, &sheet)
      case .customer(let customer):
        guard grantsDue[customer] == first.moment else { continue }
        write(grantsOf: customer, source, &sheet)
      }
    }
  }

  private mutating func note(_ account: NameNumber, _ source: PartSource) {
    guard let customer = source.unit.customer(of: account, in: source.environmentIndex),
      customers[account] != customer
    else { return }
    customers[account] = customer
    accounts[customer, default: []].append(account)
  }
}

// MARK: - Parts

extension EnvironmentLines {
  /// Writes the lines of a transaction and of some of its downloads, and returns whether its chain
  /// has a new holder.
  private mutating func write(
    transaction index: Int, _ downloads: TouchedDownloads, _ source: PartSource,
    _ sheet: inout LineSheet
  ) -> Bool {
    guard let part = source.unit.transactionPart(index, in: source.environmentIndex) else {
      return false
    }
    sheet.write(
      source.unit.standing(ofTransaction: index, downloads, in: source.environmentIndex),
      source.texts)
    let reports = source.unit.reportParts(ofTransaction: index, in: source.environmentIndex)
    let before = chains[part.chain] ?? Chain()
    var chain = before
    if let customer = part.holder {
      if part.hasPurchase { chain.customers.insert(customer) }
      note(reports, of: .customer(customer), source, &sheet)
    } else if !source.texts.isPayment(part.number) {
      chain.isLoose = true
    }
    chain.original = part.original
    chains[part.chain] = chain
    if chain.isLoose {
      // What the queue said about transactions that somebody holds counts for the chain, too.
      let members =
        before.isLoose
        ? [index] : source.unit.members(ofChain: part.chain, in: source.environmentIndex)
      for member in members {
        let reports = source.unit.reportParts(ofTransaction: member, in: source.environmentIndex)
        note(reports, of: .chain(part.chain), source, &sheet)
      }
    }
    return chain.isLoose != before.isLoose || chain.customers.count != before.customers.count
  }

  private mutating func note(
    _ reports: [ReportPart], of holder: Holder, _ source: PartSource, _ sheet: inout LineSheet
  ) {
    for report in reports where holdings[holder, default: IncrementalHoldings()].note(report) {
      write(product: report.product, of: holder, source, &sheet)
    }
  }

  private mutating func write(
    chain index: Int, _ source: PartSource, _ sheet: inout LineSheet
  ) {
    guard let chain = chains[index] else { return }
    let part = source.chain(index, &periods[index])
    var holders = chain.customers.map { Holder.customer($0) }
    if chain.isLoose { holders.append(.chain(index)) }
    for holder in holders {
      for product in holdings[holder, default: IncrementalHoldings()].set(part.granted, of: index) {
        write(product: product, of: holder, source, &sheet)
      }
    }
    var credited = part.creditHolder.map { [Holder.customer($0)] } ?? []
    if chain.isLoose { credited.append(.chain(index)) }
    for holder in credited {
      for unit in holdings[holder, default: IncrementalHoldings()].set(
        credits: part.credits, of: index)
      {
        write(balanceOf: unit, of: holder, source, &sheet)
      }
    }
    if part.nextChange != chain.due {
      chains[index]?.due = part.nextChange
      if part.nextChange != .max {
        due.insert(Due(moment: part.nextChange, holder: .chain(index)))
      }
    }
  }

  private mutating func write(
    grantsOf customer: Int, _ source: PartSource, _ sheet: inout LineSheet
  ) {
    let grants = source.unit.grantParts(of: customer, in: source.environmentIndex)
    let holder = Holder.customer(customer)
    if grants.isEmpty && holdings[holder] == nil { return }
    let changed = holdings[holder, default: IncrementalHoldings()].set(grants, at: source.moment)
    for product in changed.products { write(product: product, of: holder, source, &sheet) }
    for name in changed.entitlements { write(entitlement: name, of: holder, source, &sheet) }
    let next = grants.lazy.map(\.until).filter { $0 > source.moment }.min() ?? .max
    if next == grantsDue[customer] { return }
    grantsDue[customer] = next
    if next != .max { due.insert(Due(moment: next, holder: holder)) }
  }

  private mutating func write(
    consumedBy customer: Int, _ source: PartSource, _ sheet: inout LineSheet
  ) {
    let consumed = source.unit.consumedParts(by: customer, in: source.environmentIndex)
    let holder = Holder.customer(customer)
    if consumed.isEmpty && holdings[holder] == nil { return }
    for unit in holdings[holder, default: IncrementalHoldings()].set(consumed: consumed) {
      write(balanceOf: unit, of: holder, source, &sheet)
    }
  }

  private func write(
    installed product: NameNumber, on device: NameNumber, of customer: Int, _ source: PartSource,
    _ sheet: inout LineSheet
  ) {
    let version = source.unit.installedVersion(
      of: product, on: device, of: customer, in: source.environmentIndex)
    for account in accounts[customer] ?? [] {
      let subject = ReplaySubject(
        kind: .installed, environment: source.environment, account: source.texts.text(of: account),
        transaction: nil, device: source.texts.name(device), name: source.texts.text(of: product))
      sheet.set(version.map { ReplayStanding(text: $0.text) }, for: subject)
    }
  }
}

// MARK: - Lines of holders

extension EnvironmentLines {
  private mutating func write(
    product: NameNumber, of holder: Holder, _ source: PartSource, _ sheet: inout LineSheet
  ) {
    let name = source.texts.name(product) ?? ""
    // An operator's entitlement of that name takes precedence.
    if holdings[holder]?.end(ofEntitlement: name) != nil { return }
    let best = holdings[holder]?.best(of: product)
    write(
      best.map { ReplayStanding($0.state, end: $0.end) }, .entitlement, name, of: holder, source,
      &sheet)
  }

  private mutating func write(
    entitlement name: Name, of holder: Holder, _ source: PartSource, _ sheet: inout LineSheet
  ) {
    guard let end = holdings[holder]?.end(ofEntitlement: name) else {
      let product = source.texts.number(.product, name)
      write(product: product, of: holder, source, &sheet)
      if product == 0 { write(nil, .entitlement, name, of: holder, source, &sheet) }
      return
    }
    write(ReplayStanding(.active, end: end), .entitlement, name, of: holder, source, &sheet)
  }

  private func write(
    balanceOf unit: Name, of holder: Holder, _ source: PartSource, _ sheet: inout LineSheet
  ) {
    let amount = holdings[holder]?.balance(of: unit) ?? 0
    write(
      amount == 0 ? nil : ReplayStanding(text: "\(amount)"), .balance, unit, of: holder, source,
      &sheet)
  }

  private func write(
    _ standing: ReplayStanding?, _ kind: ReplaySubject.Kind, _ name: Name, of holder: Holder,
    _ source: PartSource, _ sheet: inout LineSheet
  ) {
    var subject = ReplaySubject(
      kind: kind, environment: source.environment, account: nil, transaction: nil, device: nil,
      name: name)
    switch holder {
    case .chain(let chain):
      subject.transaction = source.texts.text(of: chains[chain]?.original ?? 0)
      sheet.set(standing, for: subject)
    case .customer(let customer):
      for account in accounts[customer] ?? [] {
        subject.account = source.texts.text(of: account)
        sheet.set(standing, for: subject)
      }
    }
  }
}
