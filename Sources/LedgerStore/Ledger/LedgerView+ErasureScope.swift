internal import LMDB
public import LedgerEvents
internal import LedgerModel

/// What a scan of the log finds about a customer outside the customer's units.
struct Mentions: Sendable {
  /// The accounts' texts.
  let texts: Set<String>
  /// The sessions of the customer's units.
  let sessions: Set<NameNumber>
  /// The position up to which the log was searched.
  let through: UInt64
  /// The positions of operators' records that name the customer, by the key slots of their personal
  /// data.
  let slots: [UInt32: UInt64]
  /// The sessions whose names also occur in other customers' events: a recorder may number its
  /// sessions.
  let sessionsOfOthers: Set<NameNumber>
}

/// What an erasure would destroy, and what it would leave readable.
public struct ErasurePreview: Sendable {
  /// The names of the customer's accounts, in ascending order.
  public let accounts: [Name]
  /// The number of names of accounts, devices and sessions whose keys would be destroyed.
  public let names: Int
  /// The number of events whose personal data would be destroyed.
  public let texts: Int
  /// What would stay readable, and why.
  public let remainder: ErasureRemainder
  /// The position of the newest erasure of the account; `nil` if it was never erased.
  public let earlier: UInt64?
}

extension LedgerView {
  /// Returns what erasing the customer behind an account would destroy now.
  ///
  /// - Complexity: O(*n* log *n*) in the events of the customer's units, and a walk over the kinds
  ///   of all events.
  /// - Throws: ``LedgerError``: `notFound` if no event names the account.
  public func erasurePreview(of account: Name) throws(LedgerError) -> ErasurePreview {
    let found = try erasureScope(of: account)
    let scope = found.scope
    var accounts: Set<Name> = [account]
    for number in scope.names.values {
      let use = try log.name(number)
      if use.kind == .account { accounts.insert(use.name) }
    }
    return ErasurePreview(
      accounts: accounts.sorted(), names: scope.names.count, texts: scope.texts.count,
      remainder: found.remainder, earlier: try newestErasure(of: account))
  }

  /// The position of the newest erasure of an account; `nil` if it was never erased.
  private func newestErasure(of account: Name) throws(LedgerError) -> UInt64? {
    var newest: UInt64?
    for number in try allNumbers(ofAccount: account) {
      let slot = try log.sealedName(number).slot
      guard !slot.isForgotten, let erasure = try log.erasure(of: slot.taken) else { continue }
      newest = max(newest ?? 0, erasure)
    }
    return newest
  }

  /// Returns what identifies the customer behind an account: the names of all of the customer's
  /// accounts, and of the devices and sessions that nobody else used; the personal data of the
  /// customer's events, and of what these devices report about themselves; and what operators wrote
  /// about the customer when they exported. For a customer who was erased before, it returns what
  /// has arrived since then about that time.
  ///
  /// - Parameter known: The mentions that an earlier search found.
  /// - Complexity: O(*n* log *n*) in the events of the customer's units, and O(*m*) in the events
  ///   after `known`.
  /// - Throws: ``LedgerError``: `notFound` if no event names the account.
  func erasureScope(
    of account: Name, _ known: Mentions? = nil
  ) throws(LedgerError) -> CustomerErasure {
    let customer = try erasedCustomer(account)
    var scope = ErasureScope()
    var remainder = ErasureRemainder()
    var uses = try uses(of: customer)
    scope.newest = uses.newest
    let mentions = try mentions(of: customer, account, uses.sessions, known)
    uses.noteOthers(mentions.sessionsOfOthers)
    for position in customer.members.union(uses.reports).sorted() {
      guard let slot = try log.livingSlot(ofData: position) else { continue }
      if try isOperatorsOwn(at: position) {
        remainder.acts.append(position)
      } else {
        scope.texts[slot] = position
      }
    }
    for number in customer.accounts.union(uses.exclusive) {
      if let slot = try log.livingSlot(ofName: number) { scope.names[slot] = number }
    }
    scope.texts.merge(mentions.slots) { first, _ in first }
    for number in uses.shared.sorted() where try log.livingSlot(ofName: number) != nil {
      remainder.names.append(try log.name(number))
    }
    remainder.reports = uses.reportsOfShared
    for position in customer.shared.subtracting(customer.members).sorted()
    where try log.livingSlot(ofData: position) != nil {
      remainder.sharedChains.append(position)
    }
    return CustomerErasure(scope: scope, remainder: remainder)
  }

  /// Whether the only personal data of an event is which operator acted, and why. That data is the
  /// operator's.
  private func isOperatorsOwn(at position: UInt64) throws(LedgerError) -> Bool {
    switch try log.record(at: position).kind {
    case .transactionAssigned, .accountErased, .accountLinked, .accountTransferred,
      .entitlementGranted, .entitlementWithdrawn:
      break
    default: return false
    }
    let json = try unlessCorrupt { () throws(LedgerError) in try log.personal(at: position) }
    guard let json = json ?? nil else { return false }
    do throws(RecordError) {
      let names = try EventData(personal: json).members.map(\.name)
      return names.contains("operator") && names.allSatisfy { ["operator", "reason"].contains($0) }
    } catch { return false }
  }

  /// Searches the log for the customer up to now. Call this before the log is locked.
  func mentions(of account: Name) throws(LedgerError) -> Mentions {
    let customer = try erasedCustomer(account)
    return try mentions(of: customer, account, try uses(of: customer).sessions, nil)
  }

  private func uses(of customer: ErasedCustomer) throws(LedgerError) -> UsesOfPeople {
    var uses = UsesOfPeople(accounts: customer.accounts)
    for position in customer.positions {
      uses.note(try log.record(at: position), isMember: customer.members.contains(position))
    }
    return uses
  }

  // MARK: - Whose events

  /// The numbers of an account's name, including those of erased customers.
  private func allNumbers(ofAccount name: Name) throws(LedgerError) -> Set<NameNumber> {
    try reader.overlay.allNumbers(
      of: NameUse(kind: .account, name: name), log, reader.keyHash, tables, projections)
  }

  private func erasedCustomer(_ account: Name) throws(LedgerError) -> ErasedCustomer {
    let numbers = try allNumbers(ofAccount: account)
    guard !numbers.isEmpty else {
      throw LedgerError(.notFound, "No event names the account \(account.text).")
    }
    var customer = ErasedCustomer(accounts: numbers)
    var touched: Set<UInt64> = []
    for number in numbers {
      guard let unit = try foldedUnitNumber(of: number) else { continue }
      let facts = try facts(of: unit)
      touched.formUnion(facts.lazy.map(\.position))
      if try log.isErased(name: number) { continue }
      let own = try positions(ofCustomer: number, among: facts, .ofSingleHolder)
      customer.members.formUnion(own)
      // Several customers can only share an event that names a chain and no transaction. Usually,
      // there is none, and the facts need not be folded again.
      if facts.contains(where: { $0.namesOnlyChain && !own.contains($0.position) }) {
        let all = try positions(ofCustomer: number, among: facts, .ofEachHolder)
        customer.shared.formUnion(all.subtracting(own))
      }
      if let state = try state(of: unit) {
        customer.accounts.formUnion(state.accountsOfOnePerson(number))
      }
    }
    customer.positions = touched.sorted()
    for number in numbers {
      for erasure in try erasures(of: number, among: customer.positions) {
        try addWhatCameSince(erasure, of: number, to: &customer)
      }
    }
    return customer
  }

  private func positions(
    ofCustomer account: NameNumber, among facts: [Fact], _ shared: SharedChainEvents
  ) throws(LedgerError) -> Set<UInt64> {
    let positions = Unit.positions(
      ofCustomer: account, among: facts, shared: shared, context: context, texts: texts)
    try texts.check()
    return positions
  }

  /// Adds the events of the customer that an account was when it was erased, the later events about
  /// that time, and the events that state no account but a transaction that is known by now to have
  /// been this customer's alone.
  private func addWhatCameSince(
    _ erasure: UInt64, of number: NameNumber, to customer: inout ErasedCustomer
  ) throws(LedgerError) {
    let members = try positions(
      ofCustomer: number, at: Clocks(asOf: .position(erasure - 1)), shared: .ofSingleHolder)
    customer.members.formUnion(members)
    let unit = try foldedUnitNumber(of: number).flatMap { (unit) throws(LedgerError) in
      try state(of: unit)
    }
    // What somebody had who was erased, too, is nobody's now, unless it had been transferred.
    let held = unit?.holdings(ofOthersThan: customer.accounts) ?? UnitHoldings()
    var own: Set<NameNumber> = []
    for position in members { own.formUnion(try log.record(at: position).named(in: unit).all) }
    var others: Set<NameNumber> = []
    for position in customer.positions where !members.contains(position) {
      let record = try log.record(at: position)
      let account = record.number(.account)
      let named = record.named(in: unit)
      if account == number && position > erasure {
        customer.members.insert(position)
        own.formUnion(named.all)
      } else if account != 0, !customer.accounts.contains(account),
        try !log.isErased(name: account)
      {
        others.formUnion(named.all)
      } else if named.areHeld(held) {
        others.formUnion(named.all)
      }
    }
    own.subtract(others)
    // An event can name two transactions of a chain, and so lead to further ones.
    var isComplete = false
    while !isComplete {
      isComplete = true
      for position in customer.positions where !customer.members.contains(position) {
        let record = try log.record(at: position)
        let named = record.named(in: unit).all
        guard record.number(.account) == 0, !own.isDisjoint(with: named) else { continue }
        customer.members.insert(position)
        own.formUnion(named.subtracting(others))
        isComplete = false
      }
    }
  }

  // MARK: - What others wrote

  /// Searches for the operators' records, such as those of exports, that name one of the customer's
  /// accounts, and for those of the customer's sessions that other customers' events state. A
  /// session's name has one number in the whole ledger, and does not connect units that have
  /// devices.
  private func mentions(
    of customer: ErasedCustomer, _ account: Name, _ sessions: Set<NameNumber>, _ known: Mentions?
  ) throws(LedgerError) -> Mentions {
    var texts: Set<String> = [account.text]
    for number in customer.accounts where try !log.isErased(name: number) {
      // A name whose key is damaged cannot be searched for. The key is destroyed all the same.
      if let name = try unlessCorrupt({ () throws(LedgerError) in try log.name(number).name }) {
        texts.insert(name.text)
      }
    }
    let before = known.flatMap { known in
      known.texts == texts && sessions.isSubset(of: known.sessions) ? known : nil
    }
    let start = (before?.through ?? 0) + 1
    var slots = before?.slots ?? [:]
    var sessionsOfOthers = before?.sessionsOfOthers ?? []
    func found() -> Mentions {
      Mentions(
        texts: texts, sessions: sessions, through: position, slots: slots,
        sessionsOfOthers: sessionsOfOthers)
    }
    guard start <= position else { return found() }
    let positions = Set(customer.positions)
    var cursor = try log.records(in: start...position)
    while try cursor.next() {
      let record = try cursor.record(isChecked: false)
      let session = record.number(.session)
      if session != 0, sessions.contains(session), record.statesSomebody,
        !positions.contains(cursor.position)
      {
        sessionsOfOthers.insert(session)
      }
      guard record.kind == .operatorActed, let slot = try log.livingSlot(ofData: cursor.position)
      else { continue }
      let position = cursor.position
      let json = try unlessCorrupt { () throws(LedgerError) in try log.personal(at: position) }
      if let json = json ?? nil, EventData.names(texts, in: json) { slots[slot] = position }
    }
    return found()
  }

  /// Returns `nil` if encrypted data cannot be decrypted: what is to be destroyed may be damaged.
  private func unlessCorrupt<Value>(
    _ body: () throws(LedgerError) -> Value
  ) throws(LedgerError) -> Value? {
    do throws(LedgerError) { return try body() } catch {
      guard error.code == .corrupt else { throw error }
      return nil
    }
  }
}

/// A customer who is to be erased, in numbers and positions.
private struct ErasedCustomer {
  /// Every account that is the customer's and nobody else's.
  var accounts: Set<NameNumber>
  /// The positions of the customer's events.
  var members: Set<UInt64> = []
  /// The positions of events that name only a chain of which others hold a transaction, too.
  var shared: Set<UInt64> = []
  /// The positions of all events of the units that contain these, in ascending order.
  var positions: [UInt64] = []
}

extension Fact {
  /// Whether the fact names a chain, but no transaction of it.
  fileprivate var namesOnlyChain: Bool { transaction == 0 && original != 0 }
}

extension Unit {
  /// The accounts that belong to the same customer as `account` in every environment in which they
  /// are known. An account that is another customer's in one of them is not erased.
  fileprivate func accountsOfOnePerson(_ account: NameNumber) -> [NameNumber] {
    linkedAccounts(of: account, environments: EnvironmentSet(StoreEnvironment.allCases)).filter {
      other in
      StoreEnvironment.allCases.allSatisfy { environment in
        let only = EnvironmentSet(environment)
        return newestEvent(of: .account(other), environments: only) == nil
          || linkedAccounts(of: other, environments: only).contains(account)
      }
    }
  }
}

/// Who used which devices and sessions, according to the events of the customer's units.
private struct UsesOfPeople {
  private let accounts: Set<NameNumber>
  private var members: Set<NameNumber> = []
  private var others: Set<NameNumber> = []
  private var silent: [Report] = []
  /// Every session that an event of these units states.
  private(set) var sessions: Set<NameNumber> = []
  /// The believed time of the customer's newest event.
  private(set) var newest = Instant(microseconds: .min)

  /// What a device reports about itself.
  private struct Report {
    let position: UInt64
    let device: NameNumber
    let session: NameNumber

    var numbers: [NameNumber] { [device, session].filter { $0 != 0 } }
  }

  init(accounts: Set<NameNumber>) { self.accounts = accounts }

  /// Adds an event.
  mutating func note(_ record: borrowing RecordView, isMember: Bool) {
    let numbers = [record.number(.device), record.number(.session)].filter { $0 != 0 }
    let account = record.number(.account)
    if record.number(.session) != 0 { sessions.insert(record.number(.session)) }
    if isMember {
      newest = max(newest, record.believedAt)
      members.formUnion(numbers)
      // If the event states another account, that customer used the device and session, too.
      if account != 0 && !accounts.contains(account) { others.formUnion(numbers) }
    } else if record.statesSomebody {
      others.formUnion(numbers)
    } else if !numbers.isEmpty {
      // What a device reports about itself is about the people who used it.
      silent.append(
        Report(
          position: record.position, device: record.number(.device),
          session: record.number(.session)))
    }
  }

  /// Adds the devices and sessions that customers in other units used.
  mutating func noteOthers(_ numbers: Set<NameNumber>) { others.formUnion(numbers) }

  /// The devices and sessions that only the customer used.
  var exclusive: Set<NameNumber> {
    let mine = members.subtracting(others)
    let reported = reportedAlone.flatMap(\.numbers)
    return mine.union(reported).subtracting(others)
  }

  /// The positions of the events of those devices and sessions that state nobody.
  var reports: [UInt64] { reportedAlone.map(\.position) }

  /// The devices and sessions that both the customer and others used.
  var shared: Set<NameNumber> { members.intersection(others) }

  /// The positions of the events of shared devices that state nobody: they may be about anybody.
  var reportsOfShared: [UInt64] {
    let own = Set(reports)
    return silent.filter { report in
      !own.contains(report.position) && report.numbers.contains { shared.contains($0) }
    }.map(\.position).sorted()
  }

  private var reportedAlone: [Report] {
    silent.filter { report in
      // A session says more than a device that several people use.
      if members.contains(report.session) { return !others.contains(report.session) }
      return report.numbers.contains { members.contains($0) }
        && !report.numbers.contains { others.contains($0) }
    }
  }
}

extension RecordView {
  /// Whether the event is about somebody, and not only what a device reports about itself.
  fileprivate var statesSomebody: Bool {
    number(.account) != 0 || number(.transaction) != 0 || number(.payment) != 0
  }

  /// The transaction and the chain that the event names.
  ///
  /// - Parameter unit: The unit that knows to which transaction a payment belongs.
  fileprivate func named(in unit: Unit?) -> NamedTransactions {
    let payment = number(.payment)
    let paid = payment == 0 ? 0 : unit?.transaction(ofPayment: payment) ?? payment
    return NamedTransactions(
      transaction: number(.transaction) != 0 ? number(.transaction) : paid,
      original: number(.originalTransaction))
  }
}

/// What an event is about: a transaction, or else a chain. 0 is neither.
private struct NamedTransactions {
  /// While no event names the transaction of a payment, the payment's number.
  let transaction: NameNumber
  let original: NameNumber

  var all: Set<NameNumber> { Set([transaction, original].filter { $0 != 0 }) }

  /// Whether others hold the transaction, or any transaction of the chain if the event names none.
  func areHeld(_ held: UnitHoldings) -> Bool {
    transaction != 0
      ? held.transactions.contains(transaction) : held.originals.contains(original)
  }
}

extension EventData {
  /// The members that say who did what. They do not say whom it concerned.
  private static let actors: Set<String> = ["operator", "action"]

  /// Whether a text of an operator's record names one of `accounts`.
  fileprivate static func names(_ accounts: Set<String>, in json: [UInt8]) -> Bool {
    let members: [Member]
    do throws(RecordError) { members = try EventData(personal: json).members } catch {
      return false
    }
    return members.contains { member in
      guard !actors.contains(member.name) else { return false }
      do throws(EventError) { return try JSONValue(json: member.json).names(accounts) } catch {
        return false
      }
    }
  }
}

extension JSONValue {
  /// Whether one of its texts is one of `names`, or contains one between other words.
  fileprivate func names(_ names: Set<String>) -> Bool {
    switch self {
    case .string(let text): names.contains { text.isNaming($0) }
    case .array(let elements): elements.contains { $0.names(names) }
    case .object(let members): members.contains { $0.value.names(names) }
    default: false
    }
  }
}

extension String {
  /// Whether the text contains `name` with no letter or digit next to it.
  fileprivate func isNaming(_ name: String) -> Bool {
    let text = Array(utf8)
    let wanted = Array(name.utf8)
    guard !wanted.isEmpty, text.count >= wanted.count else { return false }
    for start in 0...text.count - wanted.count where text[start] == wanted[0] {
      let end = start + wanted.count
      guard text[start..<end].elementsEqual(wanted) else { continue }
      let isApart =
        (start == 0 || !text[start - 1].isPartOfWord)
        && (end == text.count || !text[end].isPartOfWord)
      if isApart { return true }
    }
    return false
  }
}

extension UInt8 {
  /// Whether it is part of a letter or digit; every byte beyond ASCII is.
  fileprivate var isPartOfWord: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...:
      true
    default: false
    }
  }
}
