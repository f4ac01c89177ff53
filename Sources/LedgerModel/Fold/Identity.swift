import LedgerEvents

/// Where a fact of a unit belongs: the transaction that it is about, and its environments.
struct Resolution: Sendable {
  /// The number of the transaction, or of its payment while no transaction is known; otherwise 0.
  var root: NameNumber
  /// `nil` if it belongs to every environment.
  var environment: StoreEnvironment?
  /// The first environment that any event states for the transaction.
  var rootEnvironment: StoreEnvironment?
}

/// What is settled over all environments before a unit's facts are folded: which payment belongs to
/// which transaction, and the environments of transactions and sessions (`model.md`, *Terms*). Each
/// of these is the first that any event states, so a late event can change it for earlier ones.
struct Identity: Sendable {
  struct Root: Sendable {
    var environment: StoreEnvironment?
    /// Whether one of its events was folded. If so, an environment that is stated later changes the
    /// past.
    var isBegun = false
    var mixtureFound = false
  }

  struct Session: Sendable {
    var environment: StoreEnvironment?
    /// Whether an event was folded in the environment of this session.
    var isReliedUpon = false
  }

  var paymentIndex = KeyIndex()
  /// By payment: its transaction, or 0 as long as none is known.
  var payments: StateTable<NameNumber> = []
  var rootIndex = KeyIndex()
  var roots: StateTable<Root> = []
  var sessionIndex = KeyIndex()
  var sessions: StateTable<Session> = []

  /// What a fact says about identity. It is small because it is needed several times for each fact.
  struct Statement: Sendable {
    let kind: EventKind
    let environment: StoreEnvironment?
    let transaction: NameNumber
    let payment: NameNumber
    let device: NameNumber
    let session: NameNumber

    init(_ fact: Fact) {
      kind = fact.kind
      environment = fact.environment
      transaction = fact.transaction
      payment = fact.payment
      device = fact.device
      session = fact.session
    }

    /// The key of the session on its device.
    var sessionKey: UInt64 { UInt64(device) << 32 | UInt64(session) }
  }

  /// Settles everything that `facts`, which are in the fold order, say about identity.
  init(settling facts: ArraySlice<Fact>) {
    for index in facts.indices where facts[index].payment != 0 {
      _ = bind(Statement(facts[index]))
    }
    for index in facts.indices { _ = state(Statement(facts[index])) }
  }

  init() {}

  /// Adds the next fact in the fold order. Returns false if what it says would change how earlier
  /// facts were folded.
  mutating func admit(_ fact: Statement) -> Bool {
    (fact.payment == 0 || bind(fact)) && state(fact)
  }

  /// Binds a payment to the first transaction that an event with this payment names. Events of
  /// unknown types bind nothing.
  private mutating func bind(_ fact: Statement) -> Bool {
    if fact.kind == .unknown && fact.transaction != 0 { return true }
    let index = paymentIndex.find(UInt64(fact.payment))
    if index < 0 {
      _ = paymentIndex.append(UInt64(fact.payment))
      payments.append(fact.transaction)
    } else if payments[index] == 0 && fact.transaction != 0 {
      payments[index] = fact.transaction
      return rename(fact.payment, as: fact.transaction)
    }
    return true
  }

  /// Gives what was known by its payment the number of its transaction. Returns false if the
  /// transaction was known already, because then two become one.
  private mutating func rename(_ payment: NameNumber, as transaction: NameNumber) -> Bool {
    if rootIndex.lookUp(UInt64(transaction)) >= 0 { return false }
    let index = rootIndex.lookUp(UInt64(payment))
    if index >= 0 { rootIndex.replace(at: index, with: UInt64(transaction)) }
    return true
  }

  /// Whether a fact is the first to name the transaction of its payment, which earlier facts state.
  func names(_ fact: Statement) -> Bool {
    if fact.payment == 0 || fact.transaction == 0 || fact.kind == .unknown { return false }
    let index = paymentIndex.lookUp(UInt64(fact.payment))
    return index >= 0 && payments[index] == 0
  }

  /// The transaction that a fact is about, or 0.
  private mutating func root(of fact: Statement) -> NameNumber {
    if fact.transaction != 0 { return fact.transaction }
    if fact.payment == 0 { return 0 }
    let index = paymentIndex.find(UInt64(fact.payment))
    return index >= 0 && payments[index] != 0 ? payments[index] : fact.payment
  }

  /// Notes the environment that a fact states for its transaction and its session.
  private mutating func state(_ fact: Statement) -> Bool {
    var isSettled = true
    let root = root(of: fact)
    if root != 0 {
      let index = indexOfRoot(root)
      if let stated = fact.environment, roots[index].environment == nil {
        isSettled = !roots[index].isBegun || stated == .production
        roots[index].environment = stated
      }
    }
    if fact.session != 0 {
      let index = indexOfSession(fact.sessionKey)
      if let stated = fact.environment, sessions[index].environment == nil {
        isSettled = isSettled && (!sessions[index].isReliedUpon || stated == .production)
        sessions[index].environment = stated
      }
    }
    return isSettled
  }

  /// Where a fact belongs. Every fact before it in the fold order must have been added.
  mutating func resolve(_ fact: Statement) -> Resolution {
    let root = root(of: fact)
    var rootEnvironment: StoreEnvironment?
    if root != 0 {
      let index = indexOfRoot(root)
      roots[index].isBegun = true
      rootEnvironment = roots[index].environment
    }
    var environment = fact.environment
    if environment == nil && !fact.kind.countsInEveryEnvironment {
      if root != 0 {
        environment = rootEnvironment ?? .production
      } else if fact.session != 0 {
        let index = indexOfSession(fact.sessionKey)
        sessions[index].isReliedUpon = true
        environment = sessions[index].environment ?? .production
      } else {
        environment = .production
      }
    }
    return Resolution(root: root, environment: environment, rootEnvironment: rootEnvironment)
  }

  /// Where a fact belongs that was already added and resolved.
  ///
  /// - Complexity: O(1).
  func resolved(_ fact: Statement) -> Resolution {
    var root = fact.transaction
    if root == 0 && fact.payment != 0 { root = transaction(ofPayment: fact.payment) }
    let index = root == 0 ? none : rootIndex.lookUp(UInt64(root))
    let rootEnvironment = index < 0 ? nil : roots[index].environment
    var environment = fact.environment
    if environment == nil && !fact.kind.countsInEveryEnvironment {
      let session = root == 0 && fact.session != 0 ? sessionIndex.lookUp(fact.sessionKey) : none
      environment =
        (session < 0 ? rootEnvironment : sessions[session].environment) ?? .production
    }
    return Resolution(root: root, environment: environment, rootEnvironment: rootEnvironment)
  }

  /// The transaction that a payment is known to belong to; otherwise the payment's own number.
  func transaction(ofPayment payment: NameNumber) -> NameNumber {
    let index = paymentIndex.lookUp(UInt64(payment))
    return index >= 0 && payments[index] != 0 ? payments[index] : payment
  }

  /// Whether `environment-mixed` is found at a fact. It is found once per transaction.
  mutating func findsMixture(
    _ stated: StoreEnvironment?, _ resolution: Resolution
  ) -> Bool {
    guard EnvironmentMixed.breaks(stated: stated, first: resolution.rootEnvironment) else {
      return false
    }
    let index = indexOfRoot(resolution.root)
    if roots[index].mixtureFound { return false }
    roots[index].mixtureFound = true
    return true
  }

  private mutating func indexOfRoot(_ root: NameNumber) -> Int {
    let index = rootIndex.find(UInt64(root))
    if index >= 0 { return index }
    roots.append(Root())
    return rootIndex.append(UInt64(root))
  }

  private mutating func indexOfSession(_ key: UInt64) -> Int {
    let index = sessionIndex.find(key)
    if index >= 0 { return index }
    sessions.append(Session())
    return sessionIndex.append(key)
  }
}
