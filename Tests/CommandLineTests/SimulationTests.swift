import Foundation
import Testing

/// Runs the simulated queue through the program: processes agree with each other and with the
/// golden files.
struct SimulationTests {
  private static let scenario = "Tests/Scenarios/explore/two-maps.json"

  @Test(
    "two processes simulate the same bytes, which are those of the golden file",
    arguments: ["careful", "finish-at-once", "latest-answers"])
  func twoProcesses(
    policy: String
  ) throws {
    let arguments = ["simulate", Self.scenario, "--policy", policy]
    let one = try Program.run(arguments)
    let other = try Program.run(arguments)
    #expect(one.status == 0, "\(one.errors)")
    #expect(one.output == other.output)
    let golden = try Program.packageFolder()
      .appending(path: "Tests/QueueSimulatorTests/Golden/two-maps.\(policy).jsonl")
    #expect(one.output == String(decoding: try Data(contentsOf: golden), as: UTF8.self))
  }

  @Test("two processes explore to the same failure, and its file simulates")
  func twoProcessesExplore() throws {
    let folder = try TemporaryFolder()
    var emitted: [Data] = []
    for name in ["one.json", "other.json"] {
      let file = folder.file(name)
      let outcome = try Program.run([
        "explore", Self.scenario, "--policy", "finish-at-once", "--states", "300", "--shrink",
        "--emit", file.path,
      ])
      #expect(outcome.status == 1, "\(outcome.errors)")
      emitted.append(try Data(contentsOf: file))
    }
    #expect(emitted[0] == emitted[1])
    let run = try Program.run(["simulate", folder.file("one.json").path])
    #expect(run.status == 0, "\(run.errors)")
    #expect(!run.lines.isEmpty)
  }

  @Test("a double credit that was found stays found, with the catalogue that shows it")
  func doubleCredit() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("found.json")
    let found = try Program.run([
      "explore", "Tests/Scenarios/explore/credits-twice.json", "--policy", "credit-on-delivery",
      "--rule", "credited-twice", "--states", "0", "--shrink", "--emit", file,
    ])
    #expect(found.status == 1, "\(found.errors)")
    let scenario = try String(contentsOfFile: file, encoding: .utf8)
    #expect(scenario.contains(#""brokenPromises": ["credited-twice"]"#), "\(scenario)")
    #expect(!scenario.contains("setsCatalog"))
    let expected = try Program.run(["simulate", file, "--check"])
    #expect(expected.status == 0)
    // What the file expects is still a fault, and is named.
    #expect(
      expected.output.contains(
        "broken promise credited-twice: a consumable's purchase was credited more than once"),
      "\(expected.output)")
    #expect(expected.output.contains("finding fulfilled-twice (critical)"))
    let careful = try Program.run(["simulate", file, "--check", "--policy", "careful"])
    #expect(careful.status == 1)
    #expect(careful.output.contains("broken promise credited-twice: 1 missing"))
    // A scenario that expects no double credit fails if there is one.
    let kept = scenario.replacing(#"["credited-twice"]"#, with: "[]")
    try Data(kept.utf8).write(to: folder.file("kept.json"))
    let broken = try Program.run(["simulate", folder.path("kept.json"), "--check"])
    #expect(broken.status == 1)
    #expect(broken.output.contains("broken promise credited-twice: 1 more than expected"))
  }

  @Test("the policies and a comparison are answers for programs, too") func formats() throws {
    let policies = try Program.run(["simulate", "--policies", "--format", "json"]).objects()
    #expect(policies.contains { $0["policy"] as? String == "careful" })
    let table = try Program.run(["simulate", "--policies", "--format", "csv"])
    #expect(table.output.hasPrefix("policy,does\r\n"), "\(table.output)")
    let scenario = "Tests/Scenarios/hits/failed-without-error.json"
    let same = try Program.run(["simulate", scenario, "--check", "--format", "json"])
    #expect(same.status == 0, "\(same.errors)")
    #expect(try same.object()["asExpected"] as? Bool == true)
    let folder = try TemporaryFolder()
    let changed = try String(contentsOfFile: scenario, encoding: .utf8)
      .replacing(#""failed-without-error""#, with: #""finished-twice""#)
    try Data(changed.utf8).write(to: folder.file("other.json"))
    let other = try Program.run([
      "simulate", folder.path("other.json"), "--check", "--format", "json",
    ])
    #expect(other.status == 1, "\(other.errors)")
    #expect(try other.object()["asExpected"] as? Bool == false)
    #expect(try Program.run(["simulate", scenario, "--format", "json"]).status == 64)
  }

  @Test("steps that did not happen are in the answer for programs, too") func omissions() throws {
    let folder = try TemporaryFolder()
    let scenario = "Tests/Scenarios/incidents/finished-before-the-download.json"
    let step = #""do": "buy", "product": "com.example.reader.moby"}"#
    let more = try String(contentsOfFile: scenario, encoding: .utf8)
      .replacing(step, with: step + #", {"on": "content.installStarted", "do": "quit"}"#)
    try Data(more.utf8).write(to: folder.file("more.json"))
    let check = ["--check", "--format", "json"]
    let answer = try Program.run(["simulate", folder.path("more.json")] + check)
    #expect(answer.status == 1, "\(answer.errors)")
    let document = try answer.object()
    #expect(document["asExpected"] as? Bool == false)
    #expect(document["differences"] as? [String] == [])
    let omissions = try #require(document["omissions"] as? [String])
    #expect(omissions.count == 1 && omissions[0].hasPrefix("script[3]: "), "\(omissions)")
    let whole = try Program.run(["simulate", scenario] + check).object()
    #expect(whole["omissions"] as? [String] == [])
  }

  @Test("what a run breaks no more after it was shrunk is said, and not claimed")
  func lostWhenShrunk() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("found.json")
    let found = try Program.run([
      "explore", "Tests/Scenarios/explore/credits-twice.json", "--policy", "credit-on-delivery",
      "--states", "0", "--shrink", "--emit", file,
    ])
    #expect(found.status == 1, "\(found.errors)")
    let scenario = try String(contentsOfFile: file, encoding: .utf8)
    let lines = found.lines
    let broken = try #require(lines.first { $0.hasPrefix("broken: ") }).dropFirst(8)
    for id in broken.split(separator: ", ") {
      #expect(scenario.contains("\"\(id)\""), "\(id): \(scenario)")
    }
    let lost = lines.first { $0.hasPrefix("before it was shrunk, the run also broke ") }
    if !scenario.contains(#""brokenPromises": ["credited-twice"]"#) {
      #expect(lost?.hasSuffix("--rule credited-twice keeps it") == true, "\(found.output)")
    }
  }

  @Test("a search that finds nothing says what it never reached") func searchFinds() throws {
    let arguments = [
      "explore", "Tests/Scenarios/explore/credits-twice.json", "--states", "100", "--runs", "50",
    ]
    let text = try Program.run(arguments)
    #expect(text.status == 0, "\(text.errors)")
    #expect(text.output.contains("not reached by any run:"))
    #expect(text.output.contains("faults that never struck: "))
    #expect(text.output.contains("rules that no run came near: "))
    let json = try Program.run(arguments + ["--format", "json"])
    let document = try #require(
      JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    let unreached = try #require(document["unreached"] as? [String: Any])
    let faults = try #require(unreached["faults"] as? [String])
    #expect(faults.contains("switch-apple-id"))
    #expect(faults.contains("fail-download"))
    #expect(unreached["commands"] as? [String] == [])
    #expect((unreached["rulesNotNear"] as? [String])?.contains("restore-storm") == true)
  }

  @Test(
    "a time limit that is no time is a usage error", arguments: ["nan", "inf", "-1", "0", "1e300"])
  func timeLimit(seconds: String) throws {
    let answer = try Program.run(["explore", Self.scenario, "--seconds=\(seconds)"])
    #expect(answer.status == 64, "\(answer.status)")
    #expect(answer.errors.contains("--seconds"))
  }

  @Test("what is emitted takes the place of no file that is there, and never of its input")
  func emittedTakes()
    throws
  {
    let folder = try TemporaryFolder()
    let original = try Data(
      contentsOf: Program.packageFolder().appending(path: Self.scenario))
    try original.write(to: folder.file("input.json"))
    try Data("mine".utf8).write(to: folder.file("mine.json"))
    func explore(_ name: String, _ more: String...) throws -> Outcome {
      try Program.run(
        [
          "explore", folder.path("input.json"), "--policy", "finish-at-once", "--states", "300",
          "--emit", folder.path(name),
        ] + more)
    }
    for more in ["--shrink", "--force"] {
      let refused = try explore("input.json", more)
      #expect(refused.status == 73)
      #expect(try Data(contentsOf: folder.file("input.json")) == original)
    }
    #expect(try explore("mine.json").status == 73)
    #expect(try Data(contentsOf: folder.file("mine.json")) == Data("mine".utf8))
    #expect(try explore("mine.json", "--force").status == 1)
    #expect(try Data(contentsOf: folder.file("mine.json")) != Data("mine".utf8))
  }
}

/// Steps of a scenario that do not happen are reported, and fail a check.
struct OmissionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs a scenario with `--check` that expects its actual outcome.
  private func check(_ members: String, _ more: String...) throws -> Outcome {
    let start = #"{"title": "t", "products": [{"product": "map"}], "#
    let file = folder.path("scenario.json")
    try Data((start + members + "}").utf8).write(to: URL(filePath: file))
    let outcome = try Program.run(["simulate", file, "--outcome"] + more)
    try #require(outcome.status == 0, "\(outcome.errors)")
    let whole = start + members + #", "expect": "# + outcome.output + "}"
    try Data(whole.utf8).write(to: URL(filePath: file))
    return try Program.run(["simulate", file, "--check"] + more)
  }

  @Test("a scenario of which everything happens passes") func scenarioWhich() throws {
    let answer = try check(#""script": [{"at": "PT0S", "do": "launch"}]"#)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(answer.errors.isEmpty)
  }

  @Test(
    "a command that cannot happen is named",
    arguments: [
      (#"{"at": "PT0S", "do": "buy"}"#, "the app is in the foreground"),
      (#"{"at": "PT0S", "do": "approve"}"#, "a payment is waiting for approval"),
      (#"{"at": "PT0S", "do": "refund"}"#, "a purchase of the product"),
      (#"{"at": "PT0S", "do": "resume"}"#, "a download is paused"),
      (#"{"at": "PT0S", "do": "kill"}"#, "what it strikes is there"),
    ])
  func commandCannot(command: String, need: String) throws {
    let answer = try check(
      #""script": [\#(command), {"at": "PT1S", "do": "launch"}]"#)
    #expect(answer.status == 1)
    #expect(answer.errors.contains("script[0]: nothing happened"), "\(answer.errors)")
    #expect(answer.errors.contains(need), "\(answer.errors)")
  }

  @Test("an event that a command waits for in vain is named") func eventCommand() throws {
    let answer = try check(
      """
      "script": [{"at": "PT0S", "do": "launch"}, {"at": "PT1S", "do": "buy"},
        {"on": "payment.added", "nth": 3, "do": "kill"}]
      """)
    #expect(answer.status == 1)
    #expect(
      answer.errors.contains(
        "script[2]: this command and those after it were never reached; it waits for event 3 of "
          + "type payment.added, and the run had 1"), "\(answer.errors)")
  }

  @Test("a run that has too many actions is said to be stopped, and nothing else") func runHas()
    throws
  {
    // The command and its waits together are the maximum number of actions of a run.
    let waits = Array(repeating: #""wait""#, count: 19_999).joined(separator: ", ")
    let answer = try check(
      #""script": [{"at": "PT0S", "do": "launch"}], "schedule": ["command", \#(waits)]"#,
      "--policy", "finish-at-once")
    #expect(answer.status == 1)
    #expect(answer.errors.contains("stopped after 20000 actions"), "\(answer.errors)")
    #expect(answer.errors.split(separator: "\n").count == 1, "\(answer.errors)")
  }

  @Test("a scenario that is too large is not read to its end") func scenarioToo() throws {
    let answer = try Program.run(["simulate", "/dev/zero"])
    #expect(answer.status == 65)
    #expect(answer.errors.contains("/dev/zero has over 16777216 bytes"), "\(answer.errors)")
  }
}
