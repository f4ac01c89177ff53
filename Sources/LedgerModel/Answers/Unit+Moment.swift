public import LedgerEvents

extension Unit {
  /// The rules that the unit's events broke, in the order in which the fold finds them, with
  /// `arrived-late` last, in the order of arrival. Findings that are judged over all units
  /// (versions, digests) and those that hold at a moment are not included.
  public var findings: [Finding] {
    var all: [Finding] = []
    for index in environments.indices {
      all += environments[index].findings
      all += environments[index].lateFindings
    }
    return all
  }

  /// The rules of the second table that hold at a moment in one environment.
  ///
  /// `isInstalledByNobody` says whether any unit of the ledger has installed content of a product
  /// that nobody holds (`ProductObservations.isInstalledByNobody`). The rule `undelivered` needs
  /// this for chains that nobody holds, whose products are in `unheldProducts`.
  ///
  /// - Complexity: O(*n*) in what the unit keeps.
  public func findings(
    at moment: Int64, in environment: StoreEnvironment, thresholds: Thresholds = .standard,
    context: SharedContext, texts: any FactTexts,
    isInstalledByNobody: (NameNumber) -> Bool = { _ in false }
  ) -> [Finding] {
    guard let index = index(of: environment) else { return [] }
    let foldContext = FoldContext(context: context, texts: texts)
    return environments[index].findings(at: moment, thresholds, foldContext, isInstalledByNobody)
  }

  /// The products of the chains with hosted content that nobody holds. Whether they were delivered
  /// depends on the content without a holder in all units.
  public var unheldProducts: [ObservedProduct] {
    var found: Set<ObservedProduct> = []
    for state in environments {
      for index in state.chains.indices
      where state.chains[index].hasHostedContent && state.chain(index, grantsTo: .nobody) {
        found.insert(
          ObservedProduct(
            environment: state.environment, product: state.chains[index].firstProduct))
        for member in state.members(of: index) where state.transactions[member].hasPurchase {
          let product = state.transactions[member].purchase.product
          found.insert(ObservedProduct(environment: state.environment, product: product))
        }
      }
    }
    return found.sorted { ($0.environment, $0.product) < ($1.environment, $1.product) }
  }

  /// Believed `occurredAt` of the newest fact that counts in an environment.
  public func newestEvent(in environment: StoreEnvironment) -> Int64? {
    guard let index = index(of: environment), environments[index].newest != .min else {
      return nil
    }
    return environments[index].newest
  }
}

extension EnvironmentState {
  fileprivate func findings(
    at moment: Int64, _ thresholds: Thresholds, _ foldContext: FoldContext,
    _ isInstalledByNobody: (NameNumber) -> Bool
  ) -> [Finding] {
    openTransactions(at: moment, thresholds)
      + openPayments(at: moment, thresholds)
      + openDownloads(at: moment, thresholds)
      + openInstalls(at: moment, thresholds)
      + openRestores(at: moment, thresholds)
      + incompleteRestores(at: moment, thresholds, foldContext)
      + refusedPurchases(at: moment, thresholds)
      + unpaidGifts(at: moment, thresholds)
      + undelivered(at: moment, foldContext, isInstalledByNobody)
  }

  private func openTransactions(at moment: Int64, _ thresholds: Thresholds) -> [Finding] {
    transactions.indices.filter {
      NeverFinished.holds(transactions[$0].queue, at: moment, thresholds)
    }.map { index in
      let transaction = transactions[index]
      return Finding(
        rule: .neverFinished, environment: environment,
        position: transaction.queue.openedPosition, occurredAt: transaction.queue.openedAt,
        account: account(of: index), transaction: transaction.number,
        product: transaction.product)
    }
  }

  private func openPayments(at moment: Int64, _ thresholds: Thresholds) -> [Finding] {
    payments.filter { PaymentUnanswered.holds($0, at: moment, thresholds) }.map {
      Finding(
        rule: .paymentUnanswered, environment: environment, position: $0.position,
        occurredAt: $0.time, account: $0.account, device: $0.device, product: $0.product)
    }
  }

  private func openDownloads(at moment: Int64, _ thresholds: Thresholds) -> [Finding] {
    downloads.filter { DownloadStalled.holds($0, at: moment, thresholds) }.map {
      let transaction = transactions[$0.transaction]
      return Finding(
        rule: .downloadStalled, environment: environment, position: $0.newestPosition,
        occurredAt: $0.newestTime, account: account(of: $0.transaction), device: $0.device,
        transaction: transaction.number, product: transaction.product, download: $0.number)
    }
  }

  private func openInstalls(at moment: Int64, _ thresholds: Thresholds) -> [Finding] {
    installs.filter { InstallInterrupted.holds($0, at: moment, thresholds) }.map {
      Finding(
        rule: .installInterrupted, environment: environment, position: $0.startedPosition,
        occurredAt: $0.startedAt, account: $0.account, device: $0.device,
        transaction: $0.transaction == none ? 0 : transactions[$0.transaction].number,
        product: $0.statedProduct, download: $0.download)
    }
  }

  private func openRestores(at moment: Int64, _ thresholds: Thresholds) -> [Finding] {
    devices.flatMap { device in
      device.unanswered.filter {
        RestoreUnanswered.holds(requestedAt: $0.time, at: moment, thresholds)
      }.map {
        Finding(
          rule: .restoreUnanswered, environment: environment, position: $0.position,
          occurredAt: $0.time, account: $0.account, device: device.number)
      }
    }
  }

  private func undelivered(
    at moment: Int64, _ foldContext: FoldContext, _ isInstalledByNobody: (NameNumber) -> Bool
  ) -> [Finding] {
    lazy var installs = HeldInstalls(contents)
    return chains.indices.compactMap { index in
      let chain = chains[index]
      guard Undelivered.canHold(chain) else { return nil }
      let standing = standing(of: index, at: moment, foldContext)
      let isInstalled = standing.map {
        isInstalledByHolder(of: index, product: $0.product, installs)
          || (self.chain(index, grantsTo: .nobody) && isInstalledByNobody($0.product))
      }
      guard
        Undelivered.holds(standing: standing, isInstalledByHolder: isInstalled ?? false)
      else { return nil }
      let first = transactions[chain.firstPurchase]
      return Finding(
        rule: .undelivered, environment: environment, position: chain.endedPosition,
        occurredAt: chain.endedAt, account: account(of: chain.firstPurchase),
        transaction: first.number,
        product: standing?.product ?? 0)
    }
  }

  /// Whether a customer that the chain grants to has ever installed the product. If a purchase of
  /// the chain has no holder, an install without a holder counts.
  private func isInstalledByHolder(
    of chain: Int, product: NameNumber, _ installs: HeldInstalls
  ) -> Bool {
    members(of: chain).contains {
      transactions[$0].hasPurchase && installs.contains(product, heldBy: transactions[$0].holder)
    }
  }
}

/// The products that customers, or nobody, have ever installed on any device.
private struct HeldInstalls {
  private struct Install: Hashable {
    let product: NameNumber
    let holder: Holder
  }

  private let installs: Set<Install>

  /// - Complexity: O(*n*).
  init(_ contents: StateTable<ContentState>) {
    installs = Set(
      contents.lazy.filter { $0.holder != .merged }.map {
        Install(product: $0.product, holder: $0.holder)
      })
  }

  /// - Complexity: O(1).
  func contains(_ product: NameNumber, heldBy holder: Holder) -> Bool {
    installs.contains(Install(product: product, holder: holder))
  }
}
