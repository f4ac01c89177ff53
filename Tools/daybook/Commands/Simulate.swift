import ArgumentParser
import Foundation
import LedgerEvents
import QueueSimulator

struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Plays a scenario on the simulated payment queue and prints the events.",
    discussion: """
      A deterministic payment queue, a store and an app policy run from a seed on a virtual clock \
      and record what a real queue would: the same scenario, policy and seed give the same bytes. \
      What it prints are events, one a line. Example:

        daybook simulate Tests/Scenarios/finished-at-once.json --policy careful | daybook replay -
      """)

  @Argument(help: "A scenario with a script, a JSON document (Schemas/scenario.schema.json).")
  var scenario: String?

  @Option(help: PolicyArgument.help, transform: PolicyArgument.read)
  var policy: AppPolicy?

  @Option(help: "What delays and amounts are drawn from, in place of the scenario's seed.")
  var seed: UInt64?

  @Flag(help: "Prints the policies, and what each does, and nothing else.")
  var policies = false

  func validate() throws {
    if scenario == nil && !policies { throw ValidationError("name a scenario.") }
  }

  func run() throws {
    try answering {
      if policies {
        var table = TextTable(["policy", "does"])
        for policy in AppPolicy.all { table.add([policy.name, policy.summary]) }
        for line in table.lines { Console.print(line) }
        return
      }
      guard let scenario else { return }
      let file = try ScenarioFile(scenario)
      let script = try file.script()
      let simulation = try file.reading { () throws(ScenarioError) in
        try Simulation(script, policy: policy, seed: seed)
      }
      let run = simulation.run()
      for event in run.events { Console.print(bytes: EventEncoder().encode(event)) }
      if run.commandsLeft > 0 {
        Console.complain(
          "daybook: the last \(run.commandsLeft) commands of the script never got their turn: what "
            + "the next one waits for did not happen")
      }
    }
  }
}

/// `--policy`.
enum PolicyArgument {
  static let help = ArgumentHelp(
    "What the app does, in place of the scenario's policy.", valueName: "policy")

  static func read(_ name: String) throws -> AppPolicy {
    guard let policy = AppPolicy.named(name) else {
      throw ValidationError(
        "expected one of \(AppPolicy.all.map(\.name).joined(separator: ", ")).")
    }
    return policy
  }
}
