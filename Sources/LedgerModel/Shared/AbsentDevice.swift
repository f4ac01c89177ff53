import LedgerEvents

/// What the absent device reports in one environment. All events without a device are one device,
/// so they are kept in timelines beside the units, which are queried at a fact's position in the
/// fold order.
struct AbsentDevice: Sendable {
  /// An event of the timeline.
  struct Entry: Sendable {
    var key: FoldKey
    var kind: EventKind
    var account: NameNumber
    var isAllowed: Bool
    var offered: [NameNumber]
    var invalid: [NameNumber]

    /// `nil` if the timelines do not need `fact`.
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

  /// `session.started` and `restore.*`, which delimit launches and restores.
  private(set) var bounds: [Entry] = []
  private(set) var checks: [Entry] = []
  private(set) var responses: [Entry] = []
  private(set) var purges: [Entry] = []

  mutating func insert(_ entry: Entry, _ texts: any FactTexts) {
    func add(to entries: inout [Entry]) {
      entries.insert(entry, at: entries.partitionPoint { !entry.key.precedes($0.key, texts) })
    }
    switch entry.kind {
    case .paymentsChecked: add(to: &checks)
    case .catalogReceived: add(to: &responses)
    case .contentPurged: add(to: &purges)
    default: add(to: &bounds)
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

  /// The restore that is under way at `key`, and whether its completion was reported before.
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

  /// Whether the newest check before `key` allowed payments; true if there is none.
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

  /// The restores without an answer, which are those after the last answer.
  var unansweredRestores: [Entry] {
    let answer = bounds.lastIndex {
      $0.kind == .restoreCompleted || $0.kind == .restoreFailed
    }
    return bounds[(answer.map { $0 + 1 } ?? 0)...].filter { $0.kind == .restoreRequested }
  }
}
