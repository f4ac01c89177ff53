public import LedgerEvents

/// What a customer has, or should have, of a product's content on one device.
public struct HeldContent: Sendable {
  /// How far the content has got on the device.
  public enum Phase: UInt8, Sendable {
    /// Installed, and not removed since (`model.md` 17).
    case installed = 0
    /// Installed once, and removed since.
    case removed = 1
    /// Its downloads were announced to the device, but it was never installed there.
    case announced = 2
    /// The customer owns the product, but no device is known to have had its content.
    case nowhere = 3
  }

  public var environment: StoreEnvironment
  /// The first account of the customer.
  public var account: NameNumber
  public var product: NameNumber
  /// 0 for the absent device, and for `nowhere`.
  public var device: NameNumber
  /// The installed version, or the one that was removed.
  public var version: Name?
  public var phase: Phase
  /// Whether the customer's answer lists the product as active or in a grace period.
  public var isEntitled: Bool
}

extension Unit {
  /// What content each customer of the unit has, or owns without having it, in one environment.
  ///
  /// Ownership is judged at `moment`, in microseconds. Unless `isExact` is true, it is judged at
  /// the customer's newest event if that is later.
  ///
  /// - Complexity: O(*n*) in what the unit keeps.
  public func heldContents(
    in environment: StoreEnvironment, at moment: Int64, isExact: Bool, context: SharedContext,
    texts: any FactTexts
  ) -> [HeldContent] {
    // Accessed by index, because passing on the state itself would retain and release its tables.
    guard let index = self.index(of: environment) else { return [] }
    let foldContext = FoldContext(context: context, texts: texts)
    var held: [HeldContent] = []
    var seen: Set<Holder> = []
    for account in environments[index].accounts
    where account.customer != .nobody && seen.insert(account.customer).inserted {
      let newest = environments[index].customers[account.customer.index]
      held += environments[index].heldContents(
        of: account.customer, account.number, at: isExact ? moment : max(moment, newest),
        foldContext)
    }
    return held
  }

  /// The versions that events of the unit have named in one environment (`model.md` 18).
  ///
  /// - Complexity: O(*n*) in their number.
  public func namedVersions(
    in environment: StoreEnvironment, _ body: (VersionObservation) -> Void
  ) {
    guard let index = self.index(of: environment) else { return }
    for observed in environments[index].versions { body(observed) }
  }
}

extension EnvironmentState {
  fileprivate func heldContents(
    of customer: Holder, _ account: NameNumber, at moment: Int64, _ foldContext: FoldContext
  ) -> [HeldContent] {
    var owned: [NameNumber] = []
    for entry in entries(.customer(customer), at: moment, foldContext)
    where entry.product != 0 && entry.state.entitles && !owned.contains(entry.product) {
      owned.append(entry.product)
    }
    var held: [HeldContent] = []
    func add(
      _ product: NameNumber, _ device: NameNumber, _ version: Name?, _ phase: HeldContent.Phase
    ) {
      held.append(
        HeldContent(
          environment: environment, account: account, product: product, device: device,
          version: version, phase: phase, isEntitled: owned.contains(product)))
    }
    for content in contents where content.holder == customer {
      add(
        content.product, content.device, content.version,
        content.isPresent ? .installed : .removed)
    }
    for download in downloads where transactions[download.transaction].holder == customer {
      let product = transactions[download.transaction].product
      let isKnown = held.contains { $0.product == product && $0.device == download.device }
      if product != 0 && !isKnown { add(product, download.device, nil, .announced) }
    }
    for product in owned where !held.contains(where: { $0.product == product }) {
      add(product, 0, nil, .nowhere)
    }
    return held
  }
}
