public import LedgerEvents

extension Histories {
  /// Returns several dense histories in one ledger, in random order of arrival. Their customers
  /// have names of their own and share products, catalogues and the absent device: what one of them
  /// does reaches the others only by what units share.
  ///
  /// - Parameter count: The approximate number of events.
  public static func sideBySide(
    seed: UInt64, count: Int = 80, parts: Int = 4
  ) -> [RecordedEvent] {
    let events = (0..<parts).flatMap { part in
      dense(seed: seed &+ 1_000 &* UInt64(part), count: count / parts).compactMap {
        $0.owned(by: part)
      }
    }
    return RecordedEvent.shuffled(events, seed: seed)
  }
}

extension RecordedEvent {
  /// The event with names of one part of a history; `nil` if its data names somebody or something,
  /// which could be another part's.
  fileprivate func owned(by part: Int) -> RecordedEvent? {
    let suffix = "-\(part)"
    func owned(_ name: Name?) -> Name? { name.map { Name($0.text + suffix) } }
    var recorded = self
    recorded.event.id = Name(event.id.text + suffix)
    recorded.event.account = owned(event.account)
    recorded.event.device = owned(event.device)
    recorded.event.session = owned(event.session)
    recorded.event.payment = owned(event.payment)
    recorded.event.transaction = owned(event.transaction)
    recorded.event.originalTransaction = owned(event.originalTransaction)
    recorded.event.download = owned(event.download)
    let isApart = recorded.event.nameUses.allSatisfy {
      $0.kind == .app || $0.kind == .product || $0.name.text.hasSuffix(suffix)
    }
    return isApart ? recorded : nil
  }
}
