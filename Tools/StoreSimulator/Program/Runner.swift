import Foundation
import LedgerLog
import SimulatedDisk

struct Options {
  var seed: UInt64?
  /// Where the seeds after the kept ones begin; at random if none is given.
  var from: UInt64?
  var seconds = 30.0
  var operations = 600
  var histories: Int?
  /// How many processes play at once.
  var jobs = ProcessInfo.processInfo.activeProcessorCount
  /// Of each so many histories, this process plays the one with this index.
  var share = 0
  var shares = 1
  var tells = false
  var tellsCalls = false
  var runsControls = false
  var sabotage = Sabotage.nothing
  var faultEvery: Int? = Self.faultEveryUsual
  var folder = "/dev/shm"

  static let faultEveryUsual = 10

  init(_ arguments: ArraySlice<String>) {
    var arguments = arguments
    while let option = arguments.popFirst() {
      switch option {
      case "--seed": seed = Self.number(arguments.popFirst())
      case "--from": from = Self.number(arguments.popFirst())
      case "--seconds": seconds = Double(Self.number(arguments.popFirst()))
      case "--operations": operations = Int(Self.number(arguments.popFirst()))
      case "--histories": histories = Int(Self.number(arguments.popFirst()))
      case "--jobs": jobs = max(1, Int(Self.number(arguments.popFirst())))
      case "--share": share = Int(Self.number(arguments.popFirst()))
      case "--shares": shares = max(1, Int(Self.number(arguments.popFirst())))
      case "--fault-every": faultEvery = Int(Self.number(arguments.popFirst()))
      case "--no-faults": faultEvery = nil
      case "--trace": tells = true
      case "--calls": tellsCalls = true
      case "--controls": runsControls = true
      case "--control":
        guard let chosen = arguments.popFirst().flatMap(Sabotage.init(rawValue:)) else {
          Self.usage()
        }
        sabotage = chosen
      case "--folder":
        guard let path = arguments.popFirst() else { Self.usage() }
        folder = path
      default: Self.usage()
      }
    }
  }

  private static func number(_ text: String?) -> UInt64 {
    guard let number = text.flatMap({ UInt64($0) }) else { usage() }
    return number
  }

  private static func usage() -> Never {
    say(
      """
      usage: StoreSimulator [--seed N | --from N] [--seconds S | --histories N] [--operations N]
               [--jobs N] [--trace] [--calls] [--controls] [--control NAME] [--fault-every N]
               [--no-faults] [--folder TMPFS]
      """)
    exit(64)
  }
}

/// What decides a history, besides its length.
struct KeptSeed {
  var seed: UInt64
  /// One in how many steps begins with a planned fault; nil for none.
  var faultEvery: Int?
}

/// Runs history after history, each from a seed of its own.
struct Runner {
  let options: Options

  init(_ options: Options) { self.options = options }

  func run() throws -> Int32 {
    disk_tell(options.tellsCalls)
    if options.runsControls { return try runControls() }
    if options.jobs > 1, options.seed == nil, !options.tells {
      return try Jobs(options: options, arguments: Array(CommandLine.arguments.dropFirst())).run()
    }
    let begun = ContinuousClock.now
    var tally = Tally()
    let playsKept = options.seed == nil && options.faultEvery != nil
    let kept = playsKept ? try keptSeeds() : []
    var histories = 0
    var calls: UInt64 = 0
    let first = options.seed ?? options.from ?? UInt64.random(in: 0..<1 << 32)
    if options.share == 0 {
      say("first seed \(first), \(kept.count) kept, \(options.operations) operations each")
    }
    for index in 0..<(options.histories ?? (options.seed == nil ? Int.max : 1)) {
      guard
        options.histories != nil || index < max(kept.count, 1)
          || begun.duration(to: .now) < .seconds(options.seconds)
      else { break }
      guard index % options.shares == options.share else { continue }
      let played =
        index < kept.count
        ? kept[index]
        : KeptSeed(seed: first &+ UInt64(index - kept.count), faultEvery: options.faultEvery)
      let seed = played.seed
      let simulation = try simulate(played, options.sabotage)
      tally.add(simulation.tally)
      histories += 1
      calls += simulation.calls
      if options.seed != nil || options.tells {
        say(
          "seed \(seed): trace \(String(simulation.trace, radix: 16)), disk "
            + "\(String(simulation.diskTrace, radix: 16)), \(simulation.calls) calls")
      }
      if let violation = simulation.violation {
        report(violation, played, simulation)
        return 1
      }
    }
    let seconds = begun.duration(to: .now) / .seconds(1)
    if options.shares > 1 { say("\(Jobs.operationsMark)\(tally.operations)") }
    let processorSeconds = Double(clock()) / Double(CLOCKS_PER_SEC)
    say(
      "\(histories) histories, \(tally.operations) operations in \(Int(seconds)) s, "
        + "\(Int(Double(tally.operations) / seconds * 60)) a minute, "
        + "\(Int(Double(tally.operations) / processorSeconds * 60)) a minute of processor time, "
        + "\(calls) disk calls")
    say(tally.text)
    return 0
  }

  struct Outcome {
    var tally: Tally
    var trace: UInt64
    var diskTrace: UInt64
    var calls: UInt64
    var violation: (any Error)?
    var steps: [String]
  }

  private var folder: String {
    "\(options.folder)/daybook-simulator-\(ProcessInfo.processInfo.processIdentifier)"
  }

  private func removeFolder() throws {
    if FileManager.default.fileExists(atPath: folder) {
      try FileManager.default.removeItem(atPath: folder)
    }
  }

  func simulate(_ played: KeptSeed, _ sabotage: Sabotage) throws -> Outcome {
    let seed = played.seed
    let files = FileManager.default
    try removeFolder()
    for part in ["disk", "stash"] {
      try files.createDirectory(atPath: "\(folder)/\(part)", withIntermediateDirectories: true)
    }
    var settings = Simulation.Settings(seed: seed)
    settings.operationsMax = options.operations
    settings.faultEvery = played.faultEvery
    settings.sabotage = sabotage
    settings.tells = options.tells
    Disk.watch("\(folder)/disk", stash: "\(folder)/stash")
    disk_seed(seed | 1 << 63)
    disk_lie_about(sabotage.lie)
    var simulation: Simulation? = Simulation(settings, folder: "\(folder)/disk")
    var violation: (any Error)?
    do { try simulation?.run() } catch { violation = error }
    let outcome = Outcome(
      tally: simulation?.tally ?? Tally(), trace: simulation?.trace ?? 0, diskTrace: Disk.trace,
      calls: Disk.calls, violation: violation, steps: simulation?.steps ?? [])
    disk_lie_about(DISK_HONEST)
    simulation?.abandon()
    simulation = nil
    Disk.release()
    disk_seed(0)
    if violation == nil { try removeFolder() }
    return outcome
  }

  private func report(_ violation: any Error, _ played: KeptSeed, _ outcome: Outcome) {
    say("seed \(played.seed): \(violation)")
    let faults = played.faultEvery.map { "--fault-every \($0)" } ?? "--no-faults"
    say("the last steps: \(outcome.steps.suffix(12).joined(separator: "; "))")
    // The same history, only as long as it went well.
    say(
      "StoreSimulator --seed \(played.seed) --operations "
        + "\(min(options.operations, outcome.tally.operations + 1)) \(faults)"
        + (options.sabotage == .nothing ? "" : " --control \(options.sabotage.rawValue)")
        + " --trace")
  }

  /// Seeds of failures that were repaired, one on a line, each with the number of `--fault-every`
  /// after it if that is not the usual one.
  private func keptSeeds() throws -> [KeptSeed] {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../seeds.txt").standardizedFileURL
    guard FileManager.default.fileExists(atPath: file.path) else { return [] }
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .compactMap { line in
        let numbers = line.prefix { $0 != "#" }.split(separator: " ").compactMap { UInt64($0) }
        guard let seed = numbers.first else { return nil }
        let every = numbers.dropFirst().first.map { Int($0) }
        return KeptSeed(seed: seed, faultEvery: every ?? Options.faultEveryUsual)
      }
  }

  /// Each fault that was planted has to be found within a few histories.
  private func runControls() throws -> Int32 {
    var failures: Int32 = 0
    for sabotage in Sabotage.allCases where sabotage != .nothing {
      var found: String?
      for seed in UInt64(1)...Self.controlSeedsMax {
        if sabotage == .droppedPages, try endsBySignal(seed, sabotage) {
          found = "seed \(seed): the process ends, because LMDB follows a page that is not there"
          break
        }
        let played = KeptSeed(seed: seed, faultEvery: options.faultEvery)
        guard let error = try simulate(played, sabotage).violation else { continue }
        try removeFolder()
        guard Self.isFound(error) else { throw error }
        found = "seed \(seed): \(error)"
        break
      }
      say("\(sabotage.rawValue): \(found ?? "NOT FOUND")")
      if found == nil { failures = 1 }
    }
    return failures
  }

  /// Whether a history with a planted fault ends its process by a signal, tried in another process.
  private func endsBySignal(_ seed: UInt64, _ sabotage: Sabotage) throws -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = [
      "--control", sabotage.rawValue, "--seed", "\(seed)", "--folder", options.folder,
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal
  }

  /// Whether an error is the work of a planted fault: a violation that the auditor has found, or
  /// damage that the store reports. A full tmpfs is not.
  private static func isFound(_ error: any Error) -> Bool {
    if let error = error as? LedgerError { return error.code != .full && error.code != .io }
    return error is Violation
  }

  private static let controlSeedsMax: UInt64 = 20
}

/// Writes a line at once. A process that traps loses nothing that it has found.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
