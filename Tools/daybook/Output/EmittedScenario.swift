import LedgerEvents
import LedgerQueries
import QueueSimulator

/// The events of a replay as a scenario: a recording that `replay` and the tests can play.
struct EmittedScenario {
  private let destination: OutputDestination
  let scenario: Scenario

  /// - Parameter title: What was replayed.
  init(_ title: String, _ events: ReplayEvents, to destination: OutputDestination) {
    self.destination = destination
    let first = events.events.first?.event
    var scenario = Scenario(
      title: title, start: first.map { min($0.occurredAt, Self.latestStart) } ?? Self.latestStart,
      app: events.events.lazy.compactMap(\.event.app).first ?? "com.example.app")
    scenario.events = events.events.map(\.event)
    scenario.recordedAt = events.events.map(\.recordedAt)
    func ids(where isWanted: (UInt64) -> Bool) -> [Name] {
      events.events.filter { isWanted($0.position) }.map(\.event.id)
    }
    scenario.ground = ids { !events.steps.contains($0) }
    scenario.background = ids { events.background.contains($0) }
    // Entitlements are expected in the environment of the events, if there is only one.
    let steps = events.events.filter { events.steps.contains($0.position) }
    let stated = Set(steps.compactMap(\.event.environment))
    scenario.environment = stated.count == 1 ? stated.first : nil
    scenario.expectation = ScenarioExpectation(
      of: scenario.events, recordedAt: scenario.recordedAt, ground: scenario.ground,
      background: scenario.background, in: scenario.environment ?? .production)
    self.scenario = scenario
  }

  /// 9899-01-01, within the years in which a scenario may begin.
  private static let latestStart = Instant(microseconds: 250_215_091_200_000_000)

  /// Writes the complete file or nothing, and prints what it contains.
  ///
  /// - Throws: `InputProblem` if a scenario cannot contain so many events, or if the file cannot be
  ///   created.
  func write() throws {
    guard !scenario.events.isEmpty else {
      throw InputProblem("There are no events to write: choose another slice.")
    }
    guard scenario.events.count <= ScenarioLimits.eventCountMax else {
      throw InputProblem(
        "The slice rests on \(scenario.events.count.counted("event")), and a scenario holds at "
          + "most \(ScenarioLimits.eventCountMax): choose a smaller slice.")
    }
    let json = scenario.json
    guard json.count <= ScenarioLimits.sizeBytesMax else {
      throw InputProblem(
        "The scenario would have \(json.count) bytes, and can have at most "
          + "\(ScenarioLimits.sizeBytesMax): choose a smaller slice.")
    }
    guard destination.path != "-" else {
      Console.print(bytes: Array(json.dropLast()))
      return
    }
    let file = try OutputFile(destination)
    defer { file.discard() }
    try file.write(json)
    try file.publish()
    let count = scenario.expectation.map { $0.findings.count + $0.findingsAtTheEnd.count } ?? 0
    Console.print(
      "\(destination.path): \(scenario.events.count.counted("event")), \(count.counted("finding"))")
  }
}
