import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerQueries

/// A customer that is named by a transaction or a chain instead of an account.
struct HolderOptions: ParsableArguments {
  @Option(
    help: "Instead of the account: the holder of this transaction.", transform: Parse.name)
  var transaction: Name?

  @Option(
    help: "Instead of the account: the holder of the chain of this original transaction.",
    transform: Parse.name)
  var original: Name?

  /// All references that are given, including `account`.
  func references(_ account: Name?) -> [CustomerReference] {
    [
      account.map { .account($0) }, transaction.map { .transaction($0) },
      original.map { .original($0) },
    ].compactMap { $0 }
  }

  /// Throws if more than one is given, including `account`.
  func refuseSeveral(_ account: Name?, spelled word: String = "an account") throws {
    guard references(account).count <= 1 else {
      throw ValidationError("name one of: \(word), --transaction, --original.")
    }
  }
}

/// The customer that a question is about: an account, a transaction or an original transaction.
struct CustomerOptions: ParsableArguments {
  @Argument(help: "The account.", completion: Completions.accounts, transform: Parse.name)
  var account: Name?

  @OptionGroup var holder: HolderOptions

  func validate() throws {
    try holder.refuseSeveral(account)
    guard !holder.references(account).isEmpty else {
      throw ValidationError("name an account, or --transaction or --original instead.")
    }
  }

  /// The reference that is given.
  var reference: CustomerReference {
    let references = holder.references(account)
    precondition(references.count == 1, "whoever asks names one customer")
    return references[0]
  }
}

/// The customer that a question is about, if it need not be about one customer.
struct OptionalCustomerOptions: ParsableArguments {
  @Argument(
    help: "The account (default: every customer, where the command allows it).",
    completion: Completions.accounts,
    transform: Parse.name)
  var account: Name?

  @OptionGroup var holder: HolderOptions

  func validate() throws { try holder.refuseSeveral(account) }

  var reference: CustomerReference? { holder.references(account).first }
}

extension CustomerReference {

  var description: String { words.printable }
}
