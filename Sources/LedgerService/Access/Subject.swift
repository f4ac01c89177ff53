import LedgerAnswers
import LedgerEvents
import LedgerQueries
import LedgerStore

/// The states of customers of which an answer tells, beside the present one of whom it is about.
///
/// Only a snapshot may know them: another page ends where the first one did, and who owned a
/// purchase earlier need not be who owns it.
struct OtherStates: Sendable {
  struct State {
    var customer: CustomerReference
    var clocks: Clocks
  }

  /// The answer is about the present alone.
  static let none = OtherStates { _ in [] }

  /// Finds them, in a snapshot.
  let states: @Sendable (LedgerView) throws(LedgerError) -> [State]

  init(_ states: @escaping @Sendable (LedgerView) throws(LedgerError) -> [State]) {
    self.states = states
  }

  /// The state of a customer at other clocks.
  static func of(_ customer: CustomerReference, at clocks: Clocks) -> OtherStates {
    OtherStates { _ in [State(customer: customer, clocks: clocks)] }
  }
}

/// Whom a question is about.
enum Subject: Sendable {
  /// One customer, now and perhaps at other moments.
  case customer(CustomerReference, OtherStates = .none)
  /// Events that a query selects.
  case events(EventsQuery)
  /// All customers, or some that the answer finds.
  case everybody
  /// One customer, or some, with all that is connected with them, which others may have; nil for a
  /// part of the log.
  case connected(CustomerReference?)

  /// Whom the question is about, for the log.
  var words: String {
    switch self {
    case .customer(let customer, _): customer.words
    case .events(let query): query.words
    case .everybody, .connected(nil): "everybody"
    case .connected(let customer?): customer.words
    }
  }
}

extension Subject {
  /// Whether a question is about any number of customers, so that it may take long.
  ///
  /// - Parameter named: What it names: then it is about that.
  func isMany(named: String?) -> Bool {
    switch self {
    case .everybody: named == nil
    case .events(let query): query.account == nil
    case .customer: false
    case .connected: true
    }
  }
}

extension EventsQuery {
  /// What names somebody, for the log.
  fileprivate var words: String {
    var words = [
      account.map { "account \($0.text)" }, transaction.map { "transaction \($0.text)" },
      original.map { "original \($0.text)" }, device.map { "device \($0.text)" },
      download.map { "download \($0.text)" },
    ].compactMap { $0 }
    if from == to { words.append("position \(from)") }
    return words.isEmpty ? "events" : words.joined(separator: ", ")
  }
}
