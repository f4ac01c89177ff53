import AllocationCount
import Foundation

/// Counts what an event costs: allocations, and instructions by valgrind. Neither depends on how
/// busy the machine is, so they can be compared with limits that are kept beside the source.
///
///     Costs [--update] [WORKLOAD…]     compares with the limits, or writes them
///     Costs run WORKLOAD COUNT         does the work, and prints the allocations of the process
let arguments = Array(CommandLine.arguments.dropFirst())

func fail(_ message: String, _ status: Int32 = 1) -> Never {
  FileHandle.standardError.write(Data("costs: \(message)\n".utf8))
  exit(status)
}

func workload(_ name: String) -> Workload {
  guard let found = Workload(rawValue: name) else {
    fail(
      "no workload \(name); expected any of: "
        + Workload.allCases.map(\.rawValue).joined(separator: ", "), 64)
  }
  return found
}

if arguments.first == "run" {
  guard arguments.count == 3, let count = Int(arguments[2]), count > 0 else {
    fail("expected: run WORKLOAD COUNT", 64)
  }
  try workload(arguments[1]).run(count)
  print("allocations \(allocation_count())")
} else {
  let names = arguments.filter { $0 != "--update" }
  let chosen = names.isEmpty ? Array(Workload.allCases) : names.map(workload)
  do {
    var known: [Workload: Cost] = [:]
    let counted = try chosen.map { ($0, try Cost.counted(of: $0, &known)) }
    if arguments.contains("--update") {
      try Limits.write(counted)
    } else {
      let limits = try Limits.read()
      var isOver = false
      for (workload, cost) in counted {
        let (line, isFine) = limits.judge(workload, cost)
        print(line)
        if !isFine { isOver = true }
      }
      if isOver {
        fail(
          "more than the limits in \(Limits.path) allow. Find out why; if it has to be, write new "
            + "ones with --update and say why in the change.")
      }
    }
  } catch { fail("\(error)") }
}
