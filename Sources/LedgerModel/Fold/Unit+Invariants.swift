import LedgerEvents

extension Unit {
  /// The shared state of the absent device that the fold of the unit touched.
  public var couplings: [CouplingUse] { environments.flatMap(\.couplings) }

  /// Checks the invariants of a unit after each batch, in debug builds.
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
