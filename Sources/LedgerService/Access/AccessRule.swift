import Audit
import LedgerAnswers
import LedgerEvents
import LedgerQueries
import ServiceAccess

/// Which questions a restricted token may ask, and which events it may append.
///
/// A token for one account gets answers about that account alone. A token for some apps gets
/// answers about customers of these apps alone: an answer is about all that a customer has, so
/// nobody is told anything of a customer who has events of another app, too, nor of a moment at
/// which they had. About events it gets what a ledger of these apps' events alone answers
/// (``AccessToken/knownApps``).
enum AccessRule {
  /// - Throws: ``Problem``: `forbidden`, `notFound`.
  static func check(
    _ token: AccessToken, _ subject: Subject, in view: LedgerView
  ) throws(Problem) {
    if case .connected = subject, token.isRestricted {
      throw Problem(
        .forbidden,
        "The answer shows what is connected with a customer, and that can be others': a token for "
          + "one account or for some apps gets none.")
    }
    if let account = token.account { try check(token, account, subject) }
    if !token.apps.isEmpty { try check(apps: token.appNames, subject, view) }
  }

  /// Refuses an act on a customer that would change what others than the token's apps have.
  ///
  /// - Parameter moment: The store time at which the act is said to have been done.
  /// - Throws: ``Problem``: `forbidden`, `notFound`.
  static func check(
    _ token: AccessToken, actOn customer: CustomerReference, at moment: Instant,
    in view: LedgerView
  ) throws(Problem) {
    try check(token, .customer(customer), in: view)
    if token.apps.isEmpty { return }
    let newest: Instant?
    do throws(LedgerError) {
      newest = try view.newestEvent(sharedBy: customer, among: KnownApps(token.appNames, view))
    } catch {
      throw Problem(error)
    }
    if let newest, moment.believed(recordedAt: EventLog.systemClock()) <= newest {
      throw Problem(
        .notFound,
        "No customer whom the apps of the token have alone is named like this, or the act is dated "
          + "before something that is connected with other apps: leave occurredAt out, or use a "
          + "token for all of these apps.")
    }
  }

  private static func check(
    _ token: AccessToken, _ account: Name, _ subject: Subject
  ) throws(Problem) {
    let named: Name? =
      switch subject {
      case .customer(.account(let name), _): name
      case .events(let query): query.account
      case .customer, .everybody, .connected: nil
      }
    guard named == account else {
      throw Problem(
        .forbidden, "The token \(token.name) is for one account: ask about that one by its name.")
    }
  }

  private static func check(
    apps: Set<Name>, _ subject: Subject, _ view: LedgerView
  ) throws(Problem) {
    switch subject {
    case .everybody, .connected:
      throw Problem(
        .forbidden,
        "The token is for some apps, and the answer would be about customers of all of them: ask "
          + "about one customer, or with a token without apps.")
    case .events(let query):
      guard let app = query.app, apps.contains(app) else {
        let names = apps.map(\.text).sorted().joined(separator: ", ")
        throw Problem(
          .forbidden, "The token is for some apps: name one with app=, of \(names).")
      }
    case .customer(let customer, let others):
      let isTheirs: Bool
      do throws(LedgerError) {
        isTheirs = try isTheirsAlone(customer, others, KnownApps(apps, view), view)
      } catch {
        throw Problem(error)
      }
      guard isTheirs else {
        throw Problem(
          .notFound, "No customer whom the apps of the token have alone is named like this.")
      }
    }
  }

  /// Whether some apps have a customer alone now, and nobody else has events in the other states of
  /// which the answer tells: a purchase can have been handed on since.
  private static func isTheirsAlone(
    _ customer: CustomerReference, _ others: OtherStates, _ apps: KnownApps, _ view: LedgerView
  ) throws(LedgerError) -> Bool {
    guard try view.holding(of: customer, among: apps).isTheirsAlone else { return false }
    for state in try others.states(view) where state.customer != customer || !state.clocks.reachAll
    {
      if try view.holding(of: state.customer, among: apps, at: state.clocks).isOthers {
        return false
      }
    }
    return true
  }

  /// An explanation as a token may see it: it can rest on what others' events say of the same
  /// device or purchase, and it proposes names of all customers and products.
  ///
  /// - Throws: `LedgerError`: `notFound` if it rests on events of other apps than the token's.
  static func seen(
    by token: AccessToken, _ report: ExplainReport
  ) throws(LedgerError) -> ExplainReport {
    guard token.isRestricted else { return report }
    var circumstances = report.circumstances
    (circumstances.nearAccount, circumstances.nearName) = (nil, nil)
    if let apps = token.knownApps {
      let explanation = report.explanation
      for step in explanation.steps + (explanation.learned?.steps ?? []) {
        let event = step.event.event
        guard event.app.map(apps.contains) ?? event.type.kind.isOperators else {
          throw LedgerError(
            .notFound, "The answer rests on events of others than the apps of the token.")
        }
      }
    }
    return ExplainReport(explanation: report.explanation, circumstances: circumstances)
  }

  // MARK: - Appending

  /// Why a token may not append an event; nil if it may.
  static func refusal(of event: Event, by token: AccessToken) -> String? {
    if event.type.kind.isOperators, !token.allows(.operate) {
      return
        "\(event.type.text) is an act of an operator, and the token \(token.name) has no scope "
        + "“operate”."
    }
    guard !token.apps.isEmpty else { return nil }
    guard let app = event.app, token.appNames.contains(app) else {
      return "The token \(token.name) is for some apps: state one of them as “app”: "
        + token.apps.joined(separator: ", ") + "."
    }
    return nil
  }

  /// Why a token for some apps may not append events that name what others have; nil for those
  /// that it may append.
  ///
  /// An event changes what all can be told of whom it names: a refund of another app's transaction,
  /// or a purchase for another app's customer. So it may name who and what is new, and what has
  /// events of the token's apps alone. What is in the ledger already changes nothing, and is
  /// answered as before.
  ///
  /// Somebody else can append between this look and the append, and then the event stands after
  /// theirs. It could as well have come a moment earlier.
  ///
  /// - Complexity: O(*n*) in the events of the units of those who are named, each looked at once,
  ///   and once more if acts of operators name them.
  /// - Throws: ``Problem`` if the ledger cannot be read.
  static func refusals(
    of events: [Event], by token: AccessToken, in view: LedgerView
  ) throws(Problem) -> [String?] {
    var known: [Named: Bool] = [:]
    var newest: [Name: Instant?] = [:]
    let now = EventLog.systemClock()
    do throws(LedgerError) {
      let apps = try KnownApps(token.appNames, view)
      var refusals: [String?] = []
      for event in events {
        var foreign: Named?
        for named in Named.all(in: event) where foreign == nil {
          let isOthers =
            if let known = known[named] { known } else {
              try named.isOthers(among: apps, in: view)
            }
          known[named] = isOthers
          if isOthers { foreign = named }
          if foreign == nil, event.type.kind.isOperators, case .account(let name) = named {
            let shared =
              if let known = newest[name] { known } else {
                try view.newestEvent(sharedBy: .account(name), among: apps)
              }
            newest[name] = .some(shared)
            if let shared, event.occurredAt.believed(recordedAt: now) <= shared { foreign = named }
          }
        }
        if foreign != nil, try view.event(withID: event.id) != nil { foreign = nil }
        refusals.append(
          foreign.map {
            "The token \(token.name) is for some apps, and \($0.words) has events of others, or "
              + "of no app, or is connected with such events that follow: append this with a "
              + "token for all of these apps, or for none."
          })
      }
      return refusals
    } catch {
      throw Problem(error)
    }
  }

  /// What an event names that belongs to a customer.
  private enum Named: Hashable {
    case account(Name)
    case transaction(Name)
    case original(Name)

    /// The accounts, with that to which an act leads, and the purchase. A device can have apps of
    /// several, and gives nothing to anybody.
    static func all(in event: Event) -> [Named] {
      event.nameUses.flatMap { use -> [Named] in
        switch use.kind {
        case .account: [.account(use.name)]
        case .transaction: [.transaction(use.name), .original(use.name)]
        default: []
        }
      }
    }

    /// Whether others have events of it, of a purchase those that name it.
    func isOthers(among apps: KnownApps, in view: LedgerView) throws(LedgerError) -> Bool {
      var query = EventsQuery()
      switch self {
      case .account(let name): return try view.holding(of: .account(name), among: apps).isOthers
      case .transaction(let name): query.transaction = name
      case .original(let name): query.original = name
      }
      return try view.holding(of: [query], among: apps).isOthers
    }

    var words: String {
      switch self {
      case .account(let name): "the account \(name.text)"
      case .transaction(let name), .original(let name): "the transaction \(name.text)"
      }
    }
  }
}

extension AccessToken {
  /// Whether it is for some customers alone, and the ledger says which.
  var isRestricted: Bool { account != nil || !apps.isEmpty }

  /// The apps of whose events an answer may know, if it is about some; nil for all.
  ///
  /// The filter `app` alone is not enough: what was sold, whose it is and what a session ran can be
  /// stated by events of other apps about the same transaction or device.
  var knownApps: Set<Name>? { apps.isEmpty ? nil : appNames }

  /// The apps, which are compared by bytes: a Kelvin sign is no K.
  fileprivate var appNames: Set<Name> { Set(apps.map { Name($0) }) }
}
