public import LedgerEvents

extension Unit {
  /// Whether a purchase fact of the product was folded in any of the given environments.
  ///
  /// - Complexity: O(*n*) in the unit's transactions.
  public func hasPurchase(of product: NameNumber, in environments: EnvironmentSet) -> Bool {
    self.environments.contains { state in
      environments.contains(state.environment)
        && state.transactions.contains { $0.hasPurchase && $0.purchase.product == product }
    }
  }

  /// When the product was first bought, in microseconds; `nil` if no purchase fact of it was
  /// folded.
  ///
  /// - Complexity: O(*n*) in the unit's transactions.
  public func firstPurchase(of product: NameNumber, in environment: StoreEnvironment) -> Int64? {
    environments.first { $0.environment == environment }?.transactions.lazy
      .filter { $0.hasPurchase && $0.purchase.product == product }
      .map(\.purchase.firstTime).min()
  }

  /// Whether a chain of the product has hosted content: a queue delivery of it announced a
  /// download, or a download was seen.
  ///
  /// - Complexity: O(*n*) in the unit's chains.
  public func hasHostedContent(of product: NameNumber, in environments: EnvironmentSet) -> Bool {
    self.environments.contains { state in
      environments.contains(state.environment)
        && state.chains.contains { $0.hasHostedContent && $0.firstProduct == product }
    }
  }
}
