import LedgerEvents
import LedgerHistories
import LedgerOracle
import Testing

@Suite struct OracleConformanceTests {
  @Test(.enabled(if: Conformance.isPresent, "no ../shared beside the package: skipped"))
  func `The oracle answers every history as expected`() throws {
    let conformance = try #require(Conformance())
    for history in try conformance.histories() {
      let differences = differences(of: history, events: history.events, arrival: true)
      #expect(differences.isEmpty, "\(history.name): \(differences.joined(separator: "; "))")
    }
  }

  private func differences(
    of history: Conformance.History, events: [RecordedEvent], arrival: Bool
  ) -> [String] {
    let oracle = Oracle(events)
    let answers = oracle.answers()
    var found: [String] = []
    for (environment, expected) in history.expected {
      guard let answer = answers[environment] else {
        found.append("\(environment) has no answer")
        continue
      }
      if answer.at != expected.at { found.append("\(environment) at") }
      found += Comparison(expected, answer, arrival: arrival).differences.map {
        "\(environment.text) \($0)"
      }
    }
    return found
  }
}
