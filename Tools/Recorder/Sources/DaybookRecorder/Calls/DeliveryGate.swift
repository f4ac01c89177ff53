/// Gives the states of a transaction one after the other, and none of them twice in a launch.
///
/// StoreKit 2 hands the same transaction over several times: by `Transaction.unfinished`, by
/// `Transaction.updates`, and as the result of a purchase. An app that gives a consumable at each
/// would credit it twice. It hands a transaction over again, too, when it was refunded, when the
/// refund was reversed, when the subscription was upgraded, and when its period became longer:
/// those are given, each after what was handed over before has ended.
public actor DeliveryGate {
  /// Which transaction. What StoreKit could not verify stands in nobody's way, and the environments
  /// number their transactions each for itself.
  private struct Key: Hashable {
    var transaction: String
    var environment: StoreEnvironment?
    var isVerified: Bool
  }

  /// What decides over what the customer has.
  private struct State: Equatable {
    var product: String
    var quantity: Int?
    var ownership: SignedTransaction.Ownership?
    var expiresAt: Timestamp?
    var revokedAt: Timestamp?
    var isUpgraded: Bool

    init(_ transaction: SignedTransaction) {
      product = transaction.product
      quantity = transaction.quantity
      ownership = transaction.ownership
      expiresAt = transaction.expiresAt
      revokedAt = transaction.revokedAt
      isUpgraded = transaction.isUpgraded ?? false
    }
  }

  /// What is being given, and who waits for its end.
  private var inFlight: [Key: [AsyncStream<Void>.Continuation]] = [:]
  /// What was given last, and when the store signed it, or the same again.
  private var given: [Key: (state: State, signedAt: Timestamp?)] = [:]

  public init() {}

  /// Gives what a transaction says, unless the same or something newer was given in this launch. If
  /// a state of it is being given now, waits for the end, and tries again if that failed.
  ///
  /// All of this is done in a task of its own: if the caller's is cancelled, as a view's is when it
  /// goes, only the caller stops waiting, because nothing else may deliver it in this launch.
  ///
  /// - Parameter give: Throws if it was not given. It must not pass the same transaction here.
  /// - Throws: What `give` throws, and `CancellationError` if the task is cancelled while it waits.
  public func pass(
    _ transaction: SignedTransaction, _ give: @escaping @Sendable () async throws -> Void
  ) async throws {
    let (end, ending) = AsyncThrowingStream<Void, any Error>.makeStream()
    Task {
      do {
        try await passInTurn(transaction, give)
        ending.finish()
      } catch {
        ending.finish(throwing: error)
      }
    }
    for try await _ in end {}
    try Task.checkCancellation()
  }

  private func passInTurn(
    _ transaction: SignedTransaction, _ give: @Sendable () async throws -> Void
  ) async throws {
    let key = Key(
      transaction: transaction.transaction, environment: transaction.environment,
      isVerified: transaction.verificationError == nil)
    while inFlight[key] != nil {
      let (turn, end) = AsyncStream<Void>.makeStream()
      inFlight[key]?.append(end)
      for await _ in turn {}
    }
    guard isNew(transaction, key) else { return }
    inFlight[key] = []
    defer { for waiter in inFlight.removeValue(forKey: key) ?? [] { waiter.finish() } }
    try await give()
    given[key] = (State(transaction), transaction.signedAt)
  }

  /// How many wait for the end of what is being given.
  var waiters: Int { inFlight.values.reduce(0) { $0 + $1.count } }

  /// Whether a transaction says something else than what was given last, and not something older.
  private func isNew(_ transaction: SignedTransaction, _ key: Key) -> Bool {
    guard let last = given[key] else { return true }
    if let signedAt = transaction.signedAt, let before = last.signedAt, signedAt < before {
      return false
    }
    guard State(transaction) == last.state else { return true }
    // Signed again: what was signed in between is old from now on.
    if let signedAt = transaction.signedAt { given[key]?.signedAt = signedAt }
    return false
  }
}
