import Foundation
import HTTPTypes
import Testing

/// What a receiver must be able to rely on, whatever happens to the service.
private struct DeliveryAudit {
  /// The messages as the receiver has taken them, each the first time.
  private(set) var taken: [String] = []
  private var known: Set<String> = []
  /// The last product that each account has gained.
  private var last: [String: Int] = [:]
  private(set) var breaches: [String] = []

  /// Takes a message that was answered with 2xx.
  mutating func take(_ message: HookReceiver.Message) throws {
    guard known.insert(message.id).inserted else { return }
    taken.append(message.id)
    let account = try message.text("account") ?? "-"
    for product in try Self.gained(message) {
      let number = try #require(Int(product.dropFirst()))
      if number != (last[account] ?? 0) + 1 {
        breaches.append("\(account) gained \(product) after p\(last[account] ?? 0)")
      }
      last[account] = number
    }
  }

  /// What is missing at the end.
  func missing(accounts: Int, products: Int) -> [String] {
    (0..<accounts).compactMap { account in
      let found = last["a\(account)"] ?? 0
      return found == products ? nil : "a\(account) has p\(found) of p\(products)"
    }
  }

  /// The products that a message says were gained, in their order.
  private static func gained(_ message: HookReceiver.Message) throws -> [String] {
    let object = try JSONSerialization.jsonObject(with: Data(message.body.utf8)) as? [String: Any]
    let data = object?["data"] as? [String: Any]
    let names = try #require(data?["gained"] as? [String], "\(message.body)")
    return names.sorted { Int($0.dropFirst()) ?? 0 < Int($1.dropFirst()) ?? 0 }
  }
}

@Suite("Webhooks of a service that is killed", .serialized, .timeLimit(.minutes(20)))
struct HeavyWebhookTests {
  private static let accounts = 6
  private static let products = 24

  private static func purchase(_ account: Int, _ product: Int) -> String {
    """
    {"id":"t\(account)-\(product)","type":"transaction.purchased",\
    "occurredAt":"2024-02-01T10:\(10 + product):00Z","source":"server","account":"a\(account)",\
    "transaction":"t\(account)-\(product)","product":"p\(product)","environment":"production"}
    """
  }

  @Test(
    "every change arrives, in the order of its customer, whatever is killed and fails"
  )
  func killed() async throws {
    // Every third message is refused the first time.
    let receiver = try await HookReceiver { _, count in
      count % 3 == 0 ? .serviceUnavailable : .ok
    }
    let ledger = try MadeLedger()
    let made = try ledger.daybook(
      "webhook", "create", "shop", "--url", "http://127.0.0.1:\(receiver.port)/in",
      "--type", "entitlement.changed")
    #expect(made.status == 0 && made.output.hasPrefix("whsec_"), "\(made.errors)")
    var next = 1
    for round in 0..<4 {
      try await ledger.served { served in
        if round == 0 { try await Self.waitUntilTaken(ledger) }
        let before = receiver.messages.count
        for product in next..<next + Self.products / 4 {
          let lines = (0..<Self.accounts).map { Self.purchase($0, product) }
          #expect(try await served.append(lines).status == 200)
        }
        // In the middle of what is sent.
        _ = try await receiver.wait(for: before + 3 + round * 2)
        #expect(served.end(SIGKILL) == -SIGKILL)
      }
      next += Self.products / 4
    }
    try await ledger.served { served in
      _ = try ledger.daybook("webhook", "resume", "shop")
      for _ in 0..<3_000 {
        let waiting = try await served.get("/v1/webhooks/shop").object["waiting"] as? Int
        if waiting == 0, try await served.get("/ready").object["lag"] as? Int == 0 {
          // What was folded may not have been looked at yet.
          let audit = try Self.audit(receiver)
          if audit.missing(accounts: Self.accounts, products: Self.products).isEmpty { break }
        }
        _ = try ledger.daybook("webhook", "resume", "shop")
        try await Task.sleep(for: .milliseconds(100))
      }
      #expect(served.end() == 0)
    }
    let audit = try Self.audit(receiver)
    #expect(audit.breaches.isEmpty, "\(audit.breaches.prefix(3))")
    #expect(audit.missing(accounts: Self.accounts, products: Self.products).isEmpty)
    // The auditor must see what is lost, and what comes too early.
    let lost = try #require(audit.taken.first)
    var control = DeliveryAudit()
    for message in try Self.accepted(receiver) where message.id != lost {
      try control.take(message)
    }
    #expect(!control.breaches.isEmpty)
    await receiver.close()
  }

  @Test("what another program appends is told, too") func others() async throws {
    let receiver = try await HookReceiver()
    let ledger = try MadeLedger()
    let made = try ledger.daybook(
      "webhook", "create", "shop", "--url", "http://127.0.0.1:\(receiver.port)/in",
      "--type", "entitlement.changed")
    #expect(made.status == 0, "\(made.errors)")
    try await ledger.served { served in
      try await Self.waitUntilTaken(ledger)
      let file = try ledger.write("purchase.jsonl", Self.purchase(1, 1) + "\n")
      #expect(try ledger.daybook("append", file).status == 0)
      #expect(try await receiver.wait(for: 1).count == 1)
      #expect(served.end() == 0)
    }
    await receiver.close()
  }

  private static func waitUntilTaken(_ ledger: MadeLedger) async throws {
    for _ in 0..<600 {
      let listed = try ledger.daybook("webhook", "list", "--format", "jsonl").output
      if listed.contains("\"since\":0") { return }
      try await Task.sleep(for: .milliseconds(100))
    }
    Issue.record("the webhook was not taken up")
  }

  /// The messages that the receiver has answered with 2xx.
  private static func accepted(_ receiver: HookReceiver) throws -> [HookReceiver.Message] {
    receiver.messages.enumerated().filter { ($0.offset + 1) % 3 != 0 }.map(\.element)
  }

  private static func audit(_ receiver: HookReceiver) throws -> DeliveryAudit {
    var audit = DeliveryAudit()
    for message in try accepted(receiver) { try audit.take(message) }
    return audit
  }
}
