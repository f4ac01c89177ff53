import Foundation

let benchmarks = [
  appendBenchmark(batch: 1), appendBenchmark(batch: 100), appendBenchmark(batch: 1_000),
  sustainedBenchmark, scanBenchmark, lookupBenchmark, ledgerBenchmark, rebuildBenchmark,
  sliceBenchmark, auditBenchmark, proofBenchmark, simulationBenchmark, contentBenchmark,
  installBenchmark,
  updatesBenchmark,
]

let usage = """
  usage: Benchmarks [--quick] [--events N] [--repeats N] [--check] [NAME…]

  Runs the named benchmarks (all of them without a name), each beside a C program that does the
  same work on bare LMDB, and prints a table of the median runs.

    --quick      small sizes and one run: for continuous integration
    --events N   the length of the sustained run (default 1000000; 10000000 for the floors)
    --repeats N  runs of each benchmark, of which the median by ratio is shown (default 3)
    --check      ends with 1 where a floor is missed

  """

func fail(_ text: String) -> Never {
  complain("Benchmarks: \(text)\n\n" + usage)
  exit(64)
}

var names: [String] = []
var isQuick = false
var isChecked = false
var events: Int?
var repeats: Int?
var words = Array(CommandLine.arguments.dropFirst())[...]
if words.first == "peer" {
  do { try runPeer(Array(words.dropFirst())) } catch {
    complain("Benchmarks: \(error)")
    exit(1)
  }
  exit(0)
}
while let word = words.popFirst() {
  switch word {
  case "--quick": isQuick = true
  case "--check": isChecked = true
  case "--events", "--repeats":
    guard let value = words.popFirst().flatMap({ Int($0) }), value > 0 else {
      fail("\(word) needs a number above 0")
    }
    if word == "--events" { events = value } else { repeats = value }
  case "--help", "-h":
    print(usage)
    for benchmark in benchmarks { print("  \(benchmark.name): \(benchmark.about)") }
    exit(0)
  default:
    guard benchmarks.contains(where: { $0.name == word }) else {
      fail("unknown benchmark \(word); expected \(benchmarks.map(\.name).joined(separator: ", "))")
    }
    names.append(word)
  }
}

let context = BenchmarkContext(
  isQuick: isQuick, events: events ?? (isQuick ? 100_000 : 1_000_000))
var medians: [Figure] = []
do {
  for benchmark in benchmarks where names.isEmpty || names.contains(benchmark.name) {
    var runs: [[Figure]] = []
    for run in 0..<(repeats ?? (isQuick ? 1 : 3)) {
      complain("\(benchmark.name), run \(run + 1) …")
      runs.append(try benchmark.run(context))
    }
    for index in runs[0].indices { medians.append(median(runs.map { $0[index] })) }
  }
} catch {
  complain("Benchmarks: \(error)")
  exit(1)
}
print(table(medians))
let missed = medians.filter { figure in figure.floor.map { !$0.isKept(by: figure) } ?? false }
if isChecked, !missed.isEmpty { exit(1) }
