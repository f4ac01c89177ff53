/// Lets each transaction through once at a time, and once in a launch if it was given.
///
/// StoreKit 2 hands the same transaction over several times: by `Transaction.unfinished`, by
/// `Transaction.updates`, and as the result of a purchase. An app that gives a consumable at each
/// would credit it twice.
public actor DeliveryGate {
  /// What is given once. A revocation is another matter than the purchase, and what StoreKit could
  /// not verify stands in nobody's way.
  private struct Key: Hashable {
    var transaction: String
    var revokedAt: Timestamp?
    var isVerified: Bool
  }

  /// What is being given, and who waits for its end.
  private var inFlight: [Key: [CheckedContinuation<Void, Never>]] = [:]
  private var given: Set<Key> = []

  public init() {}

  /// Gives what a transaction brings, unless it was given in this launch. If it is being given now,
  /// waits for the end, and tries again if that failed.
  ///
  /// - Parameter give: Throws if it was not given. It must not pass the same transaction here.
  public func pass(
    _ transaction: SignedTransaction, _ give: @Sendable () async throws -> Void
  ) async throws {
    let key = Key(
      transaction: transaction.transaction, revokedAt: transaction.revokedAt,
      isVerified: transaction.verificationError == nil)
    while inFlight[key] != nil {
      await withCheckedContinuation { inFlight[key]?.append($0) }
    }
    guard !given.contains(key) else { return }
    inFlight[key] = []
    defer { for waiter in inFlight.removeValue(forKey: key) ?? [] { waiter.resume() } }
    try await give()
    given.insert(key)
  }
}
