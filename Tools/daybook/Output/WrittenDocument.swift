/// A document that a command writes to a file, to standard output, or as a member of JSON.
enum WrittenDocument {
  static func write(
    _ text: String, to output: OutputFile?, named out: String?, _ format: OutputFormat,
    json body: (inout JSONText) throws -> Void
  ) throws {
    if let output {
      try output.write(Array(text.utf8))
      try output.publish()
    }
    switch format {
    case .table:
      if let out {
        Console.print("written to \(out)")
      } else {
        Console.print(bytes: Array(text.utf8.dropLast()))
      }
    case .json, .jsonl:
      var json = JSONText()
      try json.object(body)
      Console.print(json.text)
    }
  }
}
