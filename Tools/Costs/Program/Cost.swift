import Foundation

/// What one unit of a workload costs: an event, a record or an answer.
struct Cost: Codable {
  var allocations: Double
  var instructions: Double

  /// Counts a workload: the difference of a longer and a shorter run, without what only prepares
  /// it.
  ///
  /// - Parameter known: What was counted before, with its preparation.
  static func counted(of workload: Workload, _ known: inout [Workload: Cost]) throws -> Cost {
    var cost = try marginal(of: workload, &known)
    if let preparation = workload.preparation {
      let other = try marginal(of: preparation, &known)
      cost.allocations -= other.allocations
      cost.instructions -= other.instructions
    }
    return cost
  }

  private static func marginal(
    of workload: Workload, _ known: inout [Workload: Cost]
  ) throws -> Cost {
    if let cost = known[workload] { return cost }
    let count = workload.count
    let short = try process(workload, count)
    let long = try process(workload, 2 * count)
    let cost = Cost(
      allocations: (long.allocations - short.allocations) / Double(count),
      instructions: (long.instructions - short.instructions) / Double(count))
    known[workload] = cost
    return cost
  }

  /// Counts a whole run in a process of its own.
  private static func process(_ workload: Workload, _ count: Int) throws -> Cost {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
      CommandLine.arguments[0], "run", workload.rawValue, "\(count)",
    ]
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let told = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0,
      let allocations = number(behind: "allocations ", in: said),
      let instructions = number(behind: "Collected : ", in: told)
    else { throw Failure("\(workload.rawValue) did not end well under valgrind:\n\(said)\(told)") }
    return Cost(allocations: allocations, instructions: instructions)
  }

  private static func number(behind label: String, in text: String) -> Double? {
    guard let found = text.range(of: label) else { return nil }
    return Double(text[found.upperBound...].prefix { $0.isNumber })
  }
}

/// The most that each workload may cost, as the repository keeps it.
struct Limits {
  private let costs: [String: Cost]

  /// How much more than the limit is still accepted: buffers grow at slightly other moments when
  /// threads meet differently.
  private static let tolerance = 1.03
  /// When so much less is counted, the limit should follow.
  private static let surplus = 0.9
  /// Counts of less than this are noise.
  private static let allocationsMin = 0.05

  static let path = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../limits.json").standardizedFileURL.path

  static func read() throws -> Limits {
    let bytes = try Data(contentsOf: URL(filePath: path))
    return Limits(costs: try JSONDecoder().decode([String: Cost].self, from: bytes))
  }

  static func write(_ counted: [(Workload, Cost)]) throws {
    var costs = FileManager.default.fileExists(atPath: path) ? try read().costs : [:]
    for (workload, cost) in counted {
      costs[workload.rawValue] = Cost(
        allocations: (cost.allocations * 100).rounded(.up) / 100,
        instructions: cost.instructions.rounded(.up))
      print("\(workload.rawValue): \(text(cost))")
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try (try encoder.encode(costs) + Data("\n".utf8)).write(to: URL(filePath: path))
  }

  /// Compares a cost with its limit.
  func judge(_ workload: Workload, _ cost: Cost) -> (line: String, isFine: Bool) {
    let line = "\(workload.rawValue): \(Self.text(cost))"
    guard let limit = costs[workload.rawValue] else { return (line + ", without a limit", false) }
    let most = max(limit.allocations * Self.tolerance, limit.allocations + Self.allocationsMin)
    if cost.allocations > most || cost.instructions > limit.instructions * Self.tolerance {
      return (line + ", more than \(Self.text(limit))", false)
    }
    let isLess =
      cost.allocations < limit.allocations * Self.surplus - Self.allocationsMin
      || cost.instructions < limit.instructions * Self.surplus
    return (line + (isLess ? ", less than the limit: write it down with --update" : ""), true)
  }

  private static func text(_ cost: Cost) -> String {
    "\((cost.allocations * 100).rounded() / 100) allocations, "
      + "\(Int(cost.instructions.rounded())) instructions"
  }
}
