import Foundation
import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerQueries
import LedgerStore
import LedgerTesting
import Testing

@testable import Webhooks

/// An account in an environment. Two names that only look the same are two accounts.
private struct Holding: Hashable {
  let account: Name
  let environment: String
}

/// What receivers know from messages alone.
private struct Receiver {
  /// The entries of an account in an environment, as JSON, by the item's name.
  var entries: [Holding: [String: JSONValue]] = [:]
  var findings: [String: Int] = [:]
  /// The findings of accounts that are erased at some time, and those that name nobody and nothing:
  /// what was told of them is never closed.
  private(set) var unclosed: Set<String> = []
  /// Accounts that are erased at some time: whoever has the name then is another customer, and who
  /// had it before is in no message.
  let erased: Set<Name>
  private(set) var complaints: [String] = []

  mutating func take(_ message: TellingBench.Received) {
    switch message.type {
    case MessageType.changed: change(message)
    case MessageType.opened:
      findings[finding(message), default: 0] += 1
      let account = message.data["finding"]?.object?.first { $0.name == "account" }?.value.string
      let isNameless = account == nil && finding(message).hasSuffix("----")
      if isNameless || account.map({ erased.contains(Name($0)) }) ?? false {
        unclosed.insert(finding(message))
      }
    case MessageType.closed: findings[finding(message), default: 0] -= 1
    default: complaints.append("an unexpected \(message.type)")
    }
  }

  /// What does not change when an owner becomes known.
  private func finding(_ message: TellingBench.Received) -> String {
    let members = message.data["finding"]?.object ?? []
    return ["rule", "environment", "position", "device", "transaction", "product", "download"]
      .map { name in members.first { $0.name == name }.map { "\($0.value)" } ?? "-" }.joined()
  }

  private mutating func change(_ message: TellingBench.Received) {
    let key = Holding(
      account: Name(message.text("account") ?? "-"),
      environment: message.text("environment") ?? "-")
    for entry in message.data["entries"]?.array ?? [] {
      let members = Dictionary(
        uniqueKeysWithValues: (entry.object ?? []).map { ($0.name, $0.value) })
      let item =
        members["product"]?.string.map { "product \($0)" }
        ?? "entitlement \(members["entitlement"]?.string ?? "-")"
      let isNew = erased.contains(key.account) && members["before"] == nil
      if entries[key]?[item] != members["before"], !isNew {
        complaints.append("\(key) \(item): told before \(String(describing: members["before"]))")
      }
      entries[key, default: [:]][item] = members["after"]
    }
    entries[key] = entries[key]?.isEmpty == true ? nil : entries[key]
  }

  /// Forgets what those had who were erased and are not there any more.
  func isTrue(of truth: [Holding: [String: JSONValue]]) -> Bool {
    Set(entries.keys).union(truth.keys).allSatisfy { key in
      guard erased.contains(key.account) else { return entries[key] == truth[key] }
      return (truth[key] ?? [:]).allSatisfy { entries[key]?[$0.key] == $0.value }
    }
  }
}

@Suite("What webhooks tell adds up") struct TellingPropertyTests {
  /// What the ledger says of all accounts, in the form of the messages.
  private func truth(_ bench: TellingBench) throws -> [Holding: [String: JSONValue]] {
    let names = Set(
      bench.temporary.arrived.flatMap { recorded in
        recorded.event.nameUses.filter { $0.kind == .account }.map(\.name)
      })
    var all: [Holding: [String: JSONValue]] = [:]
    for name in names {
      for environment in StoreEnvironment.allCases {
        let answer = try bench.ledger.read { (view) throws(LedgerError) in
          try view.entitlements(
            of: .account(name), environments: [environment], now: bench.now)
        }
        var entries: [String: JSONValue] = [:]
        for entry in answer.entries {
          let item =
            entry.product.map { "product \($0)" } ?? "entitlement \(entry.entitlement ?? "-")"
          var members: [(name: String, value: JSONValue)] = [
            ("state", .string(entry.state.text)),
            ("entitlements", .array(entry.entitlements.map { .string($0.text) })),
            ("since", .string(entry.since.rfc3339)),
          ]
          if let end = entry.expiresAt { members.append(("expiresAt", .string(end.rfc3339))) }
          entries[item] = .object(members)
        }
        let holding = Holding(account: name, environment: environment.text)
        if !entries.isEmpty { all[holding] = entries }
      }
    }
    return all
  }

  /// The findings that are told, of the whole ledger.
  private func foundings(_ bench: TellingBench) throws -> [String: Int] {
    let found = try bench.ledger.read { (view) throws(LedgerError) in try view.findings() }
    var all: [String: Int] = [:]
    for finding in found where !MessageType.isNeverTold(finding.rule) {
      let parts: [String?] = [
        finding.rule.id, finding.environment.text, nil, finding.device?.text,
        finding.transaction?.text, finding.product?.text, finding.download?.text,
      ]
      let texts = parts.enumerated().map { index, part -> String in
        if index == 2 { return "\(JSONValue.number("\(finding.position)"))" }
        return part.map { "\(JSONValue.string($0))" } ?? "-"
      }
      all[texts.joined(), default: 0] += 1
    }
    return all
  }

  private func history(_ seed: UInt64) -> [RecordedEvent] {
    switch seed % 3 {
    case 0: Histories.dense(seed: seed, count: 120)
    case 1: RecordedEvent.shuffled(Histories.dense(seed: seed, count: 120), seed: seed)
    default: Histories.sparse(seed: seed, count: 160, accounts: 6)
    }
  }

  @Test(
    "whatever arrives in whatever order, and however often the process is killed",
    arguments: 0..<24 as Range<UInt64>)
  func addsUp(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let bench = try TellingBench(now: Instant(microseconds: 0))
    try bench.hook("all", [MessageType.changed, "finding.*"])
    let history = history(seed)
    var receiver = Receiver(
      erased: Set(
        history.filter { $0.event.type.kind == .accountErased }
          .compactMap(\.event.account)))
    var rest = history[...]
    var clock = Instant(microseconds: 0)
    while !rest.isEmpty {
      let piece = rest.prefix(1 + random.below(9))
      rest = rest.dropFirst(piece.count)
      try bench.temporary.append(piece)
      clock = max(clock, piece.map(\.recordedAt).max() ?? clock)
      bench.now = clock
      if random.chance(2, in: 3) { try bench.ledger.fold() }
      if random.chance(1, in: 3) { _ = try bench.teller.step() }
      if random.chance(1, in: 4) { try bench.restart() }
      if random.chance(1, in: 3) {
        try bench.look()
        for message in try bench.receive() { receiver.take(message) }
      }
    }
    try bench.ledger.fold()
    // What time alone changes is told, too, piece by piece.
    for _ in 0..<4 {
      bench.now = Instant(microseconds: bench.now.microseconds + 40 * Instant.day)
      for message in try bench.told() { receiver.take(message) }
      #expect(receiver.isTrue(of: try truth(bench)), "seed \(seed)")
    }
    #expect(receiver.complaints.isEmpty, "seed \(seed): \(receiver.complaints.prefix(3))")
    let told = receiver.findings.filter { $0.value != 0 }
    let found = try foundings(bench)
    for (finding, count) in found where told[finding] != count {
      Issue.record("seed \(seed): \(finding) is there \(count) times, told \(told[finding] ?? 0)")
    }
    for finding in told.keys
    where found[finding] == nil && !receiver.unclosed.contains(finding) {
      Issue.record("seed \(seed): \(finding) was told, and is not there")
    }
  }
}
