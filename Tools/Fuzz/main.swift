import Foundation

/// Changes right inputs at random and holds every decoder to what must be true of any bytes: it
/// never traps, its errors say something, and what it accepts survives a round trip.
///
///     Fuzz [--seconds 30 | --rounds N] [--seed N] [--target NAME]… [--from I] [--each] [--list]
///
/// Each round gives every target its share of inputs. With a seed and a number of rounds, each run
/// has the same inputs. A failure prints the input, and the command that shows it again where the
/// samples are the same, too: those of proofs, checkpoints, keys, backups and ledgers have keys and
/// times of their own. After a trap, run the target with `--each`. Keep the input in
/// `Tools/Fuzz/Corpus/<target>/<name>.bin`.
struct Options {
  var seconds = 30.0
  /// How many rounds to play in place of a time.
  var rounds: UInt64?
  var seed: UInt64 = .random(in: 0..<1 << 32)
  var from: UInt64 = 0
  var names: [String] = []
  var isPrintingEach = false
  var isListing = false

  init(_ arguments: ArraySlice<String>) {
    var arguments = arguments
    while let option = arguments.popFirst() {
      switch option {
      case "--each": isPrintingEach = true
      case "--list": isListing = true
      case "--seconds": seconds = Double(Options.count(arguments.popFirst()))
      case "--rounds": rounds = Options.count(arguments.popFirst())
      case "--seed": seed = Options.count(arguments.popFirst())
      case "--from": from = Options.count(arguments.popFirst())
      case "--target":
        guard let name = arguments.popFirst() else { Options.usage() }
        names.append(name)
      default: Options.usage()
      }
    }
  }

  static func count(_ text: String?) -> UInt64 {
    guard let count = text.flatMap({ UInt64($0) }) else { usage() }
    return count
  }

  static func usage() -> Never {
    say(
      "usage: Fuzz [--seconds S | --rounds N] [--seed N] [--target NAME]… [--from ITERATION]"
        + " [--each] [--list]")
    exit(64)
  }
}

/// Writes a line at once: a trap would lose what is buffered.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// One target's run.
struct Run {
  let target: Target
  let options: Options
  var iteration: UInt64
  var accepted = 0

  /// Plays one round.
  mutating func play() {
    for _ in 0..<target.inputsPerRound {
      var mutator = Mutator(seed: options.seed, iteration: iteration)
      // The samples themselves come first, unchanged.
      let bytes =
        iteration < UInt64(target.samples.count)
        ? target.samples[Int(iteration)] : mutator.mutate(target.samples, tokens: target.tokens)
      if options.isPrintingEach {
        let digits = bytes.map { String($0, radix: 16) }.joined(separator: " ")
        say("\(target.name) \(iteration) \(digits)")
      }
      do {
        if try target.check(bytes) { accepted += 1 }
      } catch {
        say("\(target.name), iteration \(iteration): \(error)")
        say(String(decoding: bytes, as: UTF8.self))
        say(bytes.map { String($0, radix: 16) }.joined(separator: " "))
        say("again: Fuzz --target \(target.name) --seed \(options.seed) --from \(iteration)")
        Workplace.end()
        exit(1)
      }
      iteration += 1
    }
  }
}

let options = Options(CommandLine.arguments.dropFirst())
let targets = try Target.all()
if options.isListing {
  for target in targets { say(target.name) }
  Workplace.end()
  exit(0)
}
if let unknown = options.names.first(where: { name in !targets.contains { $0.name == name } }) {
  say("there is no target \(unknown): --list shows them")
  Workplace.end()
  exit(64)
}
say(
  "seed \(options.seed), "
    + (options.rounds.map { "\($0) rounds" } ?? "\(options.seconds) seconds"))
var runs = targets.filter { options.names.isEmpty || options.names.contains($0.name) }
  .map { Run(target: $0, options: options, iteration: options.from) }
let start = ContinuousClock.now
var rounds: UInt64 = 0
repeat {
  for index in runs.indices { runs[index].play() }
  rounds += 1
} while options.rounds.map { rounds < $0 }
  ?? (ContinuousClock.now - start < .seconds(options.seconds))
for run in runs {
  // A target whose samples are refused would test nothing but refusals.
  guard run.accepted > 0 || options.from > 0 else {
    say("\(run.target.name): none of its inputs is right, not even a sample")
    Workplace.end()
    exit(1)
  }
  say("\(run.target.name): \(run.iteration - options.from) inputs, \(run.accepted) right")
}
Workplace.end()
say("nothing broken")
