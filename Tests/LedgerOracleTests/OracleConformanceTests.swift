import LedgerEvents
import LedgerHistories
import LedgerOracle
import Testing

@Suite(
  "The oracle on recorded incidents",
  .enabled(if: Conformance.isPresent, "skipped: no ../shared beside the package"))
struct OracleConformanceTests {
  @Test("the oracle answers every history as expected") func oracleAnswers() throws {
    for history in try #require(Conformance()).histories() {
      let differences = differences(of: history, arriving: history.events)
      #expect(differences.isEmpty, "\(history.name): \(differences.joined(separator: "; "))")
    }
  }

  @Test("the order of arrival changes nothing but what arrived late") func orderArrival() throws {
    for (number, history) in try #require(Conformance()).histories().enumerated() {
      let shuffled = RecordedEvent.shuffled(history.events, seed: UInt64(number))
      let differences = differences(of: history, arriving: shuffled)
      #expect(differences.isEmpty, "\(history.name): \(differences.joined(separator: "; "))")
    }
  }

  @Test("the oracle answers every trace as expected, in order and shuffled")
  func oracleAnswersEvery() throws {
    for trace in try #require(Conformance()).traces() {
      check(trace, arriving: trace.events)
      check(trace, arriving: RecordedEvent.shuffled(trace.events, seed: 7))
      check(trace, arriving: RecordedEvent.newestFirst(trace.events))
    }
  }

  private func differences(
    of history: Conformance.History, arriving events: [RecordedEvent]
  ) -> [String] {
    let first = Dictionary(uniqueKeysWithValues: history.events.map { ($0.event.id, $0.position) })
    let positions = events.map { first[$0.event.id] ?? 0 }
    let isInOrder = positions == history.events.map(\.position)
    let answers = Oracle(events).answers()
    var found: [String] = []
    for (environment, expected) in history.expected {
      guard var answer = answers[environment] else {
        found.append("\(environment) has no answer")
        continue
      }
      for index in answer.findings.indices {
        answer.findings[index].position = positions[Int(answer.findings[index].position) - 1]
      }
      found += Comparison(expected, answer, isInOrder: isInOrder).differences.map {
        "\(environment.text) \($0)"
      }
    }
    return found
  }

  private func check(_ trace: Conformance.Trace, arriving events: [RecordedEvent]) {
    let answers = Oracle(events).answers()
    let findings = answers.values.flatMap(\.findings).map(\.rule).filter { $0 != "arrived-late" }
    #expect(findings.sorted() == trace.findings.sorted(), "\(trace.name)")
    let moment = answers.values.flatMap(\.moment).map(\.rule)
    #expect(moment.sorted() == trace.findingsAtTheEnd.sorted(), "\(trace.name)")
    let own = answers[.production]?.accounts[trace.account] ?? Oracle.Account()
    for (name, state) in trace.entitled {
      let given = own.states[name] ?? (own.active.contains(name) ? "active" : "none")
      #expect(given == state, "\(trace.name) \(name)")
    }
    let listed = Array(own.states.keys) + own.active
    #expect(listed.allSatisfy { trace.entitled[$0] != nil }, "\(trace.name) lists more")
    #expect(own.installed == trace.installed, "\(trace.name)")
    #expect(own.balances == trace.balances, "\(trace.name)")
  }
}
