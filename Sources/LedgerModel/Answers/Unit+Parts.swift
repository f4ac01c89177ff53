package import LedgerEvents

/// The parts of one environment's answers that a fact may have changed. With them, a caller can
/// keep answers up to date fact by fact instead of asking for them as a whole.
///
/// Transactions, chains and customers are identified by their indices in the tables of one
/// environment, and the environment by its index among the unit's environments. The indices are
/// valid while the unit advances with new facts; a fold from the start assigns new ones.
package struct TouchedParts {
  /// The environment's index.
  package var environment: Int
  /// `nil` if the fact concerns no transaction.
  package var transaction: Int?
  /// The chain of the transaction, or the chain that the fact names.
  package var chain: Int?
  /// Whether the chain may now evaluate to something else.
  package var decidesChain: Bool
  package var downloads: TouchedDownloads
  /// The customer that the fact is about.
  package var holder: Int?
  /// The accounts that may have got a customer because of the fact.
  package var accounts: [NameNumber]
}

/// The downloads of a transaction that a fact may have changed.
package enum TouchedDownloads {
  case none
  case one(NameNumber, device: NameNumber)
  case all

  init(_ fact: Fact) {
    if fact.kind.isDownloadKind {
      self = .one(fact.download, device: fact.device)
    } else {
      // The queue announces downloads, and a finish cancels them.
      self = fact.kind.isTransactionKind ? .all : .none
    }
  }
}

/// A transaction as a part of answers.
package struct TransactionPart {
  package var number: NameNumber
  /// The original transaction of its chain.
  package var original: NameNumber
  package var chain: Int
  /// `nil` if nobody holds it.
  package var holder: Int?
  package var hasPurchase: Bool
}

/// The queue's last report about a product among a transaction's events.
package struct ReportPart {
  package var product: NameNumber
  /// The index of that event in the fold order.
  package var ordinal: Int
  package var isDeferred: Bool
}

/// What a chain evaluates to at a moment.
package struct ChainPart {
  /// What it grants.
  package struct Granted: Equatable {
    package var product: NameNumber
    package var state: EntitlementState
    /// In microseconds; `.max` if it has no end.
    package var end: Int64

    package init(product: NameNumber, state: EntitlementState, end: Int64) {
      self.product = product
      self.state = state
      self.end = end
    }
  }

  package var granted: Granted?
  /// In the order of the catalogue's entry.
  package var credits: [Balance]
  /// The customer who gets the credits.
  package var creditHolder: Int?
  /// The next moment at which `granted` can change without a new event; `.max` if there is none.
  package var nextChange: Int64
}

/// A grant of an operator.
package struct GrantPart {
  package var entitlement: Name?
  /// 0 if `entitlement` is set.
  package var product: NameNumber
  /// `.max` if it is open.
  package var until: Int64
}

extension Unit {
  /// Whether a fact may move what customers hold, and so change every part of the answers.
  package static func movesHoldings(_ fact: Fact) -> Bool {
    switch fact.kind {
    case .accountLinked, .accountTransferred, .accountErased: true
    default: false
    }
  }

  /// The parts that a fact may have changed. The unit must have advanced with the fact, and the
  /// fact must not move holdings.
  ///
  /// - Complexity: O(1) in what the unit keeps.
  package func parts(touchedBy fact: Fact) -> [TouchedParts] {
    if fact.kind == .unknown { return [] }
    let resolution = identity.resolved(Identity.Statement(fact))
    let decides = fact.kind.isTransactionKind || fact.kind.isSubscriptionKind
    return environments.indices.compactMap { index in
      if let only = resolution.environment, only != environments[index].environment { return nil }
      return environments[index].parts(
        touchedBy: fact, root: resolution.root, at: index, decidesChain: decides)
    }
  }

  /// The environments that the unit has parts in, in the order of their indices.
  package var partEnvironments: [StoreEnvironment] { environments.map(\.environment) }

  /// The accounts that belong to a customer, each with that customer.
  package func accountParts(in environment: Int) -> [(account: NameNumber, customer: Int)] {
    environments[environment].accounts.compactMap {
      guard let customer = $0.customer.customer else { return nil }
      return ($0.number, customer)
    }
  }

  /// The customer of an account; `nil` if it has none.
  package func customer(of account: NameNumber, in environment: Int) -> Int? {
    environments[environment].knownCustomer(of: account).customer
  }

  /// The range of the transactions' indices.
  package func transactionIndices(in environment: Int) -> Range<Int> {
    environments[environment].transactions.indices
  }

  /// A transaction; `nil` if no event has begun it.
  package func transactionPart(_ index: Int, in environment: Int) -> TransactionPart? {
    let transaction = environments[environment].transactions[index]
    guard transaction.isBegun else { return nil }
    return TransactionPart(
      number: transaction.number, original: transaction.original, chain: transaction.chain,
      holder: transaction.holder.customer,
      hasPurchase: transaction.hasPurchase)
  }

  /// The standing of a transaction that has begun, with some of its downloads.
  ///
  /// - Complexity: O(*n*) in its reports and these downloads.
  package func standing(
    ofTransaction index: Int, _ downloads: TouchedDownloads, in environment: Int
  ) -> TransactionStanding {
    environments[environment].standing(ofTransaction: index, downloads)
  }

  /// The queue's last report about each product of a transaction.
  package func reportParts(ofTransaction index: Int, in environment: Int) -> [ReportPart] {
    var found: [ReportPart] = []
    var next = environments[environment].transactions[index].firstReport
    while next != none {
      let report = environments[environment].reports[next]
      found.append(
        ReportPart(
          product: report.product, ordinal: report.ordinal, isDeferred: report.isDeferred))
      next = report.next
    }
    return found
  }

  /// The indices of a chain's transactions.
  package func members(ofChain chain: Int, in environment: Int) -> [Int] {
    Array(environments[environment].members(of: chain))
  }

  /// What a chain evaluates to at a moment.
  ///
  /// - Parameter periods: Those of the chain, which were told of every fact about its transactions
  ///   since the last call; `nil` the first time. They are brought up to date, or set to `nil` if
  ///   the chain must be evaluated as a whole.
  /// - Complexity: O(log *n*) in the transactions of a subscription for each new fact about one of
  ///   the last of them; otherwise O(*n*) in the chain's transactions.
  package func chainPart(
    _ chain: Int, in environment: Int, at moment: Int64, context: SharedContext,
    texts: any FactTexts, _ periods: inout ChainPeriods?
  ) -> ChainPart {
    environments[environment].chainPart(
      chain, at: moment, FoldContext(context: context, texts: texts), &periods)
  }

  /// What operators granted to a customer, including grants that have ended.
  package func grantParts(of customer: Int, in environment: Int) -> [GrantPart] {
    environments[environment].grants(of: Holder(customer: customer)).map {
      GrantPart(entitlement: $0.entitlement, product: $0.product, until: $0.until)
    }
  }

  /// What a customer has consumed, by unit.
  package func consumedParts(by customer: Int, in environment: Int) -> [Balance] {
    environments[environment].consumptions(of: Holder(customer: customer)).map {
      Balance(unit: $0.unit, amount: $0.amount)
    }
  }

  /// The version of a product that a customer has on a device; `nil` if there is none.
  package func installedVersion(
    of product: NameNumber, on device: NameNumber, of customer: Int, in environment: Int
  ) -> Name? {
    let index = environments[environment].content(
      of: product, on: device, heldBy: Holder(customer: customer))
    guard index != none, environments[environment].contents[index].isPresent else { return nil }
    return environments[environment].contents[index].version
  }

  /// The customers who ever installed content, with the products and devices.
  package func contentParts(
    in environment: Int
  ) -> [(customer: Int, product: NameNumber, device: NameNumber)] {
    environments[environment].contents.compactMap { content in
      content.holder.customer.map { ($0, content.product, content.device) }
    }
  }
}

extension EnvironmentState {
  fileprivate func parts(
    touchedBy fact: Fact, root: NameNumber, at index: Int, decidesChain: Bool
  ) -> TouchedParts {
    var parts = TouchedParts(
      environment: index, transaction: nil, chain: nil, decidesChain: decidesChain,
      downloads: TouchedDownloads(fact), holder: nil,
      accounts: fact.account == 0 ? [] : [fact.account])
    let transaction = root == 0 ? none : transactionIndex.lookUp(UInt64(root))
    if transaction != none, transactions[transaction].isBegun {
      parts.transaction = transaction
      parts.chain = transactions[transaction].chain
      let owner = account(of: transaction)
      if owner != 0 { parts.accounts.append(owner) }
      parts.holder = transactions[transaction].holder.customer
    } else {
      if fact.original != 0 {
        let chain = chainIndex.lookUp(UInt64(fact.original))
        parts.chain = chain == none ? nil : chain
      }
      if fact.account != 0 { parts.holder = knownCustomer(of: fact.account).customer }
    }
    return parts
  }

  fileprivate func chainPart(
    _ index: Int, at moment: Int64, _ foldContext: FoldContext, _ periods: inout ChainPeriods?
  ) -> ChainPart {
    let chain = chains[index]
    var part = ChainPart(granted: nil, credits: [], creditHolder: nil, nextChange: .max)
    guard chain.firstPurchase != none else { return part }
    let standing: Standing?
    if update(&periods, of: index, foldContext.shared), let periods {
      standing = subscriptionStanding(of: index, at: moment, periods, foldContext.texts)
      part.nextChange = periods.nextChange(after: moment)
    } else {
      standing = self.standing(of: index, at: moment, foldContext)
      part.nextChange = nextChange(of: index, after: moment, foldContext)
    }
    assert(
      standing == self.standing(of: index, at: moment, foldContext)
        && part.nextChange == nextChange(of: index, after: moment, foldContext),
      "the periods of a chain are not its own at \(moment)")
    part.granted = standing.map {
      ChainPart.Granted(product: $0.product, state: $0.state, end: $0.end)
    }
    part.credits = credits(of: index, foldContext.shared).map {
      Balance(unit: $0.unit, amount: $0.amount)
    }
    part.creditHolder = transactions[chain.firstPurchase].holder.customer
    return part
  }

  private func nextChange(
    of chain: Int, after moment: Int64, _ foldContext: FoldContext
  ) -> Int64 {
    changes(of: chain, after: moment, foldContext).min() ?? .max
  }
}
