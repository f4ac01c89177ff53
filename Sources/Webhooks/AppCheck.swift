internal import LedgerEvents
internal import LedgerModel
internal import LedgerQueries
internal import LedgerStore
internal import Synchronization

/// Whether webhooks for some apps may be told messages, by what the log says.
///
/// They are told about customers who have events of these apps and of no others, as a token for
/// some apps is. A message tells a state, or the difference of two; the customer has to be theirs
/// at the position of each.
///
/// To answer that can take a fold of the customer's unit, and nobody else can use the queues while
/// messages are put into them. So what is asked in a transaction is answered after it, and then the
/// transaction is done again. Used by one thread at a time.
final class AppCheck: Sendable {
  private enum Subject: Hashable {
    case event
    /// An account, or what its customer is found by, with all that the customer has.
    case customer(NameNumber)
    /// A name by itself, in a message about an account.
    case name(NameNumber)
  }

  private struct UnitKey: Hashable {
    var unit: UnitNumber
    var position: UInt64
    var apps: [Name]
  }

  private struct Question: Hashable {
    var subject: Subject
    /// That of the event, or of the state.
    var position: UInt64
    var apps: [Name]
  }

  private struct State {
    var answers: [Question: AppHolding] = [:]
    var open: Set<Question> = []
  }

  private let state = Mutex(State())

  /// Whether everything was answered that was asked.
  var isComplete: Bool { state.withLock { $0.open.isEmpty } }

  /// Whether a message may be told; false if that is not known yet.
  ///
  /// - Parameter apps: The apps of the webhook; empty for every app.
  func admits(_ message: Message, for apps: [Name]) -> Bool {
    if apps.isEmpty { return true }
    return state.withLock { state in
      func holds(
        _ subject: Subject, at position: UInt64, _ condition: (AppHolding) -> Bool
      ) -> Bool {
        let question = Question(subject: subject, position: position, apps: apps)
        if let answer = state.answers[question] { return condition(answer) }
        state.open.insert(question)
        return false
      }
      var isTold = true
      if let event = message.event, !holds(.event, at: event, { !$0.isOthers }) { isTold = false }
      for position in message.statesAt where message.customer != 0 {
        if !holds(.customer(message.customer), at: position, { $0.isTheirsAlone }) {
          isTold = false
        }
      }
      // What else it names is of no interest if it is not told anyway.
      guard isTold else { return false }
      for position in message.statesAt {
        for name in message.others where !holds(.customer(name), at: position, { !$0.isOthers }) {
          isTold = false
        }
        for name in message.named where !holds(.name(name), at: position, { !$0.isOthers }) {
          isTold = false
        }
      }
      return isTold
    }
  }

  /// Answers what was asked. If the log does not have what a question is about, or it is damaged,
  /// nothing is told about the customer.
  ///
  /// - Parameter unreadable: Called with the reason if that is so.
  /// - Complexity: O(*n*) in the events of each unit that questions are about. If others have
  ///   events there, too, O(*n* log *n*) for each customer whom these do not name.
  /// - Throws: ``LedgerError`` if the ledger cannot be read at all.
  func answer(
    from ledger: Ledger, unreadable: (LedgerError) -> Void
  ) throws(LedgerError) {
    let open = state.withLock { $0.open }
    let answers = try ledger.read { (view) throws(LedgerError) in
      var answers: [Question: AppHolding] = [:]
      var units: [UnitKey: UnitHolding] = [:]
      for question in open {
        do throws(LedgerError) {
          answers[question] = try Self.holding(question, view, &units)
        } catch {
          guard error.code == .corrupt || error.code == .notFound else { throw error }
          unreadable(error)
          answers[question] = AppHolding(isTheirs: false, isOthers: true)
        }
      }
      return answers
    }
    state.withLock { state in
      state.answers.merge(answers) { _, new in new }
      state.open.subtract(answers.keys)
    }
  }

  private static func holding(
    _ question: Question, _ view: LedgerView, _ units: inout [UnitKey: UnitHolding]
  ) throws(LedgerError) -> AppHolding {
    let apps = try KnownApps(Set(question.apps), view)
    let number: NameNumber
    switch question.subject {
    case .event: return try view.holding(ofEventAt: question.position, among: apps)
    case .customer(let name), .name(let name): number = name
    }
    let clocks = Clocks(asOf: .position(question.position))
    let use = try view.log.name(number)
    guard let unit = try view.unitNumber(of: number) else {
      // A product has no customer, and whose it is, its event says. Anybody else is unknown.
      return AppHolding(isTheirs: use.kind == .product)
    }
    let key = UnitKey(unit: unit, position: question.position, apps: question.apps)
    let whole: UnitHolding
    if let known = units[key] {
      whole = known
    } else {
      whole = try view.holding(ofUnit: unit, among: apps, at: clocks)
      units[key] = whole
    }
    // In most units, nobody else has an event.
    if !whole.all.isOthers { return whole.all }
    if whole.isForeign(number) { return AppHolding(isTheirs: true, isOthers: true) }
    if case .name = question.subject { return AppHolding(isTheirs: true) }
    switch use.kind {
    case .account: return try view.holding(of: .account(use.name), among: apps, at: clocks)
    case .transaction: return try view.holding(of: .transaction(use.name), among: apps, at: clocks)
    case .device: return AppHolding(isTheirs: true)
    default:
      // A payment, a download or a session has a customer only through what is connected with it.
      return AppHolding(isTheirs: true, isOthers: true)
    }
  }
}
