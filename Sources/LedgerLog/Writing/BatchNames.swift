internal import LMDB
internal import LedgerEvents

/// The distinct names of a batch while it is prepared, in the order of their first use.
struct BatchNames {
  private(set) var rows = NameRows()
  private(set) var hashes: [UInt64] = []
  private var index: CandidateMap
  /// The last name in each slot of the envelope. Neighbouring events share most of their names.
  private var last: InlineArray<9, Int> = InlineArray(repeating: -1)
  private let keyHash: KeyHash
  private let people: NameSeal?

  /// - Parameter people: Hashes the names of people; `nil` without the key file.
  init(capacity: Int, _ keyHash: KeyHash, _ people: NameSeal?) {
    index = CandidateMap(capacity: capacity)
    self.keyHash = keyHash
    self.people = people
  }

  /// Adds the index of each name that `event` uses to `uses`, in the order of `Event.nameUses`.
  ///
  /// - Throws: ``LedgerError``: `keysMissing` for a person's name without the key file.
  mutating func add(namesOf event: Event, to uses: inout [UInt32]) throws(LedgerError) {
    guard event.type.kind.namesStandInEnvelope else {
      for use in event.nameUses { uses.append(try number(use.name, use.kind)) }
      return
    }
    let start = uses.count
    if let name = event.app { uses.append(try number(name, in: .app)) }
    if let name = event.account { uses.append(try number(name, in: .account)) }
    if let name = event.device { uses.append(try number(name, in: .device)) }
    if let name = event.session { uses.append(try number(name, in: .session)) }
    if let name = event.payment { uses.append(try number(name, in: .payment)) }
    if let name = event.product { uses.append(try number(name, in: .product)) }
    if let name = event.transaction { uses.append(try number(name, in: .transaction)) }
    if let name = event.originalTransaction {
      uses.append(try number(name, in: .originalTransaction))
    }
    if let name = event.download { uses.append(try number(name, in: .download)) }
    assert(uses.count - start == event.nameUses.count, "a type has names in data that are unknown")
  }

  /// Returns the index of a name in a slot of the envelope.
  ///
  /// It is not inlined, so that the text is borrowed as an argument. Otherwise, the optimizer would
  /// count references for each comparison.
  @inline(never)
  private mutating func number(
    _ name: borrowing Name, in slot: NameSlot
  ) throws(LedgerError) -> UInt32 {
    let text = name.text.utf8.span
    let at = Int(slot.rawValue)
    if last[at] < 0 || !rows.isName(last[at], slot.kind, text) {
      last[at] = try number(text, slot.kind)
    }
    return UInt32(last[at])
  }

  @inline(never)
  private mutating func number(
    _ name: borrowing Name, _ kind: NameKind
  ) throws(LedgerError) -> UInt32 {
    UInt32(try number(name.text.utf8.span, kind))
  }

  /// Returns the index of a name among the batch's names, and adds it if it is new.
  private mutating func number(
    _ text: Span<UInt8>, _ kind: NameKind
  ) throws(LedgerError) -> Int {
    let hash = try keyHash.name(text, kind, people)
    var probe = CandidateMap.Probe()
    while let known = index.next(hash, &probe) {
      if rows.isName(Int(known) - 1, kind, text) { return Int(known) - 1 }
    }
    rows.append(kind, text)
    hashes.append(hash)
    index.insert(hash, UInt32(rows.count))
    return rows.count - 1
  }
}

extension EventKind {
  /// Whether events of this kind use no names inside `data`; see `Event.nameUses`.
  var namesStandInEnvelope: Bool {
    switch self {
    case .accountLinked, .accountTransferred, .transactionPurchased, .transactionRestored,
      .subscriptionRenewed, .catalogSet, .catalogRequested, .catalogReceived, .catalogFailed:
      false
    default: true
    }
  }
}
