import LedgerEvents

extension EnvironmentState {
  /// Folds the next fact in the fold order.
  mutating func reduce(
    _ fact: Fact, _ at: Step, root: NameNumber, _ foldContext: FoldContext
  ) {
    var step = at
    if !closings.isEmpty { _ = drainAbsentPurges(before: step.key, foldContext) }
    newest = max(newest, fact.occurredAt)
    if ClockAhead.breaks(fact) { report(.clockAhead, fact, step) }
    if fact.session != 0 && fact.sequence != Fact.absentSequence { reduceClock(fact, step) }
    if fact.kind == .unknown { return }

    let stating = fact.account != 0 ? customer(of: fact.account) : .nobody
    step.holder = stating
    step.product = fact.product
    if stating != .nobody {
      customers[stating.index] = max(customers[stating.index], fact.occurredAt)
    }
    if root != 0 {
      step.transaction = transactionIndex.find(UInt64(root))
      if !transactions[step.transaction].isBegun { begin(step.transaction) }
      step.holder = transactions[step.transaction].holder
      if step.product == 0 { step.product = transactions[step.transaction].product }
      if step.holder != .nobody {
        customers[step.holder.index] = max(customers[step.holder.index], fact.occurredAt)
      }
      if fact.account != 0 { judgeAccount(fact, step) }
    }
    dispatch(fact, step, foldContext)
    if step.transaction != none {
      if fact.kind.isTransactionKind || fact.kind.isSubscriptionKind {
        transactions[step.transaction].marks.insert(.knownFromStoreOrQueue)
      }
    }
    if fact.kind.isDatedByTheStore && fact.isStoreFact { noteArrival(fact, step) }
  }

  /// Passes each kind of fact to the code for what it changes. Kinds that change nothing are only
  /// kept and shown.
  private mutating func dispatch(_ fact: Fact, _ step: Step, _ foldContext: FoldContext) {
    let kind = fact.kind
    if kind.isDownloadKind {
      reduceDownload(fact, step, foldContext)
    } else if kind.isTransactionKind || kind.isSubscriptionKind {
      reducePurchase(fact, step, foldContext)
      if fact.isQueueFact { reduceQueue(fact, step, foldContext) }
    } else {
      dispatchOthers(fact, step, foldContext)
    }
  }

  private mutating func dispatchOthers(_ fact: Fact, _ step: Step, _ foldContext: FoldContext) {
    switch fact.kind {
    case .sessionStarted, .restoreRequested, .restoreCompleted, .restoreFailed,
      .paymentsChecked, .catalogReceived, .contentPurged:
      if fact.device != 0 { reduceDevice(fact, step) }
      if fact.kind == .catalogReceived { observeOffered(fact, step) }
    case .contentVersionPublished: publish(fact, step)
    case .paymentAdded: reducePayment(fact, step, foldContext)
    case .purchaseFulfilled, .purchaseFulfillmentFailed:
      reduceFulfillment(fact, step, foldContext)
    case .receiptAccepted, .receiptRejected: reduceVerdict(fact, step)
    case .contentInstallStarted, .contentInstalled, .contentInstallFailed:
      reduceInstall(fact, step, foldContext)
    case .contentRemoved: removeContent(fact, step)
    case .consumableConsumed: consume(fact, step)
    case .entitlementGranted: grant(fact, step)
    case .entitlementWithdrawn: withdraw(fact, step)
    case .accountLinked: link(fact)
    case .accountTransferred: transfer(fact)
    case .accountErased: erase(fact)
    default: break
    }
  }

  /// Adds a finding about what the fact states and concerns.
  mutating func report(
    _ rule: Rule, _ fact: Fact, _ step: Step, download: NameNumber = 0, detail: Name? = nil
  ) {
    findings.append(finding(rule, fact, step, download: download, detail: detail))
  }

  func finding(
    _ rule: Rule, _ fact: Fact, _ step: Step, download: NameNumber = 0, detail: Name? = nil
  ) -> Finding {
    var account = fact.account
    var transaction = fact.transaction
    if step.transaction != none {
      let owner = self.account(of: step.transaction)
      if owner != 0 { account = owner }
      transaction = transactions[step.transaction].number
    }
    return Finding(
      rule: rule, environment: environment, position: fact.position, occurredAt: fact.occurredAt,
      account: account, device: fact.device, transaction: transaction,
      product: step.product != 0 ? step.product : fact.product,
      download: download != 0 ? download : fact.download, detail: detail)
  }

  /// The account that the first event with an account states for a transaction, or else the account
  /// of its chain; 0 if there is none.
  func account(of transaction: Int) -> NameNumber {
    if transactions[transaction].owner != 0 { return transactions[transaction].owner }
    let owning = chainOwnerIndex.lookUp(UInt64(transactions[transaction].original))
    return owning < 0 ? 0 : transactions[chainOwners[owning]].owner
  }

  /// Notes that the fold touched state that units share on the absent device.
  mutating func couple(_ kind: Coupling.Kind, _ product: NameNumber, writes: Bool) {
    let coupling = Coupling(kind: kind, environment: environment, product: product)
    if let index = couplings.firstIndex(where: { $0.coupling == coupling }) {
      if writes { couplings[index].writes = true }
    } else {
      couplings.append(CouplingUse(coupling: coupling, writes: writes))
    }
  }
}
