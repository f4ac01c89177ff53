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
  var payments: [NameNumber] = []
  var rootIndex = KeyIndex()
  var roots: [Root] = []
  var sessionIndex = KeyIndex()
  var sessions: [Session] = []

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
  init(settling facts: [Fact]) {
    for place in facts.indices where facts[place].payment != 0 {
      _ = bind(Statement(facts[place]))
    }
    for place in facts.indices { _ = state(Statement(facts[place])) }
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
    let place = paymentIndex.find(UInt64(fact.payment))
    if place < 0 {
      _ = paymentIndex.append(UInt64(fact.payment))
      payments.append(fact.transaction)
    } else if payments[place] == 0 && fact.transaction != 0 {
      payments[place] = fact.transaction
      return rename(fact.payment, as: fact.transaction)
    }
    return true
  }

  /// Gives what was known by its payment the number of its transaction. Returns false if the
  /// transaction was known already, because then two become one.
  private mutating func rename(_ payment: NameNumber, as transaction: NameNumber) -> Bool {
    if rootIndex.lookUp(UInt64(transaction)) >= 0 { return false }
    let place = rootIndex.lookUp(UInt64(payment))
    if place >= 0 { rootIndex.replace(at: place, with: UInt64(transaction)) }
    return true
  }

  /// Whether a fact is the first to name the transaction of its payment, which earlier facts state.
  func names(_ fact: Statement) -> Bool {
    if fact.payment == 0 || fact.transaction == 0 || fact.kind == .unknown { return false }
    let place = paymentIndex.lookUp(UInt64(fact.payment))
    return place >= 0 && payments[place] == 0
  }

  /// The transaction that a fact is about, or 0.
  private mutating func root(of fact: Statement) -> NameNumber {
    if fact.transaction != 0 { return fact.transaction }
    if fact.payment == 0 { return 0 }
    let place = paymentIndex.find(UInt64(fact.payment))
    return place >= 0 && payments[place] != 0 ? payments[place] : fact.payment
  }

  /// Notes the environment that a fact states for its transaction and its session.
  private mutating func state(_ fact: Statement) -> Bool {
    var isSettled = true
    let root = root(of: fact)
    if root != 0 {
      let place = rootPlace(root)
      if let stated = fact.environment, roots[place].environment == nil {
        isSettled = !roots[place].isBegun || stated == .production
        roots[place].environment = stated
      }
    }
    if fact.session != 0 {
      let place = sessionPlace(fact.sessionKey)
      if let stated = fact.environment, sessions[place].environment == nil {
        isSettled = isSettled && (!sessions[place].isReliedUpon || stated == .production)
        sessions[place].environment = stated
      }
    }
    return isSettled
  }

  /// Where a fact belongs. Every fact before it in the fold order must have been added.
  mutating func resolve(_ fact: Statement) -> Resolution {
    let root = root(of: fact)
    var rootEnvironment: StoreEnvironment?
    if root != 0 {
      let place = rootPlace(root)
      roots[place].isBegun = true
      rootEnvironment = roots[place].environment
    }
    var environment = fact.environment
    if environment == nil && !fact.kind.countsInEveryEnvironment {
      if root != 0 {
        environment = rootEnvironment ?? .production
      } else if fact.session != 0 {
        let place = sessionPlace(fact.sessionKey)
        sessions[place].isReliedUpon = true
        environment = sessions[place].environment ?? .production
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
    if root == 0 && fact.payment != 0 {
      let place = paymentIndex.lookUp(UInt64(fact.payment))
      root = place >= 0 && payments[place] != 0 ? payments[place] : fact.payment
    }
    let place = root == 0 ? none : rootIndex.lookUp(UInt64(root))
    let rootEnvironment = place < 0 ? nil : roots[place].environment
    var environment = fact.environment
    if environment == nil && !fact.kind.countsInEveryEnvironment {
      let session = root == 0 && fact.session != 0 ? sessionIndex.lookUp(fact.sessionKey) : none
      environment =
        (session < 0 ? rootEnvironment : sessions[session].environment) ?? .production
    }
    return Resolution(root: root, environment: environment, rootEnvironment: rootEnvironment)
  }

  /// Whether `environment-mixed` is found at a fact. It is found once per transaction.
  mutating func findsMixture(
    _ stated: StoreEnvironment?, _ resolution: Resolution
  ) -> Bool {
    guard EnvironmentMixed.breaks(stated: stated, first: resolution.rootEnvironment) else {
      return false
    }
    let place = rootPlace(resolution.root)
    if roots[place].mixtureFound { return false }
    roots[place].mixtureFound = true
    return true
  }

  private mutating func rootPlace(_ root: NameNumber) -> Int {
    let place = rootIndex.find(UInt64(root))
    if place >= 0 { return place }
    roots.append(Root())
    return rootIndex.append(UInt64(root))
  }

  private mutating func sessionPlace(_ key: UInt64) -> Int {
    let place = sessionIndex.find(key)
    if place >= 0 { return place }
    sessions.append(Session())
    return sessionIndex.append(key)
  }
}
