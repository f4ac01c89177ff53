public import LedgerEvents

/// A claim of purchases for an account that does not hold them.
///
/// It is recorded as a note in the account's history. The note does not name a transaction in its
/// envelope: a transaction belongs to the first account that an event of it states, and a claim
/// must never be that event, whatever its order.
public struct ReceiptClaim: Hashable, Sendable {
  /// Why the account does not hold the purchases.
  public enum Cause: Hashable, Sendable {
    /// The ledger knows another owner.
    case owned
    /// The receipt states a different `app_account_token`, which takes precedence.
    case receiptStatesAnother
    /// The receipt states this account, but the account named for the import takes precedence.
    case importNamesAnother
  }

  public var account: Name
  public var cause: Cause
  /// The claimed transactions, in the order of the receipt; at least one.
  public var transactions: [Name]

  /// Returns the text of the note. It does not name the owner, because an erasure of the owner
  /// could not reach it here.
  ///
  /// - Parameter fileName: The name of the receipt's file.
  public func text(fileName: String) -> String {
    let what =
      transactions.count == 1
      ? "transaction \(transactions[0])"
      : "\(transactions.count) transactions (\(transactions[0]) and others)"
    let why =
      switch cause {
      case .owned: "another customer owns it"
      case .receiptStatesAnother: "the receipt states another account, which takes precedence"
      case .importNamesAnother: "another account was named for the import and takes precedence"
      }
    return "\(fileName) was imported for this account and claims \(what): \(why). "
      + "No owner changed."
  }

  /// Returns the `note.added` event that records the claim.
  ///
  /// - Parameters:
  ///   - id: The event's id. It must not be derived from the account, because it outlives the
  ///     account's erasure.
  ///   - time: When the claim was made.
  ///   - fileName: The file that makes the claim, for the text of the note.
  public func note(id: Name, at time: Instant, fileName: String) -> Event {
    var data = EventData.Builder()
    data.set("text", text(fileName: fileName))
    return Event(
      id: id, type: EventType(.noteAdded), occurredAt: time, source: EventSource(.operator),
      account: account, data: data.build())
  }
}
