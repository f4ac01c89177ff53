internal import LedgerEvents
internal import LedgerModel

/// The part of a customer's history on which it can depend whether the customer has a product or an
/// entitlement: a few of the facts of a customer who bought many other things.
///
/// What grants something is a chain of transactions, or an operator. So the facts are those of the
/// chains in which a product occurs that has the name or may open it, whatever is about accounts or
/// comes from operators, and the catalogue. Facts of other chains have no effect on these, but for
/// three things that a fact may state for others: the environment of its session, whose session or
/// device it is, and that the account is known. What is left out then changes nothing that
/// `Explanation` says.
struct ExplainedSlice {
  private var positions: Set<UInt64> = []

  /// The positions of the facts that can decide.
  ///
  /// - Parameter facts: In the fold order.
  /// - Complexity: O(*n*) in the number of facts.
  static func positions(
    of facts: [Fact], about subject: ExplainedTimeline.Subject
  ) -> Set<UInt64> {
    ExplainedSlice(of: facts, about: subject.account, subject.name, product: subject.product)
      .positions
  }

  private init(of facts: [Fact], about account: NameNumber, _ name: Name, product: NameNumber) {
    let products = Self.products(named: name, product, facts)
    var chains = Chains()
    var anchors: [NameNumber] = []
    for fact in facts {
      let member = chains.add(fact)
      if member != 0, Self.isGeneral(fact, name) || products.contains(fact.product) {
        anchors.append(member)
      }
    }
    let wanted = Set(anchors.map { chains.root(of: $0) })
    let included = facts.filter { fact in
      if Self.isGeneral(fact, name) || products.contains(fact.product) { return true }
      let member = Chains.member(fact)
      return member != 0 && wanted.contains(chains.root(of: member))
    }
    positions = Set(included.map(\.position))
    addSessions(of: included, facts)
    addAccounts(seenWith: included, facts)
    if let first = facts.first(where: { $0.account == account }) {
      positions.insert(first.position)
    }
  }

  /// The products that have the name, or that any catalogue lets open the entitlement or credit the
  /// unit with that name.
  private static func products(
    named name: Name, _ product: NameNumber, _ facts: [Fact]
  ) -> Set<NameNumber> {
    var products: Set<NameNumber> = product == 0 ? [] : [product]
    for fact in facts where fact.kind == .catalogSet {
      for definition in fact.detail?.fields.definitions ?? []
      where definition.entitlements.contains(name)
        || definition.grants.contains(where: { $0.unit == name })
      {
        products.insert(definition.product)
      }
    }
    return products
  }

  /// Whether a fact counts whatever it is about.
  private static func isGeneral(_ fact: Fact, _ name: Name) -> Bool {
    switch fact.kind {
    case .catalogSet, .accountLinked, .accountTransferred, .accountErased, .entitlementGranted,
      .entitlementWithdrawn:
      true
    default: fact.detail.map { $0.fields.unit == name } ?? false
    }
  }

  /// Adds the facts that state the environment of a session, for those that have none of their own.
  private mutating func addSessions(of included: [Fact], _ facts: [Fact]) {
    func key(_ fact: Fact) -> UInt64 { UInt64(fact.device) << 32 | UInt64(fact.session) }
    var sessions: Set<UInt64> = []
    for fact in included
    where fact.environment == nil && fact.session != 0 && fact.transaction == 0
      && fact.payment == 0
    {
      sessions.insert(key(fact))
    }
    if sessions.isEmpty { return }
    for fact in facts
    where fact.environment != nil && fact.session != 0 && sessions.contains(key(fact)) {
      positions.insert(fact.position)
    }
  }

  /// Adds, for each session and device of facts without an account, a fact of each account that was
  /// seen there: they are the customer's if no other account was.
  private mutating func addAccounts(seenWith included: [Fact], _ facts: [Fact]) {
    var places: Set<NameNumber> = []
    for fact in included where fact.account == 0 {
      if fact.session != 0 { places.insert(fact.session) }
      if fact.device != 0 { places.insert(fact.device) }
    }
    if places.isEmpty { return }
    var seen: Set<UInt64> = []
    for fact in facts where fact.account != 0 {
      for place in [fact.session, fact.device] where places.contains(place) {
        if seen.insert(UInt64(place) << 32 | UInt64(fact.account)).inserted {
          positions.insert(fact.position)
        }
      }
    }
  }
}

/// Which transactions, originals and payments belong to one chain: a union-find over their numbers.
private struct Chains {
  private var parents: [NameNumber: NameNumber] = [:]

  /// One of the numbers of a fact; 0 if it has none.
  static func member(_ fact: Fact) -> NameNumber {
    if fact.transaction != 0 { return fact.transaction }
    return fact.payment != 0 ? fact.payment : fact.original
  }

  /// Joins the numbers of a fact, and returns one of them; 0 if it has none.
  mutating func add(_ fact: Fact) -> NameNumber {
    let first = Self.member(fact)
    if fact.payment != 0 { join(first, fact.payment) }
    if fact.original != 0 { join(first, fact.original) }
    return first
  }

  private mutating func join(_ number: NameNumber, _ other: NameNumber) {
    if number == other { return }
    let (left, right) = (root(of: number), root(of: other))
    if left != right { parents[left] = right }
  }

  mutating func root(of number: NameNumber) -> NameNumber {
    guard let parent = parents[number] else { return number }
    var root = parent
    while let next = parents[root] { root = next }
    if root != parent { parents[number] = root }
    return root
  }
}
