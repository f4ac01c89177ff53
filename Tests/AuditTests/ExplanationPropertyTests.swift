import LedgerEvents
import LedgerHistories
import LedgerModel
import Testing

@testable import Audit

/// Properties of every explanation, tested with random histories.
@Suite("Explanations of random histories") struct ExplanationPropertyTests {
  private func accounts(_ events: [RecordedEvent]) -> [Name] {
    Set(events.compactMap(\.event.account)).sorted()
  }

  private func names(_ events: [RecordedEvent]) -> [Name] {
    var names = Set(events.compactMap(\.event.product))
    for recorded in events {
      if let granted = recorded.event.data.name("entitlement") { names.insert(granted) }
      for product in recorded.event.data.array("products") ?? [] {
        let entitlements = product.object?.first { $0.name == "entitlements" }?.value.array ?? []
        names.formUnion(entitlements.compactMap { $0.string.map { Name($0) } })
      }
    }
    return names.sorted()
  }

  @Test(
    "what is explained is the answer, and no step can be left out",
    arguments: 1...8 as ClosedRange<UInt64>)
  func steps(_ seed: UInt64) throws {
    let events = Histories.dense(seed: seed, count: 80)
    let newest = try #require(events.map(\.event.occurredAt).max())
    let history = ExplainedHistory(events)
    let ledger = InMemoryLedger(folding: history.facts, texts: history.texts)
    let all = EnvironmentSet(StoreEnvironment.allCases.map { EnvironmentSet($0) })
    var listed = 0
    for account in accounts(events) {
      let number = history.texts.number(.account, account)
      for name in names(events) {
        let found = Explanation(
          of: name, for: account, in: events, environments: StoreEnvironment.allCases,
          now: newest, position: UInt64(events.count))
        let question = ExplainedHistory.Question(
          account: number, name: name, environments: all,
          moment: found.at.microseconds)
        let answer = ledger.answer(
          .account(number), environments: all, at: found.at.microseconds)
        let note: Comment = "seed \(seed), \(name) for \(account): \(found.ground)"
        #expect(found.isHeld == answer.active.contains(name), note)
        let indices = found.steps.map { step in
          history.events.firstIndex { $0.position == step.event.position } ?? -1
        }
        #expect(indices == indices.sorted(), note)
        #expect((found.ground == .listed) == !found.holdings.isEmpty, note)
        if found.ground == .takenAway {
          #expect(history.holdings(of: indices, question).isEmpty, note)
        }
        guard found.ground == .listed else { continue }
        listed += 1
        #expect(history.holdings(of: indices, question) == found.holdings, note)
        for index in indices {
          let rest = history.holdings(of: indices.filter { $0 != index }, question)
          #expect(rest != found.holdings, "\(note): position \(history.events[index].position)")
        }
      }
    }
    #expect(listed > 0, "seed \(seed)")
  }

  @Test("the order of arrival changes no explanation", arguments: 20...24 as ClosedRange<UInt64>)
  func arrival(_ seed: UInt64) throws {
    let events = Histories.dense(seed: seed, count: 40)
    let shuffled = RecordedEvent.shuffled(events, seed: seed)
    let newest = try #require(events.map(\.event.occurredAt).max())
    for account in accounts(events) {
      for name in names(events) {
        let one = Explanation(of: name, for: account, in: events, now: newest, position: 40)
        let other = Explanation(of: name, for: account, in: shuffled, now: newest, position: 40)
        #expect(one.ground == other.ground)
        #expect(one.steps.map(\.event.event.id) == other.steps.map(\.event.event.id))
      }
    }
  }
}
