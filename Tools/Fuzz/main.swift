import Foundation
import LedgerEvents

/// Changes samples at random and holds the decoder and the record to what must be true of any
/// bytes.
///
/// `swift run -c release Fuzz [--seconds 30] [--seed N] [--from I] [--each]`: a failure prints the
/// command that shows it again. After a trap, run it again with `--from` and `--each` from the
/// last count that was printed.
struct Options {
  var seconds = 30.0
  var seed: UInt64 = .random(in: 0..<1 << 32)
  var from: UInt64 = 0
  var isPrintingEach = false

  init(_ arguments: ArraySlice<String>) {
    var arguments = arguments
    while let option = arguments.popFirst() {
      switch option {
      case "--each": isPrintingEach = true
      case "--seconds": seconds = Double(Options.count(arguments.popFirst()))
      case "--seed": seed = Options.count(arguments.popFirst())
      case "--from": from = Options.count(arguments.popFirst())
      default: Options.usage()
      }
    }
  }

  static func count(_ text: String?) -> UInt64 {
    guard let count = text.flatMap({ UInt64($0) }) else { usage() }
    return count
  }

  static func usage() -> Never {
    print("usage: Fuzz [--seconds S] [--seed N] [--from ITERATION] [--each]")
    exit(64)
  }
}

func samples() throws -> [[UInt8]] {
  let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Tests/Samples").standardizedFileURL
  return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    .filter { $0.pathExtension == "jsonl" }
    .sorted { $0.path < $1.path }
    .flatMap { try Data(contentsOf: $0).split(separator: UInt8(ascii: "\n")).map { Array($0) } }
}

let tokens: [[UInt8]] = [
  "null", "true", "-0", "1e999", "0.1", "9223372036854775808", "-9223372036854775808", "\"\"", "{}",
  "[]", "[", "{", "}", "]", ",", ":", "\"", "\\u0000", "\\ud83d\\ude00", "\\ud800", "\\", "é", "\n",
  "\"2016-12-31T23:59:60Z\"", "\"0000-01-01T00:00:00Z\"", "\"2014-03-05T10:00:01.120Z\"",
  "\"to\":\"B\"",
  "\"error\":{}", "\"signedAt\":", "\"x\":1,", "\"data\":{\"a\":1}", "\"P1M\"", "  ", "\t",
].map { Array($0.utf8) }

let byteTokens: [[UInt8]] = [
  [0xFF, 0xFF, 0xFF, 0xFF], [0xF0, 0xFF, 0xFF], [0xF1, 0xFF, 0xFF, 0xFF, 0xFF], [0xF4], [0xF5],
  [0xF6],
  [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7F], [0], [1], [21, 2, 0x5B, 0x5D],
]

let options = Options(CommandLine.arguments.dropFirst())
let lines = try samples()
let records = try lines.enumerated().map { index, line in
  let event = try EventDecoder().decode(line: line).event
  var numbers = NameNumbers()
  return Record.encode(
    event, position: UInt64(index + 1), recordedAt: event.occurredAt,
    numbers: numbers.number(event), commitment: index % 2 == 0 ? [1, 2, 3, 4] : nil)
}
print("seed \(options.seed), \(lines.count) samples, \(options.seconds) s")

let start = ContinuousClock.now
var iteration = options.from
var accepted = 0
while ContinuousClock.now - start < .seconds(options.seconds) {
  for _ in 0..<500 {
    var mutator = Mutator(seed: options.seed, iteration: iteration)
    let isLine = iteration % 2 == 0
    let bytes =
      isLine
      ? mutator.mutate(lines, tokens: tokens) : mutator.mutate(records, tokens: byteTokens)
    if options.isPrintingEach {
      print(iteration, isLine ? String(decoding: bytes, as: UTF8.self) : "\(bytes)")
    }
    do {
      if try isLine ? Properties.line(bytes) : Properties.record(bytes) { accepted += 1 }
    } catch {
      print("iteration \(iteration): \(error)")
      print(isLine ? String(decoding: bytes, as: UTF8.self) : "\(bytes)")
      print("swift run -c release Fuzz --seed \(options.seed) --from \(iteration)")
      exit(1)
    }
    iteration += 1
  }
  if iteration % 100_000 == 0 { print("\(iteration)…") }
}
print("\(iteration - options.from) inputs, \(accepted) of them right, nothing broken")
