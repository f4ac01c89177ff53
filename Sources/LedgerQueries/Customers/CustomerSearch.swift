public import LedgerEvents
internal import LedgerModel
public import LedgerStore

/// A name by which a search found a customer.
public struct CustomerMatch: Hashable, Sendable {
  /// The letters that a part of an id needs to be found: too many ids contain a shorter text.
  public static let partLettersMin = 3

  /// What the name is. Earlier cases say more about who the customer is.
  public enum Kind: Int, CaseIterable, Sendable {
    case account = 0
    case transaction = 1
    case original = 2
    case payment = 3
    case order = 4
    case device = 5

    /// The text in answers.
    public var text: String { "\(self)" }
  }

  /// How close the name is to the text that was searched for.
  public enum Nearness: Int, CaseIterable, Sendable {
    /// The same name.
    case exact = 0
    /// The name contains the text, ignoring letter case.
    case part = 1
    /// A name that was probably meant.
    case near = 2

    /// The text in answers.
    public var text: String { "\(self)" }
  }

  public var kind: Kind
  public var name: Name
  public var nearness: Nearness
}

/// A customer from a search, or from the list of all customers.
public struct CustomerAnswer: Sendable {
  /// The customer's linked account ids; empty if no known account holds what was found.
  public var accounts: [Name]
  /// The reference by which other questions find the customer.
  public var reference: CustomerReference
  /// What the search found; empty in a list of all customers.
  public var matches: [CustomerMatch]
  /// Products and entitlements that are active now.
  public var active: [Name]
  public var transactions: Int
  /// Transactions that are still in the queue.
  public var openTransactions: Int
  /// The believed store time of the customer's newest event in these environments.
  public var newestEventAt: Instant?
}

extension LedgerView {
  /// The customers that a text names: by account, transaction, original transaction, payment,
  /// device or order.
  ///
  /// An order is found if the `data` of an event contains it (`OrderMember`). If nothing has
  /// exactly that name, the answer is the customers with an account, transaction, payment or device
  /// whose name contains the text. If there are none either, it is those with a name that was
  /// probably meant.
  ///
  /// - Parameters:
  ///   - text: The text to search for.
  ///   - environments: The environments that count for active products and for transactions. Names
  ///     are found in all of them.
  ///   - now: The ledger's clock.
  /// - Returns: Each customer once, with those found by an account first.
  /// - Complexity: O(log *n*) for a name and O(*n*) in its unit; O(*n*) in the ledger's names and
  ///   events if nothing has that name.
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

  /// Passes every customer with a known account to `body`. Stops when `body` returns false.
  ///
  /// - Parameters:
  ///   - environments: The environments that count for active products and for transactions.
  ///   - now: The ledger's clock.
  ///   - body: Receives each customer once.
  /// - Complexity: O(*n*) in the ledger's units, one at a time.
  /// - Throws: ``LedgerError``, and what `body` throws.
  public func customers(
    environments: [StoreEnvironment] = [.production], now: Instant,
    _ body: (CustomerAnswer) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    var walk = try units()
    while let unit = try walk.next()?.indexedByHolder() {
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

  /// The account ids of the customer that a question is about; empty if none is known.
  ///
  /// A transaction can have different holders in different environments. The first environment in
  /// which it has one decides.
  ///
  /// - Complexity: O(*n*) in the customer's unit in the worst case.
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

// MARK: - Finding by name

extension LedgerView {
  /// Adds the customers that the names lead to.
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
    for number in order {
      guard let unit = try state(of: number), let names = byUnit[number] else { continue }
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
      for fact in try facts(of: number) {
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
    guard wanted.count >= CustomerMatch.partLettersMin else { return }
    var names: [(number: NameNumber, use: NameUse)] = []
    try comparedNames(of: Set(NameKind.searched)) { number, use in
      if use.name.text.lowercased().contains(wanted) { names.append((number, use)) }
    }
    try add(names, .part, to: &found)
  }

  /// Adds the holders of transactions whose events contain the order.
  private func addOrders(_ order: Name, to found: inout FoundCustomers) throws(LedgerError) {
    guard position > 0 else { return }
    var cursor = try log.records(in: 1...position)
    while try cursor.next() {
      let record = try cursor.record(isChecked: false)
      // Members outside the vocabulary are stored with the personal data.
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

  /// `nil` for a payment without a known account or transaction, because no question can be about
  /// it.
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

/// A member of `data` that contains the store's order: `orderId` or `webOrderLineItemId`, also in
/// the spelling of receipts and other servers (`order_id`, `web_order_line_item_id`).
enum OrderMember {
  /// In lower case, without underscores.
  private static let names: Set<String> = ["orderid", "weborderid", "weborderlineitemid"]

  static func isOrder(_ member: EventData.Member, _ order: Name) -> Bool {
    guard names.contains(member.name.lowercased().filter { $0 != "_" }) else { return false }
    return member.json == Array(order.text.utf8)
      || member.json == JSONValue.string(order.text).json
  }

  /// Whether an event of the kind can state an order. Kinds that devices report in bulk cannot.
  static func canStand(in kind: EventKind) -> Bool {
    switch kind {
    case .downloadProgressed, .downloadWaiting, .catalogReceived: false
    default: true
    }
  }
}

// MARK: - Customers found

/// A customer, or a chain without a known holder, and how it was found.
private struct FoundCustomer {
  var subject: Subject
  var accounts: [NameNumber]
  /// The transaction, if no known account holds it.
  var transaction: NameNumber
  var unit: Unit
  var matches: [CustomerMatch]

  /// The best of its matches.
  var best: (Int, Int) {
    matches.map { ($0.nearness.rawValue, $0.kind.rawValue) }.min { $0 < $1 } ?? (0, 0)
  }
}

private struct FoundCustomers {
  private enum Key: Hashable {
    case accounts([NameNumber])
    case chain(NameNumber)
  }

  private var customers: [FoundCustomer] = []
  private var indices: [Key: Int] = [:]

  var isEmpty: Bool { customers.isEmpty }

  /// Sorted by the best match, then in the order in which they were found.
  var sorted: [FoundCustomer] {
    customers.enumerated().sorted {
      $0.element.best == $1.element.best
        ? $0.offset < $1.offset : $0.element.best < $1.element.best
    }.map(\.element)
  }

  /// Adds the customers that the subject refers to. A transaction can have a different holder in
  /// each environment.
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
    guard let index = indices[key] else {
      indices[key] = customers.count
      customers.append(customer)
      return
    }
    for match in customer.matches where !customers[index].matches.contains(match) {
      customers[index].matches.append(match)
    }
  }
}

extension NameKind {
  /// The kinds by which customers are found.
  fileprivate static let searched: [NameKind] = [.account, .transaction, .payment, .device]
}

extension EnvironmentSet {
  static let all = EnvironmentSet(StoreEnvironment.allCases)
}

/// A name with its role in somebody's fact.
private struct StatedName: Hashable {
  let number: NameNumber
  let kind: CustomerMatch.Kind
  let subject: Subject
}

extension Fact {
  /// The names by which customers are found, other than accounts, each once and with its role.
  fileprivate var stated: [(NameNumber, CustomerMatch.Kind)] {
    var stated: [(NameNumber, CustomerMatch.Kind)] = [
      (transaction, .transaction), (payment, .payment), (device, .device),
    ]
    if original != transaction { stated.append((original, .original)) }
    return stated.filter { $0.0 != 0 }
  }

  /// Who the fact belongs to.
  fileprivate var subject: Subject? {
    if transaction != 0 { return .transaction(transaction) }
    if account != 0 { return .account(account) }
    if payment != 0 { return .transaction(payment) }
    return original == 0 ? nil : .original(original)
  }
}
