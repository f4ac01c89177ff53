import Entitlements
import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerQueries
import Testing

@Suite("Recorded incidents and histories, looked up", .enabled(if: Conformance.isPresent))
struct EntitlementsConformanceTests {
  /// Returns whether an account has a product or an entitlement with this name.
  private func has(
    _ lookup: Entitlements, _ account: Name, _ name: Name, _ environment: StoreEnvironment
  ) -> Bool {
    AskedItem.both(name).contains {
      lookup.isEntitled(account.text, to: $0.item, environments: [environment]).isYes
    }
  }

  @Test(
    "histories give each account exactly what is expected to be active", arguments: [false, true])
  func histories(folds: Bool) throws {
    for history in try #require(Conformance()).histories() {
      let ledger = try TemporaryLedger()
      for start in stride(from: 0, to: history.events.count, by: 13) {
        try ledger.append(history.events[start..<min(start + 13, history.events.count)])
        if folds { try ledger.ledger.fold() }
      }
      var names: Set<Name> = []
      for expected in history.expected.values {
        for account in expected.accounts.values {
          names.formUnion(account.active)
          names.formUnion(account.states.keys)
        }
      }
      for (environment, expected) in history.expected {
        let lookup = Entitlements(ledger: ledger.ledger) { expected.at }
        for (account, answer) in expected.accounts {
          let active = names.filter { has(lookup, account, $0, environment) }
          #expect(active == Set(answer.active), "\(history.name) \(environment) \(account)")
          for (product, state) in answer.states {
            let verdict = lookup.isEntitled(
              account.text, to: .product(product.text), environments: [environment])
            #expect(verdict.detail?.state?.text == state, "\(history.name) \(account) \(product)")
          }
          let balances = try lookup.balances(of: .account(account), environments: [environment])
          #expect(balances == answer.balances)
          var installed: [Name?: [Name: String]] = [:]
          for content in try lookup.installed(of: .account(account), environments: [environment]) {
            installed[content.device, default: [:]][content.product] = content.contentVersion.text
          }
          #expect(installed == answer.installed)
        }
        lookup.release()
      }
    }
  }

  @Test("incidents give the customer what is expected", arguments: [false, true])
  func traces(folds: Bool) throws {
    for trace in try #require(Conformance()).traces() {
      let newest = try #require(trace.events.map(\.event.occurredAt).max())
      let ledger = try TemporaryLedger(now: newest)
      try ledger.append(trace.events)
      if folds { try ledger.ledger.fold() }
      for (name, state) in trace.entitled {
        let product = ledger.lookup.isEntitled(trace.account.text, to: .product(name.text))
        let entitlement = ledger.lookup.isEntitled(
          trace.account.text, to: .entitlement(name.text))
        if let known = product.detail?.state {
          #expect(known.text == state, "\(trace.name) \(name)")
        } else {
          #expect((entitlement.isYes ? "active" : "none") == state, "\(trace.name) \(name)")
        }
      }
      #expect(try ledger.lookup.balances(of: .account(trace.account)) == trace.balances)
    }
  }
}
