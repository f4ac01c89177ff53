import LedgerEvents

extension Unit {
  /// What the unit's fold touched of the state of the absent device, which units share.
  public var couplings: [CouplingUse] { environments.flatMap(\.couplings) }

  /// Checks in debug builds what holds after each batch, whatever was folded.
  func checkInvariants() {
    #if DEBUG
      assert((factCount == 0) == (lastKey == nil), "\(factCount) facts, but no last one")
      let stated = environments.map(\.environment)
      assert(zip(stated, stated.dropFirst()).allSatisfy { $0 < $1 }, "environments out of order")
      for state in environments {
        assert(state.isConsistent, "the state in \(state.environment) leads outside of its tables")
        assert(state.arrivals.isEmpty, "facts wait to be judged in the order of arrival")
        assert(state.transactions.count == state.transactionIndex.keys.count)
        assert(state.chains.count == state.chainIndex.keys.count)
        assert(state.devices.count == state.deviceIndex.keys.count)
        assert(state.accounts.count == state.accountIndex.keys.count)
        assert(state.transactions.allSatisfy(\.isBegun), "a transaction without an event")
      }
    #endif
  }
}
