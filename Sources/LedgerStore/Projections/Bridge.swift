internal import LedgerEvents
internal import LedgerModel

struct StateError: Error {}

extension Unit {
  func encode(into bytes: inout [UInt8]) {}
  init(decoding bytes: Span<UInt8>) throws(StateError) { throw StateError() }
  func isConcerned(by change: ContextChange) -> Bool { !change.isEmpty }
  var knownAccounts: [NameNumber] { accounts }
  func observations(of unit: UInt32) -> [([UInt8], [UInt8])] {
    observedProducts.map { observed in
      (observed.keyPrefix + unit.bigEndianBytes, [0])
    }
  }
}

extension SharedContext {
  func concerns(_ fact: Fact) -> Bool {
    if let stated = fact.environment, !environments.contains(stated) { return true }
    if fact.kind == .catalogSet { return true }
    guard fact.device == 0 else { return false }
    if fact.session != 0 && fact.environment != nil { return true }
    switch fact.kind {
    case .sessionStarted, .restoreRequested, .restoreCompleted, .restoreFailed,
      .paymentsChecked, .catalogReceived, .contentPurged:
      return true
    default: return false
    }
  }
}

extension Unit {
  func environment(of fact: Fact) -> StoreEnvironment? { fact.environment }
  static func positions(
    ofCustomer account: NameNumber, among facts: [Fact], context: SharedContext,
    texts: any FactTexts
  ) -> Set<UInt64> { Set(facts.map(\.position)) }
}
