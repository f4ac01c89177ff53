internal import LedgerEvents
internal import LedgerModel
internal import LedgerQueries
internal import LedgerStore
internal import Synchronization

/// Whether webhooks for some apps may be told messages, by what the log says.
///
/// They are told about customers who have events of these apps and of no others, as a token for
/// some apps is. A message tells a state, or the difference of two: the customer has to be theirs
/// at the newer one, and nobody else's at the older one.
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
      let newest = message.statesAt.max()
      for position in message.statesAt where message.customer != 0 {
        let isHeld = holds(.customer(message.customer), at: position) {
          $0.isTheirsAlone || (position != newest && !$0.isOthers)
        }
        if !isHeld { isTold = false }
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
    var answers: [Question: AppHolding] = [:]
    do throws(LedgerError) { answers = try Self.answers(to: open, ledger) } catch {
      guard error.isOfData else { throw error }
      // One by one, to find which of them it is.
      for question in open {
        do throws(LedgerError) {
          answers.merge(try Self.answers(to: [question], ledger)) { _, new in new }
        } catch {
          guard error.isOfData else { throw error }
          unreadable(error)
          answers[question] = AppHolding(isTheirs: false, isOthers: true)
        }
      }
    }
    state.withLock { state in
      state.answers.merge(answers) { _, new in new }
      state.open.subtract(answers.keys)
    }
  }

  private static func answers(
    to questions: Set<Question>, _ ledger: Ledger
  ) throws(LedgerError) -> [Question: AppHolding] {
    try ledger.read { (view) throws(LedgerError) in
      var answers: [Question: AppHolding] = [:]
      var units = KnownUnits()
      // The newest first: what nobody else has then, nobody else had before.
      for question in questions.sorted(by: { $0.position > $1.position }) {
        answers[question] = try holding(question, view, &units)
      }
      return answers
    }
  }

  private static func holding(
    _ question: Question, _ view: LedgerView, _ units: inout KnownUnits
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
      // A product or a download has no customer, and whose it is, its event says. Anybody else is
      // unknown.
      return AppHolding(isTheirs: use.kind == .product || use.kind == .download)
    }
    let key = KnownUnits.Key(unit: unit, apps: question.apps)
    if units.isFree(key, before: question.position) { return AppHolding() }
    let whole = try units.holding(key, at: question.position) { () throws(LedgerError) in
      try view.holding(ofUnit: unit, among: apps, at: clocks)
    }
    // In most units, nobody else has an event.
    if !whole.all.isOthers { return whole.all }
    if whole.isForeign(number) { return AppHolding(isTheirs: true, isOthers: true) }
    if case .name = question.subject { return AppHolding(isTheirs: true) }
    switch use.kind {
    case .account: return try view.holding(of: .account(use.name), among: apps, at: clocks)
    case .transaction: return try view.holding(of: .transaction(use.name), among: apps, at: clocks)
    case .device:
      var query = EventsQuery()
      query.device = use.name
      query.clocks = clocks
      return try view.holding(of: [query], among: apps)
    default:
      // A payment or a session has a customer only through what is connected with it.
      return AppHolding(isTheirs: true, isOthers: true)
    }
  }
}

/// What is known of units while questions about them are answered, the newest first.
private struct KnownUnits {
  struct Key: Hashable {
    var unit: UnitNumber
    var apps: [Name]
  }

  /// How many are kept before all of them are dropped: each has the names in others' events.
  private static let countMax = 64

  private var known: [Key: (position: UInt64, holding: UnitHolding)] = [:]
  /// Up to where nobody but the apps has events of a unit.
  private var free: [Key: UInt64] = [:]

  /// Whether nobody else had events of the unit at a position after this one. Then it is of an
  /// older state, of which no more is asked.
  func isFree(_ key: Key, before position: UInt64) -> Bool {
    free[key].map { position < $0 } ?? false
  }

  mutating func holding(
    _ key: Key, at position: UInt64, _ find: () throws(LedgerError) -> UnitHolding
  ) throws(LedgerError) -> UnitHolding {
    if let one = known[key], one.position == position { return one.holding }
    let holding = try find()
    if known.count >= Self.countMax { known.removeAll() }
    known[key] = (position, holding)
    if !holding.all.isOthers { free[key] = max(free[key] ?? 0, position) }
    return holding
  }
}

extension LedgerError {
  /// Whether what was asked about is missing or damaged, so that asking again would not help.
  fileprivate var isOfData: Bool { code == .corrupt || code == .notFound }
}
