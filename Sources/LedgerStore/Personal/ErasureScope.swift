internal import LMDB
internal import LedgerEvents
internal import LedgerModel

/// What identifies an erased customer: the slots of the key file that are to be destroyed.
struct ErasureScope {
  /// Names of accounts, devices and sessions.
  private(set) var names: Set<UInt32> = []
  /// Personal data of events.
  private(set) var texts: Set<UInt32> = []

  var slots: Set<UInt32> { names.union(texts) }
}

extension LedgerView {
  /// What identifies the customer that an account is, by what stands before `position`, the
  /// account's erasure: the names of all accounts that are the customer's, of the devices and
  /// sessions that nobody else used, the personal data of the customer's events and of what these
  /// devices report of themselves, and what operators wrote of the customer when they exported.
  ///
  /// - Complexity: O(*n* log *n*) in the events of the customer's unit, and O(*m*) in operators'
  ///   records of what they did.
  func erasureScope(
    of account: NameNumber, before position: UInt64
  ) throws(LedgerError) -> ErasureScope {
    var scope = ErasureScope()
    let members = try events(ofCustomer: account, Clocks(asOf: .position(position - 1)))
    var uses = UsesOfPeople()
    var accounts: Set<NameNumber> = [account]
    for place in try unitPositions(of: account, before: position) {
      let record = try log.record(at: place)
      if members.contains(place) { accounts.formUnion(record.accounts) }
      uses.note(record, isMember: members.contains(place))
    }
    for place in members.union(uses.reports) {
      if let slot = try log.livingSlot(ofData: place) { scope.insert(text: slot) }
    }
    for number in accounts.union(uses.exclusive) {
      for slot in try log.livingSlots(ofName: number) { scope.insert(name: slot) }
    }
    for slot in try slotsOfMentions(of: accounts, before: position) { scope.insert(text: slot) }
    return scope
  }

  private func unitPositions(
    of account: NameNumber, before position: UInt64
  ) throws(LedgerError) -> [UInt64] {
    guard let unit = try unitNumber(of: account) else { return [] }
    return try reader.overlay.allFacts(of: unit, log, tables, projections)
      .map(\.position).filter { $0 < position }
  }

  /// What operators recorded of exports and the like that names one of the accounts.
  private func slotsOfMentions(
    of accounts: Set<NameNumber>, before position: UInt64
  ) throws(LedgerError) -> [UInt32] {
    var texts: [[UInt8]] = []
    for number in accounts { texts.append(Array(try log.name(number).name.text.utf8)) }
    var found: [UInt32] = []
    let clocks = Clocks(asOf: .position(position - 1))
    try events(ofKinds: [.operatorActed], clocks: clocks) { (event, _) throws(LedgerError) in
      guard let slot = try log.livingSlot(ofData: event.position),
        let json = try log.personal(at: event.position)
      else { return true }
      if texts.contains(where: { json.contains($0) }) { found.append(slot) }
      return true
    }
    return found
  }
}

extension ErasureScope {
  fileprivate mutating func insert(name slot: UInt32) { names.insert(slot) }
  fileprivate mutating func insert(text slot: UInt32) { texts.insert(slot) }
}

/// Who used which device and session, among the events of one unit.
private struct UsesOfPeople {
  private var members: Set<NameNumber> = []
  private var others: Set<NameNumber> = []
  private var silent: [(position: UInt64, numbers: [NameNumber])] = []

  /// Takes an event in.
  mutating func note(_ record: borrowing RecordView, isMember: Bool) {
    let numbers = [record.number(.device), record.number(.session)].filter { $0 != 0 }
    if isMember {
      members.formUnion(numbers)
    } else if record.number(.account) != 0 || record.number(.transaction) != 0
      || record.number(.payment) != 0
    {
      others.formUnion(numbers)
    } else if !numbers.isEmpty {
      // What a device reports of itself is about whoever used it.
      silent.append((record.position, numbers))
    }
  }

  /// The devices and sessions that only the customer used.
  var exclusive: Set<NameNumber> {
    let mine = members.subtracting(others)
    let reported = reportedAlone.flatMap(\.numbers)
    return mine.union(reported).subtracting(others)
  }

  /// The events of those devices that state nobody.
  var reports: [UInt64] { reportedAlone.map(\.position) }

  private var reportedAlone: [(position: UInt64, numbers: [NameNumber])] {
    silent.filter { report in
      report.numbers.contains { members.contains($0) }
        && !report.numbers.contains { others.contains($0) }
    }
  }
}

extension RecordView {
  /// The accounts that the event names: its own, and that of a link.
  fileprivate var accounts: [NameNumber] {
    let stated = number(.account)
    let joined = kind == .accountLinked && dataNameCount == 1 ? [dataNumber(0)] : []
    return (stated == 0 ? [] : [stated]) + joined
  }
}

extension LogView {
  /// The slots under which a name stands: its first one, and those of its returns, as far as they
  /// were not destroyed.
  func livingSlots(ofName number: NameNumber) throws(LedgerError) -> [UInt32] {
    var found: [Slot] = [try sealedName(number).slot]
    try forEachReturn { (key, name) throws(LedgerError) in
      if key.number == number { found.append(name.slot) }
    }
    var living: [UInt32] = []
    for slot in found where try !isErased(slot) { living.append(slot.taken) }
    return living
  }

  /// The slot under which an event's personal data stands; nil where it has none, or no more.
  func livingSlot(ofData position: UInt64) throws(LedgerError) -> UInt32? {
    guard let row = try personalBytes(at: position), let data = SealedData(row),
      try !isErased(data.slot)
    else { return nil }
    return data.slot.taken
  }
}

extension [UInt8] {
  /// Whether `text` stands somewhere among the bytes.
  ///
  /// - Complexity: O(*n* *m*) at the worst.
  fileprivate func contains(_ text: [UInt8]) -> Bool {
    guard !text.isEmpty, count >= text.count else { return false }
    for start in 0...count - text.count where self[start] == text[0] {
      if self[start..<start + text.count].elementsEqual(text) { return true }
    }
    return false
  }
}
