extension PullRun {
  /// After how many transactions in a row for which the store gave no usable answer a run ends: one
  /// may be that customer's fault, but several are the store's, or the network's.
  package static let silentListsMax = 3

  /// Pulls a list for each transaction. One customer's error is told and does not hold up the
  /// others.
  ///
  /// - Parameters:
  ///   - pulled: Told of each list that was pulled.
  ///   - failed: Told of each that was not, with the transaction in the message.
  /// - Throws: ``PullError``: what is no fault of one list; `unavailable` after ``silentListsMax``
  ///   in a row without a usable answer.
  package mutating func pull(
    _ list: StoreList, _ transactions: [StoreTransactionID], pulled: (PulledList) -> Void,
    failed: (PullError) -> Void
  ) async throws(PullError) {
    var silent = 0
    for (index, transaction) in transactions.enumerated() {
      do throws(PullError) {
        pulled(try await pull(list, transaction))
        silent = 0
      } catch {
        let told = PullError(error.kind, "\(transaction.text): \(error.message)")
        guard error.isOfOneList else { throw told }
        failed(told)
        silent = error.isSilence ? silent + 1 : 0
        let left = transactions.count - index - 1
        guard silent < Self.silentListsMax || left == 0 else {
          throw PullError(
            .unavailable,
            "the store gave no usable answer for \(silent) transactions in a row, so \(left) more "
              + "are not asked for. What was pulled is kept; try again later.")
        }
      }
    }
  }
}

extension PullError {
  /// Whether another list can be pulled nevertheless.
  fileprivate var isOfOneList: Bool {
    switch kind {
    case .notFound, .refused, .cursorRefused, .unavailable, .malformed, .endless, .damagedState,
      .revoked, .daybook(65):
      true
    default: false
    }
  }

  /// Whether the store gave no usable answer.
  fileprivate var isSilence: Bool { kind == .unavailable || kind == .malformed }
}
