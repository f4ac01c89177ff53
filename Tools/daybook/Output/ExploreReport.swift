import LedgerAnswers
import LedgerEvents
import LedgerModel
import QueueSimulator

/// What an exploration found, for people or as a document.
struct ExploreReport {
  let outcome: Exploration.Outcome
  /// The failing run, shrunk if that was requested.
  let failing: Scenario?
  let policy: String
  /// The command that reproduces it.
  let again: String

  func print(_ format: OutputFormat) {
    switch format {
    case .table: printText()
    case .json, .jsonl: Console.print(json)
    }
  }

  private var events: [Event] {
    guard let failing else { return [] }
    do { return try Simulation(failing).run().events } catch { return [] }
  }

  /// What the failing run broke, divided into what its scenario still shows and what it lost when
  /// it was shrunk.
  private var broken: (shown: [Breach], lost: [Breach]) {
    let breaches = outcome.failure?.breaches ?? []
    guard let expectation = failing?.expectation else { return (breaches, []) }
    let shown = breaches.filter(expectation.shows)
    return (shown, breaches.filter { !shown.contains($0) })
  }

  private func printText() {
    let progress = outcome.progress
    let all =
      progress.isExhausted
      ? "all \(progress.states.counted("state"))" : progress.states.counted("state")
    Console.print(
      "\(policy): \(all), \(progress.runs.counted("run")), \(progress.events.counted("event"))")
    for (breach, count) in sortedCounts {
      Console.print("  \(breach.id) (\(breach.severity.text)): \(count)")
    }
    guard let failure = outcome.failure, let failing else {
      Console.print("no failure was found")
      printUnreached()
      return
    }
    Console.print("")
    let (shown, lost) = broken
    Console.print(Console.bold("broken: \(shown.map(\.id).joined(separator: ", "))"))
    if let first = lost.first {
      Console.print(
        "before it was shrunk, the run also broke \(lost.map(\.id).joined(separator: ", ")): "
          + "--rule \(first.id) keeps it")
    }
    for event in events {
      var line = "  \(event.occurredAt.shown)  \(event.type.text)"
      for name in [event.product, event.transaction ?? event.payment, event.download] {
        if let name { line += "  \(name.text)" }
      }
      Console.print(line.printable)
    }
    Console.print("")
    Console.print(
      "\(failing.schedule.count.counted("action")), seed \(failure.seed). To find it again:")
    Console.print("  \(again)")
  }

  /// Prints what no run did. The search says nothing about that.
  private func printUnreached() {
    let unreached = outcome.unreached
    func list(_ what: String, _ ids: [String]) {
      if !ids.isEmpty { Console.print("  \(what): \(ids.joined(separator: ", "))") }
    }
    Console.print("")
    Console.print("not reached by any run:")
    list("faults that never struck", unreached.faults.map(\.rawValue))
    for command in unreached.commands {
      Console.print("  script[\(command.index)]: \(command.reason)")
    }
    list("rules that no run broke", unreached.nearRules.map(\.id))
    list("rules that no run came near", unreached.farRules.map(\.id))
    list("rules that no simulated run can break", unreached.impossibleRules.map(\.id))
  }

  private var sortedCounts: [(Breach, Int)] {
    outcome.counts.map { ($0.key, $0.value) }.sorted {
      ($1.0.severity, $0.0.id) < ($0.0.severity, $1.0.id)
    }
  }

  private var json: String {
    var json = JSONText()
    json.object { json in
      json.member("policy", policy)
      json.member("states", outcome.progress.states)
      json.member("isExhausted", outcome.progress.isExhausted)
      json.member("runs", outcome.progress.runs)
      json.member("events", outcome.progress.events)
      json.member(
        "counts",
        array: { json in
          for (breach, count) in sortedCounts {
            json.object { json in
              json.member("rule", breach.id)
              json.member("severity", breach.severity.text)
              json.member("count", count)
            }
          }
        })
      json.member("broken", strings: broken.shown.map(\.id))
      json.member("alsoBroken", strings: broken.lost.map(\.id))
      if outcome.failure == nil {
        json.member("unreached", object: { unreached(&$0) })
      } else {
        // A search that a failure ended early reached next to nothing.
        json.member("unreached", nil as String?)
      }
      if let failing {
        json.member("seed", failing.seed)
        json.member("trace", events.count)
        json.member("actions", strings: failing.schedule)
        json.member("again", again)
      }
    }
    return json.text
  }

  private func unreached(_ json: inout JSONText) {
    let unreached = outcome.unreached
    json.member("faults", strings: unreached.faults.map(\.rawValue))
    json.member("commands", each: unreached.commands) { json, command in
      json.object { json in
        json.member("place", command.index)
        json.member("reason", command.reason)
      }
    }
    json.member("rulesNotBroken", strings: unreached.nearRules.map(\.id))
    json.member("rulesNotNear", strings: unreached.farRules.map(\.id))
    json.member("rulesImpossible", strings: unreached.impossibleRules.map(\.id))
  }
}

extension ScenarioExpectation {
  /// Whether a run that meets the expectation breaks a rule or promise.
  func shows(_ breach: Breach) -> Bool {
    switch breach {
    case .rule(let rule): (findings + findingsAtTheEnd).contains(rule.id)
    case .promise(let promise): brokenPromises?.contains(promise.id) ?? false
    }
  }
}
