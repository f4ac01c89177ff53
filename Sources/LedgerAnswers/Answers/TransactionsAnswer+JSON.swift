import LedgerEvents
import LedgerModel
package import LedgerQueries

extension TransactionsAnswer {
  /// The columns of a table with a row for each transaction.
  package static let columns = [
    "transaction", "payment", "originalTransaction", "product", "account", "environment",
    "state", "since", "queue", "openedAt", "finishes", "removedUnfinished", "purchasedAt",
    "reversal", "ownership", "downloads",
  ]

  /// The answer as a document.
  ///
  /// - Parameter customer: Whom the question was about.
  package func json(of customer: CustomerReference) -> String {
    var json = JSONText()
    json.object { json in
      customer.write(to: &json)
      json.member("known", isKnown)
      json.member("position", position)
      json.member("environment", environments)
      json.member("transactions", each: entries) { $1.write(to: &$0) }
    }
    return json.text
  }
}

extension TransactionsAnswer.Entry {
  /// Whether the purchase was a customer's who was erased. The name of an erased account is
  /// `erased:` and a number.
  package var isErasedCustomers: Bool { account?.text.hasPrefix("erased:") == true }

  /// The reported state in one word; `nil` if only the store has reported the transaction.
  package var state: String? {
    reported.flatMap { $0.text.split(separator: ".").last.map(String.init) }
  }

  /// Writes the transaction with its downloads.
  package func write(to json: inout JSONText) {
    json.object { json in
      json.member("transaction", transaction)
      json.member("payment", payment)
      json.member("originalTransaction", originalTransaction)
      json.member("product", product)
      json.member("account", account)
      json.member("environment", environment.text)
      json.member("state", state)
      json.member("since", reportedAt)
      json.member("queue", phase.text)
      json.member("openedAt", openedAt)
      json.member("finishes", finishCount)
      json.member("removedUnfinished", isRemovedUnfinished)
      json.member("purchasedAt", purchasedAt)
      json.member("reversal", reversal?.text)
      json.member("ownership", isFamilyShared ? "familyShared" : "purchased")
      json.member("downloads", each: downloads) { $1.write(to: &$0) }
    }
  }
}

extension TransactionsAnswer.Download {
  fileprivate func write(to json: inout JSONText) {
    json.object { json in
      json.member("download", download)
      json.member("device", device)
      json.member("state", phase.text)
      json.member("cancelledByFinish", isCancelledByFinish)
      json.member("progress", progress)
      json.member("host", host == .own ? "own" : "store")
      json.member("contentVersion", contentVersion)
      json.member("since", since)
    }
  }
}
