import ArgumentParser
import LedgerAnswers

/// Where a command writes its document: to a file, to standard output, or into JSON.
struct DocumentOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("The file to write to (default: standard output).", valueName: "file"))
  var out: String?

  @Flag(help: "With --out: replace an existing file.")
  var force = false

  func validate() throws {
    guard !force || out != nil else { throw ValidationError("--force needs --out.") }
  }

  /// The file to write to, created before the command does anything; `nil` if none is named.
  ///
  /// - Parameters:
  ///   - ledger: The path of the ledger, nothing in which is ever replaced; `nil` if there is none.
  ///   - inputs: What the command reads, which is never replaced either.
  /// - Throws: `InputProblem` (exit 73).
  func file(ledger: String? = nil, inputs: [String]) throws -> OutputFile? {
    try out.map { out in
      try OutputFile(OutputDestination(path: out, replaces: force, ledger: ledger, inputs: inputs))
    }
  }

  /// Writes a document to the file, or to standard output, either as it is or as a member of JSON.
  func write(
    _ document: String, to output: OutputFile?, _ format: OutputFormat,
    json body: (inout JSONText) throws -> Void
  ) throws {
    if let output {
      try output.write(Array(document.utf8))
      try output.publish()
    }
    switch format {
    case .table:
      if output != nil, let out {
        Console.print("written to \(out)")
      } else {
        Console.print(bytes: Array(document.utf8.dropLast()))
      }
    case .json, .jsonl:
      var json = JSONText()
      try json.object(body)
      Console.print(json.text)
    }
  }
}
