public import LedgerEvents
internal import LedgerModel
public import LedgerStore

/// A question about content and its updates.
public struct ContentUpdatesQuery: Sendable {
  public var environments: [StoreEnvironment]
  /// `nil` for every product.
  public var product: Name?
  /// `nil` for every device.
  public var device: Name?
  public var clocks: Clocks
  /// The moment at which ownership is judged if the clocks name none.
  public var now: Instant

  public init(
    environments: [StoreEnvironment] = [.production], product: Name? = nil, device: Name? = nil,
    clocks: Clocks = .now, now: Instant
  ) {
    self.environments = environments
    self.product = product
    self.device = device
    self.clocks = clocks
    self.now = now
  }
}

/// How many devices have which version of one product's content.
public struct ContentUpdateCounts: Sendable {
  public var environment: StoreEnvironment
  public var product: Name
  /// The version on offer.
  public var available: Name
  /// Owners' devices that have it.
  public var current = 0
  /// Owners' devices that have an older version. They must be notified.
  public var behind = 0
  /// Owners' devices to which it was announced but which never installed any version, and owners
  /// without a device that is known to have had one. They must be notified.
  public var missing = 0
  /// Owners' devices from which it was removed.
  public var removed = 0
  /// Devices of customers who have the content but don't own the product, or no longer do.
  public var notOwned = 0
}

/// A device that must be notified about content, because the store notifies nobody.
public struct ContentUpdate: Sendable {
  /// Why it must be notified.
  public enum Reason: String, Sendable {
    case behind
    case missing
  }

  public var environment: StoreEnvironment
  /// The first of the customer's linked ids.
  public var account: Name
  /// `nil` for the absent device, or if no device is known to have had the content.
  public var device: Name?
  public var product: Name
  public var installed: Name?
  public var available: Name
  public var reason: Reason
}

extension LedgerView {
  /// Who has what, what is on offer, and which devices must be notified. Reports the counts first,
  /// then each owner's device that is behind the version on offer or lacks it. Stops when `body`
  /// returns false.
  ///
  /// - Parameters:
  ///   - query: The question.
  ///   - counts: Receives the counts by environment and product, once, before the first device.
  ///   - body: Receives each device that must be notified; returns whether to continue.
  /// - Complexity: O(*n*) in the ledger's units, which are read twice, one at a time; O(*n*) in the
  ///   device's unit if a device is named. If the clocks ask about the past, the ledger's events
  ///   are folded in memory.
  /// - Throws: ``LedgerError``, and what `counts` and `body` throw.
  public func contentUpdates(
    _ query: ContentUpdatesQuery,
    counts: ([ContentUpdateCounts]) throws(LedgerError) -> Void,
    _ body: (ContentUpdate) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    let question = try UpdatesQuestion(query, self)
    guard question.isAnswerable else { return try counts([]) }
    let ledger = try pastLedger(at: query.clocks)
    let context = ledger?.context ?? context
    var tally = UpdatesTally()
    try eachUnit(for: question, of: ledger) { (unit) throws(LedgerError) in
      tally.add(unit, question, context, texts)
      return true
    }
    if question.device != nil && ledger == nil { try tally.complete(self) }
    try texts.check()
    try counts(try tally.counts(self))
    if tally.mustTell == 0 { return }
    try eachUnit(for: question, of: ledger) { (unit) throws(LedgerError) in
      for held in question.held(by: unit, context, texts) {
        guard let offer = tally.offer(of: held.observed),
          let reason = held.sort.standing(offer).reason
        else { continue }
        let update = ContentUpdate(
          environment: held.environment, account: try text(of: held.account),
          device: try text(held.device), product: try text(of: held.product),
          installed: held.phase == .installed ? held.version : nil, available: offer,
          reason: reason)
        if try !body(update) { return false }
      }
      return true
    }
    try texts.check()
  }

  private func eachUnit(
    for question: UpdatesQuestion, of ledger: InMemoryLedger?,
    _ body: (Unit) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    guard ledger == nil, let device = question.device else {
      return try eachUnit(of: ledger, body)
    }
    if let unit = try unit(of: device) { _ = try body(unit) }
  }
}

/// The query with numbers in place of names.
private struct UpdatesQuestion {
  let environments: [StoreEnvironment]
  let product: NameNumber?
  let device: NameNumber?
  let moment: Int64
  let isExact: Bool
  /// Whether the ledger knows every name in the query.
  let isAnswerable: Bool

  init(_ query: ContentUpdatesQuery, _ view: LedgerView) throws(LedgerError) {
    environments = query.environments
    product = try query.product.flatMap { (name) throws(LedgerError) in
      try view.number(of: .product, name)
    }
    device = try query.device.flatMap { (name) throws(LedgerError) in
      try view.number(of: .device, name)
    }
    isAnswerable =
      (product != nil || query.product == nil) && (device != nil || query.device == nil)
    moment = (query.clocks.at ?? query.now).microseconds
    isExact = query.clocks.at != nil
  }

  func held(
    by unit: Unit, _ context: SharedContext, _ texts: LogTexts
  ) -> [HeldContent] {
    var all: [HeldContent] = []
    for environment in environments {
      all += unit.heldContents(
        in: environment, at: moment, isExact: isExact, context: context, texts: texts)
    }
    if product == nil && device == nil { return all }
    return all.filter {
      (product == nil || $0.product == product) && (device == nil || $0.device == device)
    }
  }
}

/// What all units hold, counted by version, because the version on offer is known only at the end.
private struct UpdatesTally {
  private var observations: [Unit.ObservedProduct: VersionObservation] = [:]
  private var counts: [Unit.ObservedProduct: [ContentSort: Int]] = [:]
  /// How many devices must be notified; valid after `counts(_:)`.
  private(set) var mustTell = 0

  mutating func add(
    _ unit: Unit, _ question: UpdatesQuestion, _ context: SharedContext, _ texts: LogTexts
  ) {
    for environment in question.environments {
      unit.namedVersions(in: environment) { named in
        note(named, .init(environment: environment, product: named.product), texts)
      }
    }
    for held in question.held(by: unit, context, texts) {
      counts[held.observed, default: [:]][held.sort, default: 0] += 1
    }
  }

  /// The version on offer, after all units have been added.
  func offer(of product: Unit.ObservedProduct) -> Name? { observations[product]?.version }

  private mutating func note(
    _ named: VersionObservation, _ product: Unit.ObservedProduct, _ texts: LogTexts
  ) {
    if let known = observations[product], !named.isOffered(over: known, texts) { return }
    observations[product] = named
  }

  /// Asks all units for the versions on offer of the content on one device.
  mutating func complete(_ view: LedgerView) throws(LedgerError) {
    for product in counts.keys {
      if let named = try view.observed(product).onOffer(view.texts) {
        note(named, product, view.texts)
      }
    }
  }

  mutating func counts(_ view: LedgerView) throws(LedgerError) -> [ContentUpdateCounts] {
    var all: [ContentUpdateCounts] = []
    for (product, sorts) in counts {
      guard let offer = offer(of: product) else { continue }
      var count = ContentUpdateCounts(
        environment: product.environment, product: try view.text(of: product.product),
        available: offer)
      for (sort, number) in sorts {
        switch sort.standing(offer) {
        case .current: count.current += number
        case .behind: count.behind += number
        case .missing: count.missing += number
        case .removed: count.removed += number
        case .notOwned: count.notOwned += number
        case .nothing: break
        }
      }
      mustTell += count.behind + count.missing
      all.append(count)
    }
    return all.sorted { ($0.environment, $0.product) < ($1.environment, $1.product) }
  }
}

extension HeldContent {
  fileprivate var observed: Unit.ObservedProduct {
    Unit.ObservedProduct(environment: environment, product: product)
  }

  fileprivate var sort: ContentSort {
    ContentSort(version: version, phase: phase, isEntitled: isEntitled)
  }
}

/// What a device has of a product, as far as it matters for the counts.
private struct ContentSort: Hashable {
  enum Standing {
    case current, behind, missing, removed, notOwned, nothing

    /// Why the device must be notified; `nil` if it need not be.
    var reason: ContentUpdate.Reason? {
      switch self {
      case .behind: .behind
      case .missing: .missing
      case .current, .removed, .notOwned, .nothing: nil
      }
    }
  }

  var version: Name?
  var phase: HeldContent.Phase
  var isEntitled: Bool

  func standing(_ offer: Name) -> Standing {
    guard isEntitled else { return phase == .installed ? .notOwned : .nothing }
    switch phase {
    case .installed:
      return version.map { VersionOrder.compare($0, offer) < 0 } ?? true ? .behind : .current
    case .removed: return .removed
    case .announced, .nowhere: return .missing
    }
  }
}
