internal import Crypto
internal import Foundation
internal import LedgerAnswers
internal import LedgerEvents
internal import LedgerModel

/// Something to tell about one customer.
struct Message {
  var type: String
  /// The number of the account that it is about; of the transaction or the device if there is none.
  /// Messages about one are sent one after the other.
  var customer: NameNumber
  /// Who else is in it: the account to which one was linked or transferred; and if it is about no
  /// account, what its customer is found by.
  var others: [NameNumber] = []
  /// The transactions in a message about an account.
  var named: [NameNumber] = []
  /// Whether ``customer`` is that of an account.
  var isAboutAccount: Bool
  /// The ledger's position at which it is true.
  var position: UInt64
  /// The event that it tells of, or at which a rule is broken; nil if it tells what an account has.
  var event: UInt64?
  /// The positions of the states that it tells: that of the look, and that of the state before.
  var statesAt: Set<UInt64>
  /// The store time at which it is true.
  var at: Int64
  /// nil if it counts in every environment.
  var environment: StoreEnvironment?
  /// The products and entitlements that it is about.
  var products: Set<Name> = []
  var rule: Rule?
  /// A JSON object with what the ledger does not keep: the change. No name of a person is in it.
  var content: String

  /// The id, which is the same whenever the same change is found again.
  ///
  /// Source: Standard Webhooks, *Webhook metadata*: unique to the message, and the same for each
  /// attempt.
  func id(in ledger: [UInt8]) -> String {
    var hash = SHA256()
    hash.update(data: ledger)
    let environment = environment?.text ?? ""
    let head = "\(type)\n\(customer)\n\(position)\n\(at)\n\(environment)\n\(content)"
    hash.update(data: Data(head.utf8))
    let digits = hash.finalize().prefix(Self.idBytes).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return "msg_" + digits.joined()
  }

  private static let idBytes = 16
}
