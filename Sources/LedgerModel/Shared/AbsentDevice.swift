import LedgerEvents

/// What the absent device says in one environment: all events without a device are one device, so
/// this is kept as a timeline beside the units, to be asked at a fact's place in the fold's order.
struct AbsentDevice: Sendable {
  /// An event of the timeline.
  struct Entry: Sendable {
    var key: FoldKey
    var kind: EventKind
    var account: NameNumber
    var isAllowed: Bool
    var offered: [NameNumber]
    var invalid: [NameNumber]

    /// `nil` where the timeline does not need `fact`.
    init?(_ fact: Fact) {
      guard AbsentDevice.keeps(fact.kind) else { return nil }
      key = FoldKey(fact)
      kind = fact.kind
      account = fact.account
      isAllowed = fact.detail?.fields.allowed ?? true
      offered = fact.detail?.fields.offered.map(\.product) ?? []
      invalid = fact.detail?.fields.invalid ?? []
    }
  }

  /// Whether the timelines need events of a kind.
  static func keeps(_ kind: EventKind) -> Bool {
    switch kind {
    case .sessionStarted, .restoreRequested, .restoreCompleted, .restoreFailed,
      .paymentsChecked, .catalogReceived, .contentPurged:
      true
    default: false
    }
  }

  /// `session.started` and `restore.*`: what bounds launches and restores.
  private(set) var bounds: [Entry] = []
  private(set) var checks: [Entry] = []
  private(set) var responses: [Entry] = []
  private(set) var purges: [Entry] = []

  mutating func insert(_ entry: Entry, _ texts: any FactTexts) {
    func place(_ entries: inout [Entry]) {
      entries.insert(entry, at: entries.partitionPoint { !entry.key.precedes($0.key, texts) })
    }
    switch entry.kind {
    case .paymentsChecked: place(&checks)
    case .catalogReceived: place(&responses)
    case .contentPurged: place(&purges)
    default: place(&bounds)
    }
  }

  mutating func remove(_ entry: Entry) {
    bounds.removeAll { $0.key.position == entry.key.position }
    checks.removeAll { $0.key.position == entry.key.position }
    responses.removeAll { $0.key.position == entry.key.position }
    purges.removeAll { $0.key.position == entry.key.position }
  }

  /// The position of the newest `session.started` before `key`, or 0.
  func launch(at key: FoldKey, _ texts: any FactTexts) -> UInt64 {
    let before = bounds.partitionPoint { $0.key.precedes(key, texts) }
    return bounds[..<before].last { $0.kind == .sessionStarted }?.key.position ?? 0
  }

  /// The restore that lasts at `key`, and whether its end was reported before.
  func restore(at key: FoldKey, _ texts: any FactTexts) -> (position: UInt64, isCompleted: Bool)? {
    let before = bounds.partitionPoint { $0.key.precedes(key, texts) }
    var isCompleted = false
    for entry in bounds[..<before].reversed() {
      switch entry.kind {
      case .restoreCompleted: isCompleted = true
      case .restoreRequested: return (entry.key.position, isCompleted)
      case .sessionStarted: return nil
      default: break
      }
    }
    return nil
  }

  /// Whether the newest check before `key` allowed payments; true before any.
  func allowsPayments(at key: FoldKey, _ texts: any FactTexts) -> Bool {
    let before = checks.partitionPoint { $0.key.precedes(key, texts) }
    return checks[..<before].last?.isAllowed ?? true
  }

  /// Whether the newest response before `key` that names `product` lists it as invalid.
  func isInvalid(_ product: NameNumber, at key: FoldKey, _ texts: any FactTexts) -> Bool {
    let before = responses.partitionPoint { $0.key.precedes(key, texts) }
    let naming = responses[..<before].last {
      $0.invalid.contains(product) || $0.offered.contains(product)
    }
    return naming?.invalid.contains(product) ?? false
  }

  /// The first purge after `key`.
  func purge(after key: FoldKey, _ texts: any FactTexts) -> FoldKey? {
    let upTo = purges.partitionPoint { !key.precedes($0.key, texts) }
    return upTo < purges.count ? purges[upTo].key : nil
  }

  /// The restores without an answer since: those after the last one.
  var unansweredRestores: [Entry] {
    let answer = bounds.lastIndex {
      $0.kind == .restoreCompleted || $0.kind == .restoreFailed
    }
    return bounds[(answer.map { $0 + 1 } ?? 0)...].filter { $0.kind == .restoreRequested }
  }
}
