import ArgumentParser
import Foundation
import LedgerAnswers
import LedgerEvents
import LedgerModel
import QueueSimulator

struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Plays a scenario on the simulated payment queue and prints the events.",
    discussion: """
      Runs a payment queue, a store and an app policy on a virtual clock and prints the events \
      that a recorder in the app would write, one per line. The same scenario, policy and seed \
      give the same bytes. Example:

        daybook simulate Tests/Scenarios/explore/two-maps.json --policy careful | daybook replay -
      """)

  @Argument(help: "A scenario with a script, a JSON document (Schemas/scenario.schema.json).")
  var scenario: String?

  @Option(
    help: PolicyArgument.help, completion: PolicyArgument.completion, transform: PolicyArgument.read
  )
  var policy: AppPolicy?

  @Option(help: "The seed of delays and amounts, instead of the scenario's seed.")
  var seed: UInt64?

  @Flag(
    help: """
      Compare the outcome with what the scenario expects; exit code 1 if it differs, or if a \
      command of the script does not happen.
      """)
  var check = false

  @Flag(
    help:
      "Print the outcome in the form of the scenario's member expect, ready to paste.")
  var outcome = false

  @Flag(help: "List the policies and what each does.")
  var policies = false

  @Option(help: "Output format of --check and --policies: table, json, jsonl or csv.")
  var format: OutputFormat?

  func validate() throws {
    if scenario == nil && !policies { throw ValidationError("name a scenario.") }
    if format != nil && !check && !policies {
      throw ValidationError(
        "--format is for --check and --policies: events are always printed one per line, as JSON.")
    }
    if check && outcome { throw ValidationError("--check and --outcome cannot be combined.") }
  }

  func run() throws {
    try answering {
      if policies {
        var printer = ListPrinter<AppPolicy>(
          format ?? .table, header: ["policy", "does"], columns: ["policy", "does"],
          nothing: "no policies", row: { [$0.name, $0.summary] }
        ) { policy, json in
          json.object { json in
            json.member("policy", policy.name)
            json.member("does", policy.summary)
          }
        }
        for policy in AppPolicy.all { printer.add(policy) }
        printer.end()
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
        "\(file.name): expect: is missing, so there is nothing to compare with: `daybook simulate "
          + "\(file.name) --outcome` prints the outcome")
    }
    let differences = expectation.differences(of: played.outcome)
    let isAsExpected = differences.isEmpty && played.omissions.isEmpty
    if let format, format != .table {
      var json = JSONText()
      json.object { json in
        json.member("scenario", file.name)
        json.member("events", played.events.count)
        json.member("asExpected", isAsExpected)
        json.member("differences", strings: differences)
        json.member("omissions", strings: played.omissions)
        json.member("broken", strings: broken(played.outcome))
      }
      Console.print(json.text)
    } else {
      for difference in differences { Console.print(difference.printable) }
      if isAsExpected {
        Console.print("\(file.name): as expected, \(played.events.count.counted("event"))")
        for line in broken(played.outcome) { Console.print("  \(line)") }
      }
    }
    if !isAsExpected { throw ExitStatus.found }
  }

  /// The promises and rules that the run broke, although the scenario expects it, the worst first.
  private func broken(_ outcome: ScenarioExpectation) -> [String] {
    let promises = (outcome.brokenPromises ?? []).compactMap(Promise.init(rawValue:))
    let rules = Set(outcome.findings + outcome.findingsAtTheEnd).compactMap(Breach.init(id:))
      .sorted { ($1.severity, $0.id) < ($0.severity, $1.id) }
    return promises.map { "broken promise \($0.id): \($0.meaning)" }
      + rules.map { "finding \($0.id) (\($0.severity.text))" }
  }
}

/// `--policy`.
enum PolicyArgument {
  static let help = ArgumentHelp(
    "What the app does, instead of the scenario's policy.", valueName: "policy")

  static let completion = CompletionKind.list(AppPolicy.all.map(\.name))

  static func read(_ name: String) throws -> AppPolicy {
    guard let policy = AppPolicy.named(name) else {
      throw ValidationError(
        "expected one of \(AppPolicy.all.map(\.name).joined(separator: ", ")).")
    }
    return policy
  }
}
