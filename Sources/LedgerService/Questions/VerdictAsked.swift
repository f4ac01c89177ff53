import Entitlements
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries
import LedgerStore

/// *May this account have this?*, as a request asks it.
struct VerdictAsked: Sendable {
  private static let parameters =
    [
      "account", "product", "entitlement", "at", "environment", "atLeast",
    ] + SigningAsked.parameters

  let account: Name
  private let product: Name?
  private let entitlement: Name?
  let item: Item
  let at: Instant?
  let environments: Set<StoreEnvironment>
  /// The position that the answer has to know; nil if it need not know a certain one.
  let atLeast: UInt64?
  let signing: SigningAsked?

  /// - Parameters:
  ///   - query: The text after the question mark; nil if there is none.
  ///   - now: The present.
  /// - Throws: ``Problem``: `badRequest`.
  init(_ query: String?, now: Instant) throws(Problem) {
    let items = try QueryItems(query, Self.parameters, now: now)
    signing = try SigningAsked(items)
    account = try items.required("account")
    (product, entitlement) = (try items.name("product"), try items.name("entitlement"))
    (at, environments) = (try items.instant("at"), Set(try items.environments()))
    switch (product, entitlement) {
    case (let product?, nil): item = .product(product.text)
    case (nil, let entitlement?): item = .entitlement(entitlement.text)
    default: throw Problem(.badRequest, "Name either a product or an entitlement.")
    }
    atLeast = try items.number("atLeast", in: 1...UInt64.max)
  }

  var subject: Subject {
    .customer(.account(account), .of(.account(account), at: Clocks(at: at)))
  }

  /// Whether the answer is about what is known now, and nothing has to be waited for or computed.
  var isPlain: Bool { at == nil && atLeast == nil && signing == nil }

  /// The answer as JSON, and the position that it knows.
  ///
  /// - Throws: ``Problem`` if the ledger could not answer.
  func answer(_ verdict: Verdict) throws(Problem) -> (json: String, position: UInt64) {
    let (word, position): (String, UInt64)
    switch verdict {
    case .yes(let detail): (word, position) = ("yes", detail.position)
    case .no(let detail): (word, position) = ("no", detail.position)
    case .unknownAccount(let last): (word, position) = ("unknownAccount", last)
    case .unavailable(let why): throw Problem(LedgerError(why.code, why.message))
    }
    let detail = verdict.detail
    let json = JSONText.text { json in
      json.object { json in
        json.member("account", account)
        json.member("product", product)
        json.member("entitlement", entitlement)
        json.member("verdict", word)
        json.member("state", detail?.state?.text)
        json.member("since", detail?.since)
        json.member("expiresAt", detail?.expiresAt)
        json.member("nextChangeAt", detail?.nextChangeAt)
        json.member("source", detail?.source.map { $0 == .operator ? "operator" : "store" })
        json.member("environment", detail?.environment?.text)
        json.member("position", position)
      }
    }
    return (json, position)
  }
}
