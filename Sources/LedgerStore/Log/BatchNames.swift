internal import LedgerEvents

/// The distinct names of a batch while it is prepared, in the order of their first use.
struct BatchNames {
  private(set) var names: [NameUse] = []
  private(set) var hashes: [UInt64] = []
  private var index: CandidateMap
  /// The name that stood in each slot of the envelope last: neighbours share most of theirs.
  private var last = [Int](repeating: -1, count: NameSlot.allCases.count)

  init(capacity: Int) { index = CandidateMap(capacity: capacity) }

  /// Adds the index of each name that `event` uses to `uses`, in the order of `Event.nameUses`.
  mutating func add(
    namesOf event: borrowing Event, _ keyHash: KeyHash, to uses: inout [UInt32]
  ) {
    guard event.type.kind.namesStandInEnvelope else {
      for use in event.nameUses {
        uses.append(UInt32(number(use.name, use.kind, keyHash)))
      }
      return
    }
    let start = uses.count
    add(event.app, .app, keyHash, &uses)
    add(event.account, .account, keyHash, &uses)
    add(event.device, .device, keyHash, &uses)
    add(event.session, .session, keyHash, &uses)
    add(event.payment, .payment, keyHash, &uses)
    add(event.product, .product, keyHash, &uses)
    add(event.transaction, .transaction, keyHash, &uses)
    add(event.originalTransaction, .originalTransaction, keyHash, &uses)
    add(event.download, .download, keyHash, &uses)
    assert(uses.count - start == event.nameUses.count, "a type has names in data that are unknown")
  }

  private mutating func add(
    _ name: Name?, _ slot: NameSlot, _ keyHash: KeyHash, _ uses: inout [UInt32]
  ) {
    guard let name else { return }
    let at = Int(slot.rawValue)
    if last[at] < 0 || !isName(last[at], name, slot.kind) {
      last[at] = number(name, slot.kind, keyHash)
    }
    uses.append(UInt32(last[at]))
  }

  /// The index of a name among the batch's names, where it is added when it is new.
  private mutating func number(_ name: Name, _ kind: NameKind, _ keyHash: KeyHash) -> Int {
    let hash = keyHash.name(name, kind)
    var probe = CandidateMap.Probe()
    while let known = index.next(hash, &probe) {
      if isName(Int(known) - 1, name, kind) { return Int(known) - 1 }
    }
    names.append(NameUse(kind: kind, name: name))
    hashes.append(hash)
    index.insert(hash, UInt32(names.count))
    return names.count - 1
  }

  @inline(__always)
  private func isName(_ at: Int, _ name: borrowing Name, _ kind: NameKind) -> Bool {
    let names = names.span
    return names[at].kind == kind && areSame(names[at].name, name)
  }
}

/// Whether two names are the same bytes.
///
/// Not inlined: as arguments the texts are borrowed, where the optimizer would count references
/// for each span.
@inline(never)
func areSame(_ left: borrowing Name, _ right: borrowing Name) -> Bool {
  left.text.utf8.span.equals(right.text.utf8.span)
}

extension EventKind {
  /// Whether events of this kind use no names inside `data`; see `Event.nameUses`.
  fileprivate var namesStandInEnvelope: Bool {
    switch self {
    case .accountLinked, .accountTransferred, .transactionPurchased, .transactionRestored,
      .subscriptionRenewed, .catalogSet, .catalogRequested, .catalogReceived, .catalogFailed:
      false
    default: true
    }
  }
}
