import Audit
import HTTPTypes
import Hummingbird
import LedgerAnswers
import LedgerEvents
import LedgerQueries
import LedgerStore
import ServiceAccess

/// An operator's act as a request asks for it.
struct ActRequest: Sendable {
  /// The acts, by the last part of their address.
  enum Kind: String, CaseIterable, Sendable {
    case grant, withdraw, link, transfer, note, assign

    var type: EventKind {
      switch self {
      case .grant: .entitlementGranted
      case .withdraw: .entitlementWithdrawn
      case .link: .accountLinked
      case .transfer: .accountTransferred
      case .note: .noteAdded
      case .assign: .transactionAssigned
      }
    }

    /// The members of the body that say what is done.
    var members: [String] {
      switch self {
      case .grant: ["account", "entitlement", "product", "until", "reason"]
      case .withdraw: ["account", "entitlement", "product", "reason"]
      case .link, .transfer: ["account", "to", "reason"]
      case .note: ["account", "text", "transaction"]
      case .assign: ["account", "transaction", "reason"]
      }
    }
  }

  /// The members of every body.
  static let common = ["id", "environment", "occurredAt", "newAccount", "allowUnknown"]

  let kind: Kind
  let act: LedgerAct
  let environment: StoreEnvironment
  let transaction: Name?

  /// - Parameters:
  ///   - kind: The act.
  ///   - body: A JSON object.
  ///   - key: The `Idempotency-Key`, from which an id follows if the body states none.
  ///   - token: Whose name the act has.
  ///   - now: When it happened if the body does not say.
  /// - Throws: ``Problem``: `badRequest`, `invalidEvent`, `forbidden`.
  init(
    _ kind: Kind, _ body: [UInt8], key: String?, _ token: AccessToken, now: Instant
  ) throws(Problem) {
    guard let actor = token.operatorName else {
      throw Problem(.forbidden, "The token \(token.name) has no operator's name to act in.")
    }
    let members = try BodyMembers(body, kind.members + Self.common)
    self.kind = kind
    let environment = try members.environment()
    self.environment = environment ?? .production
    transaction = kind == .assign || kind == .note ? try members.name("transaction") : nil
    let account = try members.required("account")
    let stated = try members.name("id")
    let occurredAt = try members.instant("occurredAt")
    let reason = kind == .note ? nil : try members.words("reason")
    var event = Event.act(
      kind.type,
      id: stated ?? key.map { Name(AppendBody.id(key: $0, 1, by: token.name)) }
        ?? Name.timedIdentifier(now),
      account: account, environment: environment, by: actor, because: reason,
      at: occurredAt ?? now)
    event.transaction = transaction
    var accounts = [account]
    switch kind {
    case .grant, .withdraw:
      let entitlement = try members.name("entitlement")
      event.product = try members.name("product")
      guard (entitlement == nil) != (event.product == nil) else {
        throw Problem(.badRequest, "Name either an entitlement or a product.")
      }
      event = event.adding("entitlement", entitlement?.text)
      if kind == .grant { event = event.adding("until", try members.instant("until")?.rfc3339) }
    case .link, .transfer:
      let other = try members.required("to")
      guard other != account else {
        throw Problem(.badRequest, "account and to are the same: name two accounts.")
      }
      accounts.append(other)
      event = event.adding("to", other.text)
    case .note: event = event.adding("text", try members.words("text"))
    case .assign:
      guard transaction != nil else { throw Problem(.badRequest, "transaction is missing.") }
    }
    do throws(EventError) { try event.validate() } catch {
      throw Problem(.invalidEvent, "\(error)")
    }
    let allowsUnknown = try members.flag("allowUnknown")
    act = LedgerAct(
      event, accounts: accounts, product: kind == .grant && !allowsUnknown ? event.product : nil,
      acceptsNewAccounts: try members.flag("newAccount"),
      isRepeatable: (stated != nil || key != nil) && occurredAt == nil)
  }

  // MARK: - Doing it

  /// What the act would change; nothing is appended.
  ///
  /// - Throws: ``Problem``.
  func proposed(
    _ view: LedgerView, _ token: AccessToken
  ) throws(Problem) -> [CustomerDifference] {
    _ = try condition(view, token)
    do throws(LedgerError) { return try act.proposed(view) } catch { throw Problem(error) }
  }

  /// What the act would change, as a document; nothing is appended.
  ///
  /// - Throws: ``Problem``.
  func rehearsed(_ view: LedgerView, _ token: AccessToken) throws(Problem) -> String {
    let changes = try proposed(view, token)
    return JSONText.text { json in
      json.object { json in
        json.member("dryRun", true)
        json.key("event")
        json.raw(String(decoding: EventEncoder().encode(act.event), as: UTF8.self))
        json.member("changes", each: changes) { $1.write(to: &$0) }
      }
    }
  }

  /// Appends the event, durably.
  ///
  /// - Throws: ``Problem``.
  func appended(_ ledger: Ledger, _ token: AccessToken) throws(Problem) -> AppendOutcome {
    let mustHold = try ledger.asked { (view) throws(Problem) in try condition(view, token) }
    do throws(LedgerError) { return try act.append(to: ledger, if: mustHold) } catch {
      throw Problem(error)
    }
  }

  /// Appends the event, durably. Returns what it changed, as a document.
  ///
  /// - Throws: ``Problem``.
  func done(_ ledger: Ledger, _ token: AccessToken) throws(Problem) -> (json: String, UInt64) {
    let outcome = try appended(ledger, token)
    do throws(LedgerError) {
      let changes = try ledger.read { (view) throws(LedgerError) in
        try act.differences(by: outcome, view)
      }
      return (act.json(outcome, changes), outcome.position)
    } catch {
      throw Problem(error)
    }
  }

  /// Refuses what the ledger does not know and what the token is not for. Returns what must still
  /// hold when the event is written.
  private func condition(
    _ view: LedgerView, _ token: AccessToken
  ) throws(Problem) -> AppendCondition? {
    // Also for an id that is known: whose event it is, is not known before.
    let named = act.accounts.map { CustomerReference.account($0) }
    for customer in named + (transaction.map { [.transaction($0)] } ?? []) {
      try AccessRule.check(token, actOn: customer, at: act.event.occurredAt, in: view)
    }
    let isKnown: Bool
    do throws(LedgerError) { isKnown = try view.event(withID: act.event.id) != nil } catch {
      throw Problem(error)
    }
    // What was done before is answered as before, whatever has changed since.
    if isKnown, act.isRepeatable { return nil }
    let (unknown, assignability) = try found(view)
    switch unknown {
    case nil: break
    case .account(let account):
      throw Problem(
        .notFound,
        "No event states the account \(account.text): check the spelling, or send newAccount if it "
          + "is a new one.")
    case .product(let product, let near):
      throw Problem(
        .notFound,
        "No catalogue and no event names the product \(product.text)"
          + ((token.isRestricted ? nil : near).map { "; did you mean \($0.text)?" } ?? ".")
          + " If it is a new one, send allowUnknown.")
    }
    return try assignability.flatMap { (found) throws(Problem) in try holds(found) }
  }

  private func found(
    _ view: LedgerView
  ) throws(Problem) -> (LedgerAct.Unknown?, Assignability?) {
    do throws(LedgerError) {
      let unknown = try act.unknown(view)
      guard kind == .assign, let transaction else { return (unknown, nil) }
      return (
        unknown,
        try view.assignability(
          of: transaction, to: act.accounts[0], environment: environment)
      )
    } catch {
      throw Problem(error)
    }
  }

  /// What must still hold when a transaction is assigned.
  private func holds(_ found: Assignability) throws(Problem) -> AppendCondition? {
    let name = transaction?.text ?? ""
    switch found {
    case .free(let condition): return condition
    case .unknown:
      throw Problem(
        .notFound, "The ledger knows no transaction \(name) in \(environment.text).")
    case .elsewhere(let other):
      throw Problem(
        .conflict, "Transaction \(name) is of \(other.text): send that as environment.")
    case .erased:
      throw Problem(
        .conflict,
        "Transaction \(name) belonged to a customer who was erased, and stays nobody's.")
    case .owned(let owner):
      throw Problem(
        .conflict,
        "Transaction \(name) belongs to \(owner.text), and an assignment never takes a purchase "
          + "away: a transfer moves everything that an account has.")
    }
  }
}
