import LedgerEvents
import LedgerHistories
import Testing

@testable import Audit

@Suite("An explanation that tries only what can decide") struct ExplainedSliceTests {
  private static func history(_ kind: Int, _ seed: UInt64) -> [RecordedEvent] {
    var random = SeededRandom(seed: seed)
    return switch kind {
    case 0: Histories.dense(seed: seed, count: 70)
    case 1: RecordedEvent.shuffled(Histories.dense(seed: seed, count: 60), seed: seed)
    case 2: Histories.realistic(seed: seed, count: 160)
    case 3: Histories.sparse(seed: seed, count: 120, accounts: 4)
    default: Histories.dense(seed: seed, count: 60).mostlyWithoutDevices(&random)
    }
  }

  private static func names(_ events: [RecordedEvent]) -> [Name] {
    var names = Set(events.compactMap(\.event.product))
    names.insert("example.of.nobody")
    for recorded in events {
      for key in ["entitlement", "unit"] {
        if let name = recorded.event.data.name(key) { names.insert(name) }
      }
      for product in recorded.event.data.array("products") ?? [] {
        let entitlements = product.object?.first { $0.name == "entitlements" }?.value.array ?? []
        names.formUnion(entitlements.compactMap { $0.string.map { Name($0) } })
      }
    }
    return names.sorted()
  }

  @Test(
    "says what one says that tries everything", arguments: 0..<5, 1...8 as ClosedRange<UInt64>)
  func sameExplanation(kind: Int, seed: UInt64) throws {
    let events = Self.history(kind, seed)
    var random = SeededRandom(seed: seed)
    let newest = try #require(events.map(\.event.occurredAt).max())
    var (explained, leftOut) = (0, 0)
    for account in Set(events.compactMap(\.event.account)).sorted() {
      for name in Self.names(events) {
        let at = random.chance(1, in: 3) ? random.one(of: events).event.occurredAt : nil
        let now = random.chance(1, in: 4) ? random.one(of: events).event.occurredAt : newest
        let sliced = ExplainedHistory(events, about: name, for: account, at: at, now: now)
        let whole = ExplainedHistory(
          events, about: name, for: account, at: at, now: now, triesAll: true)
        let (part, all) = (
          Self.explanation(sliced, name, account, at, now),
          Self.explanation(whole, name, account, at, now)
        )
        let note: Comment = "kind \(kind), seed \(seed), \(name) for \(account) at \(at ?? now)"
        #expect(part == all, note)
        #expect(sliced.timeline.entries.map(\.position) == whole.timeline.entries.map(\.position))
        explained += all.steps.count
        leftOut += whole.events.count - sliced.events.count
      }
    }
    #expect(explained > 0 && leftOut > 0, "kind \(kind), seed \(seed)")
  }

  @Test(
    "does so where a chain is known by its payment, and where nobody states an account",
    arguments: [
      [
        "session.started account=ada device=phone",
        "transaction.finished account=ben device=phone payment=p1",
        "transaction.purchased account=ada device=phone product=map payment=p1 transaction=t1",
        "transaction.purchased account=ada device=phone product=hat transaction=t2",
      ],
      [
        "transaction.purchased account=ada device=pad product=hat transaction=t1",
        "transaction.purchased account=ada device=phone product=hat transaction=t2",
        "transaction.purchased account=ben device=phone product=hat transaction=t3",
        "payment.added device=phone product=map payment=p1",
      ],
    ])
  func sameFewLines(lines: [String]) throws {
    let events = try ExplainedLines.events(lines)
    let now = try #require(Instant(rfc3339: "2026-02-01T12:01:00Z"))
    for account in ["ada", "ben"] as [Name] {
      for name in ["map", "hat"] as [Name] {
        let sliced = ExplainedHistory(events, about: name, for: account, at: nil, now: now)
        let whole = ExplainedHistory(
          events, about: name, for: account, at: nil, now: now, triesAll: true)
        #expect(
          Self.explanation(sliced, name, account, nil, now)
            == Self.explanation(whole, name, account, nil, now), "\(name) for \(account)")
      }
    }
  }

  /// All that an explanation says.
  private struct Said: Equatable {
    struct Step: Equatable {
      var position: UInt64
      var text: String
      var holdings: [[Explanation.Holding]]
    }

    var at: Instant
    var isHeld: Bool
    var ground: Explanation.Ground
    var holdings: [Explanation.Holding]
    var steps: [Step]
  }

  private static func explanation(
    _ history: ExplainedHistory, _ name: Name, _ account: Name, _ at: Instant?, _ now: Instant
  ) -> Said {
    // An operator's grant and a purchase in the sandbox are of interest, too.
    let environments: [StoreEnvironment] =
      name.text.utf8.count.isMultiple(of: 2) ? [.production] : StoreEnvironment.allCases
    let found = Explanation(
      of: name, for: account, in: history, environments: environments, at: at, now: now,
      position: 1)
    return Said(
      at: found.at, isHeld: found.isHeld, ground: found.ground, holdings: found.holdings,
      steps: found.steps.map { step in
        Said.Step(
          position: step.event.position, text: step.text,
          holdings: [step.before, step.after, step.without])
      })
  }
}
