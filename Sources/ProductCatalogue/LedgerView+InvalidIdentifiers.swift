internal import LedgerEvents
internal import LedgerModel
public import LedgerQueries

extension LedgerView {
  /// The identifiers that an environment's store did not know with their likely explanations, the
  /// responses that knew none at all, and the requests that failed.
  ///
  /// - Parameter query: Its `storefront` is ignored, because a response that knows no product
  ///   states none.
  /// - Complexity: O(*n*) in the positions, one byte of each; O(*i* · *p*) in the invalid
  ///   identifiers and the known products.
  /// - Throws: ``LedgerError``.
  public func invalidIdentifiers(_ query: CatalogueQuery) throws(LedgerError) -> InvalidReport {
    var tally = InvalidTally(environment: query.environment)
    try responses(in: nil, app: query.app, clocks: query.clocks) { tally.add($0) }
    var seller: Set<Name> = []
    for entry in try catalogue(
      in: query.environment, app: query.app, clocks: query.clocks, now: query.now)
    {
      seller.insert(entry.product)
    }
    var failures = FailureTally()
    try events(ofKinds: [.catalogFailed], clocks: query.clocks) { recorded, foldKey in
      let event = recorded.event
      if event.environment == nil || event.environment == query.environment,
        query.app == nil || event.app == nil || event.app == query.app
      {
        failures.add(event, foldKey)
      }
      return true
    }
    return InvalidReport(
      responses: tally.responses,
      identifiers: tally.identifiers(knownToSeller: seller).filter {
        query.product == nil || $0.identifier == query.product
      },
      allInvalid: tally.allInvalid, failures: failures.sorted)
  }
}

/// Counts what responses say about identifiers.
private struct InvalidTally {
  private struct Refusals {
    var responses = 0
    var devices: Set<Name?> = []
    var first: EventFoldKey
    var last: EventFoldKey
  }

  private struct Sale {
    var foldKey: EventFoldKey
    var storefront: Storefront?
  }

  let environment: StoreEnvironment
  private(set) var responses = 0
  private var refusals: [Name: Refusals] = [:]
  /// Responses that knew none of the requested products.
  private var whole: Refusals?
  /// The newest sale of each product in this environment.
  private var sales: [Name: Sale] = [:]
  /// Other environments that have sold a product.
  private var elsewhere: [Name: Set<StoreEnvironment>] = [:]
  /// The newest response in this environment that knew a product.
  private var newestSale: EventFoldKey?

  init(environment: StoreEnvironment) { self.environment = environment }

  mutating func add(_ response: StoreResponse) {
    for offered in response.offered {
      if let stated = response.environment, stated != environment {
        elsewhere[offered.product, default: []].insert(stated)
      } else if sales[offered.product].map({ $0.foldKey < response.foldKey }) ?? true {
        sales[offered.product] = Sale(
          foldKey: response.foldKey, storefront: offered.storefront ?? response.storefront)
      }
    }
    guard response.environment == nil || response.environment == environment else { return }
    responses += 1
    if !response.offered.isEmpty, newestSale.map({ $0 < response.foldKey }) ?? true {
      newestSale = response.foldKey
    }
    for identifier in response.invalid {
      refusals[identifier] = Self.adding(response, to: refusals[identifier])
    }
    if response.refusesAll { whole = Self.adding(response, to: whole) }
  }

  private static func adding(_ response: StoreResponse, to known: Refusals?) -> Refusals {
    var refusals = known ?? Refusals(first: response.foldKey, last: response.foldKey)
    refusals.responses += 1
    refusals.devices.insert(response.device)
    refusals.first = min(refusals.first, response.foldKey)
    refusals.last = max(refusals.last, response.foldKey)
    return refusals
  }

  var allInvalid: InvalidReport.AllInvalid? {
    whole.map { whole in
      InvalidReport.AllInvalid(
        responses: whole.responses, devices: whole.devices.count, lastSeen: whole.last.time,
        position: whole.last.position,
        settledAt: newestSale.flatMap { $0 > whole.last ? $0.time : nil })
    }
  }

  func identifiers(knownToSeller seller: Set<Name>) -> [InvalidIdentifier] {
    let known = seller.union(sales.keys).union(elsewhere.keys)
    let likeness = IdentifierLikeness(known: known.sorted())
    return refusals.keys.sorted().compactMap { identifier in
      refusals[identifier].map { refusals in
        InvalidIdentifier(
          identifier: identifier, responses: refusals.responses, devices: refusals.devices.count,
          firstSeen: refusals.first.time, lastSeen: refusals.last.time,
          position: refusals.last.position,
          hints: hints(for: identifier, isOfSeller: seller.contains(identifier), likeness))
      }
    }
  }

  private func hints(
    for identifier: Name, isOfSeller: Bool, _ likeness: IdentifierLikeness
  ) -> [InvalidHint] {
    var hints: [InvalidHint] = []
    if let sale = sales[identifier] {
      hints.append(
        .soldElsewhere(sale.storefront, sale.foldKey.time, position: sale.foldKey.position))
    } else if let environments = elsewhere[identifier] {
      hints.append(.notYetApproved(environments.sorted()))
    } else if isOfSeller {
      hints.append(.neverSold)
    } else if let hint = likeness.hint(for: identifier) {
      hints.append(hint)
    }
    return hints
  }
}

/// Counts failed requests by their error.
private struct FailureTally {
  private struct Sort: Hashable {
    var domain: String?
    var code: Int64?
  }

  private struct Known {
    var failure: InvalidReport.Failure
    var devices: Set<Name?> = []
    /// The newest failure, and the newest one with a message, in the fold order.
    var last: EventFoldKey
    var message: EventFoldKey?
  }

  private var failures: [Sort: Known] = [:]

  mutating func add(_ event: Event, _ foldKey: EventFoldKey) {
    let error = event.data.value("error")
    let sort = Sort(domain: error?["domain"]?.string, code: error?["code"]?.integer)
    let failure = InvalidReport.Failure(
      domain: sort.domain, code: sort.code, message: nil, requests: 0, devices: 0,
      lastSeen: foldKey.time, position: foldKey.position)
    var known = failures.removeValue(forKey: sort) ?? Known(failure: failure, last: foldKey)
    known.devices.insert(event.device)
    known.failure.requests += 1
    known.failure.devices = known.devices.count
    if known.last < foldKey {
      known.last = foldKey
      known.failure.lastSeen = foldKey.time
      known.failure.position = foldKey.position
    }
    if let message = error?["message"]?.string, known.message.map({ $0 < foldKey }) ?? true {
      known.message = foldKey
      known.failure.message = message
    }
    failures[sort] = known
  }

  var sorted: [InvalidReport.Failure] {
    failures.values.map(\.failure).sorted {
      ($1.requests, $0.position) < ($0.requests, $1.position)
    }
  }
}
