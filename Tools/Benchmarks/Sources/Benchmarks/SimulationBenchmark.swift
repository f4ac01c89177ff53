import LedgerModel
import QueueSimulator

/// Runs at random of the careful policy, faults and all, each folded by the reducer and judged by
/// every rule: what an exploration does, on one thread.
let simulationBenchmark = Benchmark(
  name: "simulate", about: "simulated events a second on one thread, every run judged"
) { context in
  let scenario = try Scenario(json: Array(scenarioText.utf8))
  var options = Exploration.Options()
  options.stateCountMax = 0
  options.runCountMax = context.isQuick ? 2_000 : 30_000
  let exploration = try Exploration(scenario, policy: .careful, options: options)
  var outcome: Exploration.Outcome?
  let time = seconds { outcome = exploration.run() }
  guard let outcome, outcome.failure == nil else {
    throw Baseline.Failed(description: "the careful policy broke something")
  }
  return [
    Figure(
      name: "simulate.judged", unit: "events/s",
      daybook: Double(outcome.progress.events) / time, floor: .atLeast(1_000_000)),
    Figure(
      name: "simulate.runs", unit: "runs/s", daybook: Double(outcome.progress.runs) / time),
    Figure(
      name: "simulate.length", unit: "events a run",
      daybook: Double(outcome.progress.events) / Double(outcome.progress.runs)),
  ]
}

/// Two maps of a few hundred megabytes, which report their progress about once a second, and
/// something consumable.
private let scenarioText = """
  {
    "title": "Two maps and some credits",
    "products": [
      {"product": "alps", "downloads": [
        {"download": "alps-north", "length": 300000000},
        {"download": "alps-south", "length": 200000000}]},
      {"product": "coast", "downloads": [{"download": "coast", "length": 400000000}]},
      {"product": "credits", "kind": "consumable", "grants": {"credits": 5}}
    ],
    "notifies": true,
    "script": [
      {"at": "PT0S", "do": "launch"},
      {"at": "PT5S", "do": "buy", "product": "credits"},
      {"at": "PT10S", "do": "buy", "product": "alps"},
      {"at": "PT12S", "do": "buy", "product": "coast"},
      {"at": "PT5M", "do": "publish", "product": "alps", "version": "2.0"},
      {"at": "PT10M", "do": "restore"}
    ]
  }
  """
