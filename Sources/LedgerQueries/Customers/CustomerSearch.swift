public import LedgerEvents
internal import LedgerModel
public import LedgerStore

/// A name by which a search found a customer.
public struct CustomerMatch: Hashable, Sendable {
  /// What the name is; the first of several kinds says most about whose it is.
  public enum Kind: Int, CaseIterable, Sendable {
    case account = 0
    case transaction = 1
    case original = 2
    case payment = 3
    case order = 4
    case device = 5

    /// As answers write it.
    public var text: String { "\(self)" }
  }

  /// How near the name is to what was searched for.
  public enum Nearness: Int, CaseIterable, Sendable {
    /// The very name.
    case exact = 0
    /// The text is a part of the name; letter case does not count.
    case part = 1
    /// A name that was probably meant.
    case near = 2

    /// As answers write it.
    public var text: String { "\(self)" }
  }

  public var kind: Kind
  public var name: Name
  public var nearness: Nearness
}

/// A customer that a search found, or of a list of all.
public struct CustomerAnswer: Sendable {
  /// The customer's account ids, those that are linked together; empty where nobody known holds
  /// what was found.
  public var accounts: [Name]
  /// By what other questions find the customer.
  public var reference: CustomerReference
  /// What the search found; empty in a list of all customers.
  public var matches: [CustomerMatch]
  /// Products and entitlements that are active now.
  public var active: [Name]
  public var transactions: Int
  /// Transactions that are still on the queue.
  public var openTransactions: Int
  /// Believed store time of the customer's newest event, in these environments.
  public var newestEventAt: Instant?
}

extension LedgerView {
  /// The customers that a text names: by account, transaction, original transaction, payment,
  /// device or order.
  ///
  /// An order is found where the `data` of an event carries it (`OrderMember`). Where nothing has
  /// exactly that name, those are the answer whose account, transaction, payment or device contains
  /// the text; where none does, those with a name that was probably meant.
  ///
  /// - Parameters:
  ///   - text: What is searched for.
  ///   - environments: Which environments count for what is active and for transactions; names are
  ///     found in all of them.
  ///   - now: The ledger's clock.
  /// - Returns: Customers found by an account first; each customer once.
  /// - Complexity: O(log *n*) for a name and O(*n*) in its unit; O(*n*) in the ledger's names and
  ///   events where nothing has that name.
  /// - Throws: ``LedgerError``.
  public func customers(
    matching text: Name, environments: [StoreEnvironment] = [.production], now: Instant
  ) throws(LedgerError) -> [CustomerAnswer] {
    var found = FoundCustomers()
    for kind in NameKind.searched {
      guard let number = try number(of: kind, text) else { continue }
      try add([(number, NameUse(kind: kind, name: text))], .exact, to: &found)
    }
    if found.isEmpty { try addOrders(text, to: &found) }
    if found.isEmpty { try addParts(text, to: &found) }
    if found.isEmpty {
      for kind in NameKind.searched {
        guard let near = try nearestName(to: text, of: kind),
          let number = try number(of: kind, near)
        else { continue }
        try add([(number, NameUse(kind: kind, name: near))], .near, to: &found)
      }
    }
    var answers: [CustomerAnswer] = []
    for customer in found.sorted {
      if let answer = try answer(customer, EnvironmentSet(environments), now) {
        answers.append(answer)
      }
    }
    return answers
  }

  /// Hands out every customer whom an event names by an account; stops where `body` returns false.
  ///
  /// - Parameters:
  ///   - environments: Which environments count for what is active and for transactions.
  ///   - now: The ledger's clock.
  ///   - body: Given each customer once.
  /// - Complexity: O(*n*) in the ledger's units, one at a time.
  /// - Throws: ``LedgerError``, and what `body` throws.
  public func customers(
    environments: [StoreEnvironment] = [.production], now: Instant,
    _ body: (CustomerAnswer) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    var walk = try units()
    while let unit = try walk.next() {
      var seen: Set<NameNumber> = []
      for account in unit.knownAccounts where !seen.contains(account) {
        let accounts = unit.accounts(of: .account(account), environments: .all)
        seen.formUnion(accounts)
        let customer = FoundCustomer(
          subject: .account(account), accounts: accounts, transaction: 0, unit: unit, matches: [])
        guard let answer = try answer(customer, EnvironmentSet(environments), now) else { continue }
        if try !body(answer) { return }
      }
    }
  }

  /// The account ids of whom a question is about; empty where nobody known is.
  ///
  /// A transaction can have another holder in another environment: the first environment in which
  /// somebody holds it decides.
  ///
  /// - Complexity: O(*n*) in the customer's unit at the worst.
  /// - Throws: ``LedgerError``.
  public func accounts(
    of customer: CustomerReference, environments: [StoreEnvironment] = [.production],
    clocks: Clocks = .now
  ) throws(LedgerError) -> [Name] {
    guard let inquiry = try inquire(customer, clocks), inquiry.isKnown else { return [] }
    let (unit, subject) = (inquiry.unit, inquiry.subject)
    var accounts: [Name] = []
    for environment in environments where accounts.isEmpty {
      for number in unit.accounts(of: subject, environments: EnvironmentSet(environment)) {
        accounts.append(try text(of: number))
      }
    }
    return accounts
  }
}

// MARK: - What has the name

extension LedgerView {
  /// Adds the customers that names lead to.
  ///
  /// - Complexity: O(*n*) in the units that the names belong to, each read once.
  private func add(
    _ names: [(number: NameNumber, use: NameUse)], _ nearness: CustomerMatch.Nearness,
    to found: inout FoundCustomers
  ) throws(LedgerError) {
    var order: [UnitNumber] = []
    var byUnit: [UnitNumber: [(number: NameNumber, use: NameUse)]] = [:]
    for name in names {
      guard let unit = try foldedUnitNumber(of: name.number) else { continue }
      if byUnit[unit] == nil { order.append(unit) }
      byUnit[unit, default: []].append(name)
    }
    for place in order {
      guard let unit = try state(of: place), let names = byUnit[place] else { continue }
      var others: [NameNumber: Name] = [:]
      for (number, use) in names {
        if use.kind == .account {
          let match = CustomerMatch(kind: .account, name: use.name, nearness: nearness)
          found.add(.account(number), match, unit)
        } else {
          others[number] = use.name
        }
      }
      if others.isEmpty { continue }
      var seen: Set<StatedName> = []
      for fact in try facts(of: place) {
        guard let subject = fact.subject else { continue }
        for (number, kind) in fact.stated {
          guard let name = others[number],
            seen.insert(StatedName(number: number, kind: kind, subject: subject)).inserted
          else { continue }
          found.add(subject, CustomerMatch(kind: kind, name: name, nearness: nearness), unit)
        }
      }
    }
  }

  private func addParts(_ text: Name, to found: inout FoundCustomers) throws(LedgerError) {
    let wanted = text.text.lowercased()
    guard wanted.count >= FoundCustomers.partLettersMin else { return }
    var names: [(number: NameNumber, use: NameUse)] = []
    try comparedNames(of: Set(NameKind.searched)) { number, use in
      if use.name.text.lowercased().contains(wanted) { names.append((number, use)) }
    }
    try add(names, .part, to: &found)
  }

  /// Adds whoever holds a transaction of which an event carries the order.
  private func addOrders(_ order: Name, to found: inout FoundCustomers) throws(LedgerError) {
    guard position > 0 else { return }
    var cursor = try log.records(in: 1...position)
    while try cursor.next() {
      let record = try cursor.record(isChecked: false)
      // What the vocabulary does not name stands with the personal data.
      guard record.commitment != nil, OrderMember.canStand(in: record.kind) else { continue }
      let event = try log.event(at: cursor.position).event
      guard event.data.members.contains(where: { OrderMember.isOrder($0, order) }) else { continue }
      let match = CustomerMatch(kind: .order, name: order, nearness: .exact)
      for (name, kind) in [
        (event.transaction ?? event.originalTransaction, NameKind.transaction),
        (event.account, .account),
      ] {
        guard let name, let number = try number(of: kind, name),
          let unit = try self.unit(of: number)
        else { continue }
        found.add(kind == .account ? .account(number) : .transaction(number), match, unit)
        break
      }
    }
  }

  /// `nil` for a payment of nobody known that came to no transaction: no question is about it.
  private func answer(
    _ customer: FoundCustomer, _ environments: EnvironmentSet, _ now: Instant
  ) throws(LedgerError) -> CustomerAnswer? {
    let (unit, subject) = (customer.unit, customer.subject)
    let newest = unit.newestEvent(of: subject, environments: environments)
    let answer = unit.answer(
      subject, environments: environments, at: max(now.microseconds, newest ?? .min),
      context: context, texts: texts)
    try texts.check()
    let standings = unit.standings(of: subject, environments: environments)
    var accounts: [Name] = []
    for account in customer.accounts { accounts.append(try text(of: account)) }
    let reference: CustomerReference
    if let first = accounts.first {
      reference = .account(first)
    } else {
      let use = try log.name(customer.transaction)
      guard use.kind == .transaction else { return nil }
      reference = .transaction(use.name)
    }
    return CustomerAnswer(
      accounts: accounts, reference: reference, matches: customer.matches, active: answer.active,
      transactions: standings.count, openTransactions: standings.count(where: \.isOnQueue),
      newestEventAt: newest.map(Instant.init(microseconds:)))
  }
}

/// A member of `data` that carries the store's order: `orderId` or `webOrderLineItemId`, also as
/// receipts and servers of others spell them (`order_id`, `web_order_line_item_id`).
enum OrderMember {
  /// In small letters, without underscores.
  private static let names: Set<String> = ["orderid", "weborderid", "weborderlineitemid"]

  static func isOrder(_ member: EventData.Member, _ order: Name) -> Bool {
    guard names.contains(member.name.lowercased().filter { $0 != "_" }) else { return false }
    return member.json == Array(order.text.utf8)
      || member.json == JSONValue.string(order.text).json
  }

  /// Whether an event of the kind can say of which order it is: not what devices report in bulk.
  static func canStand(in kind: EventKind) -> Bool {
    switch kind {
    case .downloadProgressed, .downloadWaiting, .catalogReceived: false
    default: true
    }
  }
}

// MARK: - Who was found

/// A customer, or a chain that nobody known holds, and how it was found.
private struct FoundCustomer {
  var subject: Subject
  var accounts: [NameNumber]
  /// Where nobody known holds it.
  var transaction: NameNumber
  var unit: Unit
  var matches: [CustomerMatch]

  /// The best of its matches.
  var best: (Int, Int) {
    matches.map { ($0.nearness.rawValue, $0.kind.rawValue) }.min { $0 < $1 } ?? (0, 0)
  }
}

private struct FoundCustomers {
  /// Shorter texts are a part of too many names.
  static let partLettersMin = 3

  private enum Key: Hashable {
    case accounts([NameNumber])
    case chain(NameNumber)
  }

  private var customers: [FoundCustomer] = []
  private var places: [Key: Int] = [:]

  var isEmpty: Bool { customers.isEmpty }

  /// By the best match, in the order in which they were found.
  var sorted: [FoundCustomer] {
    customers.enumerated().sorted {
      $0.element.best == $1.element.best
        ? $0.offset < $1.offset : $0.element.best < $1.element.best
    }.map(\.element)
  }

  /// Adds whoever the subject means, in each environment: a transaction can have another holder in
  /// another one.
  mutating func add(_ subject: Subject, _ match: CustomerMatch, _ unit: Unit) {
    var isHeld = false
    for environment in StoreEnvironment.allCases {
      let holders = unit.accounts(of: subject, environments: EnvironmentSet(environment))
      guard let first = holders.first else { continue }
      isHeld = true
      let accounts = unit.accounts(of: .account(first), environments: .all)
      add(
        FoundCustomer(
          subject: .account(first), accounts: accounts, transaction: 0, unit: unit,
          matches: [match]), .accounts(accounts.sorted()))
    }
    guard !isHeld, let standing = unit.standings(of: subject, environments: .all).first else {
      return
    }
    add(
      FoundCustomer(
        subject: subject, accounts: [], transaction: standing.number, unit: unit,
        matches: [match]), .chain(standing.original))
  }

  private mutating func add(_ customer: FoundCustomer, _ key: Key) {
    guard let place = places[key] else {
      places[key] = customers.count
      customers.append(customer)
      return
    }
    for match in customer.matches where !customers[place].matches.contains(match) {
      customers[place].matches.append(match)
    }
  }
}

extension NameKind {
  /// Those by which customers are found.
  fileprivate static let searched: [NameKind] = [.account, .transaction, .payment, .device]
}

extension EnvironmentSet {
  static let all = EnvironmentSet(StoreEnvironment.allCases)
}

/// A name, as what a fact of somebody states it.
private struct StatedName: Hashable {
  let number: NameNumber
  let kind: CustomerMatch.Kind
  let subject: Subject
}

extension Fact {
  /// The names other than accounts by which customers are found, each once, with what they are.
  fileprivate var stated: [(NameNumber, CustomerMatch.Kind)] {
    var stated: [(NameNumber, CustomerMatch.Kind)] = [
      (transaction, .transaction), (payment, .payment), (device, .device),
    ]
    if original != transaction { stated.append((original, .original)) }
    return stated.filter { $0.0 != 0 }
  }

  /// Whose the fact is.
  fileprivate var subject: Subject? {
    if transaction != 0 { return .transaction(transaction) }
    if account != 0 { return .account(account) }
    if payment != 0 { return .transaction(payment) }
    return original == 0 ? nil : .original(original)
  }
}
