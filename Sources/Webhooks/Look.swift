internal import LedgerEvents
internal import LedgerModel
internal import LedgerQueries
internal import LedgerStore

/// What is to be looked at in one step.
struct LookRequest {
  /// What was told last; nil before anything was.
  var progress: TellingProgress?
  /// The position after which the first webhook tells events, if nothing was told yet; nil for the
  /// present one.
  var start: UInt64?
  /// Accounts whose answers may have changed because time has passed.
  var due: [NameNumber]
  /// Which types of events somebody is told.
  var wantsEvent: (String) -> Bool
  var wantsFindings: Bool
  /// Whether anybody is told only of some products. To find that of an event which states none, its
  /// customer's unit is read.
  var wantsProducts: Bool
  /// The present moment, taken before the look, so that every event recorded before it is seen.
  var now: Int64
}

/// What one look at the projections has found, as plain values.
struct Look {
  /// A customer's unit that an event has touched, or that a walk has reached.
  struct Group {
    /// The newest event of the unit; nil if only time has passed. What the answers say rests on it,
    /// also if it comes after those that the look has read.
    var last: UInt64?
    var accounts: [(number: NameNumber, answer: FoldedAnswer)]
    /// nil if nobody wants findings.
    var findings: [Finding]?
    /// The products of the findings, by their numbers.
    var products: [NameNumber: Name] = [:]
    /// The names by which findings of the unit were noted.
    var anchors: Set<NameNumber>
  }

  /// An event that somebody is told, and whom it is about.
  struct Event {
    var position: UInt64
    var type: String
    /// nil if it counts in every environment.
    var environment: StoreEnvironment?
    /// That of its transaction if the event itself states none.
    var product: Name?
    /// The accounts; the transaction, its original or the device if there is none.
    var customers: [(number: NameNumber, isAccount: Bool)]
    /// What else it names that belongs to somebody: transactions; if it is about nobody, what its
    /// customer may be found by.
    var others: [NameNumber]
  }

  /// The position, its root and the generation of the projections.
  var position: UInt64
  var root: [UInt8]
  var generation: UInt64
  /// The last event that was looked at; less than ``position`` if there were too many.
  var through: UInt64
  /// The root of the log at ``through``.
  var rootThrough: [UInt8]
  /// The root of the log at the position of the progress; nil if the log is shorter.
  var rootBefore: [UInt8]?
  /// The moment at which answers are judged.
  var at: Int64
  /// Whether the log has events that are not folded.
  var isBehind = false
  var events: [Event] = []
  var groups: [Group] = []
  /// The last event that changes the answers of customers whom it does not name.
  var lastForAll: UInt64?
  /// The unit after the last one that a walk has reached; nil after the last of all.
  var nextUnit: UnitNumber?

  /// How many events one look takes in.
  static let eventsMax: UInt64 = 2_000
  /// How many units a walk takes in.
  static let unitsMax = 500
  /// How far the clock may go back, in microseconds, before what it has told is told anew: a
  /// machine that starts with a wrong clock must not end all subscriptions for good.
  static let clockErrorMax = Instant.hour

  init(
    position: UInt64, root: [UInt8], generation: UInt64, through: UInt64, rootBefore: [UInt8]?,
    at: Int64
  ) {
    (self.position, self.root, self.generation) = (position, root, generation)
    (self.through, self.rootBefore, self.at) = (through, rootBefore, at)
    rootThrough = root
  }
}

/// Looks at the projections for what has changed since the last time.
struct Looker {
  private let request: LookRequest
  private var look: Look
  private var units: [UnitNumber] = []
  private var anchors: [UnitNumber: Set<NameNumber>] = [:]

  private init(_ request: LookRequest, _ look: Look) {
    (self.request, self.look) = (request, look)
  }

  /// Looks once.
  ///
  /// - Complexity: O(*k*) in the events since the last look and in the accounts and products of the
  ///   units that they touch.
  static func look(_ request: LookRequest, _ view: FoldedView) throws(LedgerError) -> Look {
    let known = request.progress?.position ?? min(request.start ?? .max, view.position)
    // Answers are true of the folded events. If there are later ones, time has not passed further
    // than the last folded one: a renewal may be among the others.
    var at = request.now
    if view.position < view.log.lastPosition {
      at =
        view.position == 0
        ? .min : min(at, try view.log.record(at: view.position).recordedAt.microseconds)
    }
    if let told = request.progress?.at, told <= request.now + Look.clockErrorMax {
      at = max(at, told)
    }
    var looker = Looker(
      request,
      Look(
        position: view.position, root: view.root, generation: view.generation, through: known,
        rootBefore: known <= view.log.lastPosition ? try view.log.root(at: known).bytes : nil,
        at: at))
    looker.look.isBehind = view.position < view.log.lastPosition
    guard let progress = request.progress, looker.look.isContinued(progress) else {
      return looker.look
    }
    if let walk = progress.walk {
      try looker.walk(from: walk.next, view)
    } else {
      try looker.readEvents(after: progress.position, view)
      try looker.readDue(view)
    }
    try looker.readGroups(view)
    return looker.look
  }

  // MARK: - What is touched

  private mutating func readEvents(
    after position: UInt64, _ view: FoldedView
  ) throws(LedgerError) {
    guard view.position > position else { return }
    look.through = min(view.position, position + Look.eventsMax)
    look.rootThrough =
      look.through == view.position ? view.root : try view.log.root(at: look.through).bytes
    for position in position + 1...look.through {
      let fact = try view.fact(at: position)
      if fact.concernsAll { look.lastForAll = position }
      let names = [
        fact.account, fact.transaction, fact.original, fact.device, fact.payment, fact.session,
        fact.download,
      ].filter { $0 != 0 }
      let others = fact.isBetweenAccounts ? [fact.detail?.fields.to ?? 0] : []
      for name in names + others.filter({ $0 != 0 }) {
        if let unit = try view.unit(of: name) { touch(unit, names) }
      }
      try readEvent(fact, others, view)
    }
  }

  private mutating func touch(_ unit: UnitNumber, _ names: [NameNumber]) {
    if anchors[unit] == nil { units.append(unit) }
    anchors[unit, default: []].formUnion(names)
  }

  /// Notes an event that somebody is told.
  private mutating func readEvent(
    _ fact: Fact, _ others: [NameNumber], _ view: FoldedView
  ) throws(LedgerError) {
    // Types of no vocabulary are only known by their text.
    let type =
      fact.kind == .unknown
      ? try view.log.event(at: fact.position).event.type.text : fact.kind.text
    guard request.wantsEvent(type) else { return }
    var accounts = [fact.account] + others
    var product = fact.product
    let isOfNobody = accounts.allSatisfy { $0 == 0 }
    if isOfNobody || (product == 0 && request.wantsProducts),
      let unit = try unit(ofTransactionOf: fact, view)
    {
      let environment = fact.environment ?? .production
      if isOfNobody {
        accounts = unit.accounts(
          of: fact.transaction != 0 ? .transaction(fact.transaction) : .original(fact.original),
          environments: EnvironmentSet(environment))
      }
      for number in [fact.transaction, fact.original] where number != 0 && product == 0 {
        product = unit.product(ofTransaction: number, in: environment)
      }
    }
    var customers = accounts.filter { $0 != 0 }.map { (number: $0, isAccount: true) }
    var named = [fact.transaction, fact.original]
    if customers.isEmpty {
      let names = [fact.transaction, fact.original, fact.device]
      let name = names.first { $0 != 0 } ?? 0
      customers = [(name, false)]
      if name == 0 { named = [fact.payment, fact.download, fact.session] }
    }
    look.events.append(
      Look.Event(
        position: fact.position, type: type,
        environment: fact.environment
          ?? (fact.kind.countsInEveryEnvironment ? nil : .production),
        product: product == 0 ? nil : view.texts.text(of: product),
        customers: customers, others: named.filter { $0 != 0 }))
  }

  /// The unit that knows what an event does not say of its transaction; nil if it is of none.
  private func unit(
    ofTransactionOf fact: Fact, _ view: FoldedView
  ) throws(LedgerError) -> Unit? {
    let name = fact.transaction != 0 ? fact.transaction : fact.original
    guard name != 0, let unit = try view.unit(of: name) else { return nil }
    return try view.state(of: unit)
  }

  private mutating func readDue(_ view: FoldedView) throws(LedgerError) {
    var accounts: [(number: NameNumber, answer: FoldedAnswer)] = []
    for account in request.due {
      accounts.append((account, try view.answer(of: account, at: look.at)))
    }
    if !accounts.isEmpty {
      look.groups.append(Look.Group(last: nil, accounts: accounts, findings: nil, anchors: []))
    }
  }

  private mutating func walk(
    from first: UnitNumber, _ view: FoldedView
  ) throws(LedgerError) {
    units = try view.units(from: first, atMost: Look.unitsMax)
    look.nextUnit = units.count < Look.unitsMax ? nil : units.last.map { $0 + 1 }
  }

  // MARK: - What is true of it

  private mutating func readGroups(_ view: FoldedView) throws(LedgerError) {
    for unit in units {
      guard let roster = try view.roster(of: unit) else { continue }
      var accounts: [(number: NameNumber, answer: FoldedAnswer)] = []
      for account in roster.accounts {
        accounts.append((account, try view.answer(of: account, at: look.at)))
      }
      let told = roster.findings.filter { !MessageType.isNeverTold($0.rule) }
      var products: [NameNumber: Name] = [:]
      for finding in told where request.wantsFindings && finding.product != 0 {
        products[finding.product] = view.texts.text(of: finding.product)
      }
      look.groups.append(
        Look.Group(
          last: roster.lastPosition, accounts: accounts,
          findings: request.wantsFindings ? told : nil, products: products,
          anchors: Set(roster.accounts + roster.devices + told.map(\.anchor))
            .union(anchors[unit] ?? [])))
    }
  }
}

extension Look {
  /// Whether the ledger is the one that was told, some events and some time later, folded by the
  /// same rules.
  func isContinued(_ progress: TellingProgress) -> Bool {
    progress.at <= at && progress.generation == generation && progress.position <= position
      && rootBefore == progress.root
  }
}

extension Fact {
  /// Whether it changes what customers have whom it does not name.
  fileprivate var concernsAll: Bool { kind == .catalogSet }

  fileprivate var isBetweenAccounts: Bool { kind == .accountLinked || kind == .accountTransferred }
}

extension Finding {
  /// The name by which it is noted: it does not change when an owner becomes known.
  var anchor: NameNumber {
    [device, transaction, account, product, download].first { $0 != 0 } ?? 0
  }
}
