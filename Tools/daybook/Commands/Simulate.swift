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

        daybook simulate Tests/Scenarios/explore/two-maps.json --policy careful | daybook replay -
      """)

  @Argument(help: "A scenario with a script, a JSON document (Schemas/scenario.schema.json).")
  var scenario: String?

  @Option(help: PolicyArgument.help, transform: PolicyArgument.read)
  var policy: AppPolicy?

  @Option(help: "What delays and amounts are drawn from, in place of the scenario's seed.")
  var seed: UInt64?

  @Flag(
    help: """
      Compare the outcome with what the scenario expects; exit code 1 if it differs, or if a \
      command of the script does not happen.
      """)
  var check = false

  @Flag(
    help:
      "Prints what comes out, in the form of the scenario's member expect, to read and to paste.")
  var outcome = false

  @Flag(help: "Prints the policies, and what each does, and nothing else.")
  var policies = false

  func validate() throws {
    if scenario == nil && !policies { throw ValidationError("name a scenario.") }
    if check && outcome { throw ValidationError("leave out --check or --outcome.") }
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
      let played = try file.play(policy: policy, seed: seed)
      if check {
        try compare(played, file)
      } else if outcome {
        Console.print(played.outcome.text)
      } else {
        for event in played.events { Console.print(bytes: EventEncoder().encode(event)) }
      }
    }
  }

  private func compare(_ played: PlayedScenario, _ file: ScenarioFile) throws {
    guard let expectation = file.scenario.expectation else {
      throw InputProblem(
        "\(file.name): expect: expected what must come out, found nothing: `daybook simulate "
          + "\(file.name) --outcome` prints what does")
    }
    let differences = expectation.differences(of: played.outcome)
    for difference in differences { Console.print(TextTable.printable(difference)) }
    if !differences.isEmpty || !played.omissions.isEmpty { throw ExitStatus.found }
    Console.print("\(file.name): as expected, \(played.events.count) events")
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
