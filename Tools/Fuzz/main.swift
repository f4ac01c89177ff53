import Foundation

/// Changes right inputs at random and holds every decoder to what must be true of any bytes: it
/// never traps, its errors say something, and what it accepts survives a round trip.
///
///     Fuzz [--seconds 30] [--seed N] [--target NAME]… [--from I] [--each] [--list]
///
/// The time is shared by the targets. A failure prints the input, and the command that shows it
/// again where the samples are the same in each run; those of proofs, checkpoints and keys have
/// keys and times of their own. After a trap, run the target with `--each`. Keep the input in
/// `Tools/Fuzz/Corpus/<target>/<name>.bin`.
struct Options {
  var seconds = 30.0
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
      "usage: Fuzz [--seconds S] [--seed N] [--target NAME]… [--from ITERATION] [--each] [--list]")
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

  /// How long one target runs before the next one does, so that a trap is found early in each.
  static let slice = Duration.milliseconds(200)

  mutating func play() {
    let end = ContinuousClock.now + Run.slice
    repeat {
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
        exit(1)
      }
      iteration += 1
    } while ContinuousClock.now < end
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
say("seed \(options.seed), \(options.seconds) s")
var runs = targets.filter { options.names.isEmpty || options.names.contains($0.name) }
  .map { Run(target: $0, options: options, iteration: options.from) }
let start = ContinuousClock.now
repeat {
  for index in runs.indices { runs[index].play() }
} while ContinuousClock.now - start < .seconds(options.seconds)
for run in runs {
  // A target whose samples are refused would test nothing but refusals.
  guard run.accepted > 0 || options.from > 0 else {
    say("\(run.target.name): none of its inputs is right, not even a sample")
    exit(1)
  }
  say("\(run.target.name): \(run.iteration - options.from) inputs, \(run.accepted) right")
}
Workplace.end()
say("nothing broken")
