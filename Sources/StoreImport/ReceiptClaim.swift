public import LedgerEvents

/// An account that was named for purchases and does not hold them.
///
/// It is recorded as a note in the account's own history. The note names no transaction in its
/// envelope: a transaction belongs to the first account that an event of it states, and a claim
/// must not become that event, wherever it stands.
public struct ReceiptClaim: Hashable, Sendable {
  /// Why the account does not hold them.
  public enum Cause: Hashable, Sendable {
    /// The ledger knows another owner.
    case owned
    /// The receipt states an `app_account_token` of its own, and that one counts.
    case receiptStatesAnother
    /// The receipt states this account, and the one that was named for the import counts.
    case importNamesAnother
  }

  public var account: Name
  public var cause: Cause
  /// In the order of the receipt's purchases; at least one.
  public var transactions: [Name]

  /// What the note says. It does not name the owner, whose erasure could not reach it here.
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
      case .receiptStatesAnother: "the receipt states another account, and that one counts"
      case .importNamesAnother: "another account was named for the import, and that one counts"
      }
    return "\(fileName) was imported for this account and claims \(what): \(why). "
      + "Nothing changed owner."
  }

  /// The `note.added` that records the claim.
  ///
  /// - Parameters:
  ///   - id: Must not be made of the account: an id outlives the account's erasure.
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
