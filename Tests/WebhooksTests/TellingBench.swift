import Crypto
import Foundation
import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerStore
import LedgerTesting
import Synchronization
import Testing

@testable import Webhooks

/// A ledger with webhooks, of which a test is both the service and the receiver. Time stands still
/// unless the test moves it.
final class TellingBench {
  /// A message that was received.
  struct Received: Equatable {
    let id: String
    let type: String
    let body: String
    let data: [String: JSONValue]

    func text(_ name: String) -> String? { data[name]?.string }
  }

  let temporary: TemporaryLedger
  private(set) var store: WebhookStore
  private(set) var teller: Teller
  private(set) var outbox: Outbox
  private let present: Present

  /// The time of the ledger and of the service.
  final class Present: Sendable {
    private let held: Mutex<Instant>
    init(_ instant: Instant) { held = Mutex(instant) }
    var now: Instant { held.withLock { $0 } }
    func set(_ instant: Instant) { held.withLock { $0 = instant } }
  }

  var ledger: Ledger { temporary.ledger }
  var path: String { temporary.path }
  var now: Instant {
    get { present.now }
    set { present.set(newValue) }
  }

  /// 2024-03-01T00:00:00Z.
  static let start = Instant(microseconds: 1_709_251_200_000_000)

  init(now: Instant = TellingBench.start) throws {
    let present = Present(now)
    self.present = present
    temporary = try TemporaryLedger(clock: { present.now })
    temporary.ledger.foldsOnlyWhenCalled()
    store = try WebhookStore(creatingIn: temporary.path)
    teller = Teller(temporary.ledger, store, clock: { present.now })
    outbox = Outbox(temporary.ledger, store)
  }

  /// Begins again as after a kill: nothing is kept but what is on the disk.
  func restart() throws {
    try store.close()
    store = try WebhookStore(creatingIn: path)
    let present = present
    teller = Teller(ledger, store, clock: { present.now })
    outbox = Outbox(ledger, store)
  }

  @discardableResult
  func hook(
    _ name: String = "shop", _ types: [String] = [MessageType.changed],
    environments: [StoreEnvironment] = Array(StoreEnvironment.allCases), products: [Name] = [],
    rules: [Rule] = [], severities: [Rule.Severity] = [], apps: [Name] = [], isTakenUp: Bool = true
  ) throws -> String {
    let secret = try store.create(
      Webhook(
        name: name, url: "http://127.0.0.1:9/\(name)",
        filter: MessageFilter(
          types: types, environments: environments, products: products, rules: rules,
          severities: severities, apps: apps), createdAt: now),
      after: try ledger.log.lastPosition())
    if isTakenUp { try look() }
    return secret
  }

  /// Appends events as JSON and folds them.
  func append(_ lines: String..., isFolded: Bool = true) throws {
    for line in lines {
      let input = try EventDecoder().decode(line: Array(line.utf8), number: 1)
      try ledger.appendAndWait([input])
    }
    if isFolded { try ledger.fold() }
  }

  /// The accounts and types of what a webhook was told, the oldest first.
  func toldTo(_ name: String) throws -> [String] {
    try store.deliveries(of: name, limit: WebhookStore.pageMax).reversed().map {
      "\(try $0.account(in: ledger)?.text ?? "-") \($0.type)"
    }
  }

  /// Steps until there is nothing more to look at.
  func look() throws {
    while try teller.step() == .more {}
  }

  /// The messages that are to be sent now, which are not answered.
  func attempts(except busy: Set<Attempt.Key> = []) throws -> [Attempt] {
    try outbox.due(at: now, except: busy) { _ in 1_000 }
  }

  /// Takes in all messages that wait, and answers each with success.
  @discardableResult func receive() throws -> [Received] {
    var received: [Received] = []
    while true {
      let attempts = try attempts()
      if attempts.isEmpty { return received }
      for attempt in attempts { received.append(try Self.read(attempt)) }
      try outbox.note(
        attempts.map { AttemptResult($0, status: 200, problem: nil) }, at: now)
    }
  }

  /// Looks, and takes in everything.
  func told() throws -> [Received] {
    try look()
    return try receive()
  }

  static func read(_ attempt: Attempt) throws -> Received {
    let headers = Dictionary(uniqueKeysWithValues: attempt.headers.map { ($0.name, $0.value) })
    let object = try #require(
      try JSONValue(document: Array(attempt.body.utf8), nulls: .leftOut).object)
    let members = Dictionary(uniqueKeysWithValues: object.map { ($0.name, $0.value) })
    let data = try #require(members["data"]?.object)
    return Received(
      id: try #require(headers["webhook-id"]), type: try #require(members["type"]?.string),
      body: attempt.body,
      data: Dictionary(uniqueKeysWithValues: data.map { ($0.name, $0.value) }))
  }
}

extension JSONValue: Equatable {
  static func == (left: JSONValue, right: JSONValue) -> Bool { "\(left)" == "\(right)" }
}

/// Events as JSON.
enum Line {
  static func purchase(
    _ id: String, of account: String, _ product: String = "book",
    at time: String = "2024-02-01T10:00:00Z", more: String = "", data: String = ""
  ) -> String {
    """
    {"id":"\(id)","type":"transaction.purchased","occurredAt":"\(time)","source":"server",\
    "account":"\(account)","transaction":"\(id)","product":"\(product)",\
    "environment":"production"\(more)\(data.isEmpty ? "" : ",\"data\":{\(data)}")}
    """
  }

  static func refund(
    _ id: String, of transaction: String, at time: String = "2024-02-02T10:00:00Z",
    more: String = ""
  ) -> String {
    """
    {"id":"\(id)","type":"transaction.refunded","occurredAt":"\(time)","source":"notification",\
    "transaction":"\(transaction)","environment":"production"\(more)}
    """
  }

  static func catalog(_ id: String, _ product: String, _ kind: String, _ more: String = "")
    -> String
  {
    """
    {"id":"\(id)","type":"catalog.set","occurredAt":"2024-01-01T00:00:00Z",\
    "data":{"products":[{"product":"\(product)","kind":"\(kind)"\(more)}]}}
    """
  }
}
