import LedgerAnswers
import LedgerEvents

/// Words that the vocabulary does not contain, in lines that were appended nevertheless. Each is
/// listed once, with the location of its first occurrence and the number of lines that contain it.
struct AppendWarnings {
  struct Warning {
    var file: String
    var line: Int
    var column: Int?
    var field: String
    var reason: String
    /// How many lines contain it.
    var lines = 1
  }

  /// The maximum number of different words that are listed. Lines with others are only counted.
  private static let listedCountMax = 100

  private var indices: [UnknownWord: Int] = [:]
  private(set) var list: [Warning] = []
  /// Lines with words that are not listed.
  private(set) var omitted = 0

  /// Counts a word, and returns the warning if it is new and listed.
  mutating func add(_ word: UnknownWord, _ line: InputLine, of file: String) -> Warning? {
    if let index = indices[word] {
      list[index].lines += 1
      return nil
    }
    guard list.count < Self.listedCountMax else {
      omitted += 1
      return nil
    }
    indices[word] = list.count
    let warning = Warning(
      file: file, line: line.number, column: word.column(in: line.bytes), field: word.path,
      reason: word.reason)
    list.append(warning)
    return warning
  }

  /// Prints how often each word occurred if that was more than once. The first occurrence was
  /// reported at once.
  func printCounts() {
    for warning in list where warning.lines > 1 {
      Console.complain(
        ("\(warning.subject): \(warning.lines.counted("line")) in all").printable)
    }
    if omitted > 0 {
      Console.complain(
        "\(omitted.counted("more line has an unknown word", "more lines have unknown words"))")
    }
  }

  func write(to json: inout JSONText) {
    json.member("warnings", each: list) { json, warning in
      json.object { json in
        json.member("file", warning.file)
        json.member("line", warning.line)
        json.member("column", warning.column)
        json.member("field", warning.field)
        json.member("reason", warning.reason)
        json.member("lines", warning.lines)
      }
    }
    json.member("warningsOmitted", omitted)
  }
}

extension AppendWarnings.Warning: CustomStringConvertible {
  var description: String {
    let location = [line, column].compactMap { $0 }.map { ":\($0)" }.joined()
    return "\(file)\(location): warning: \(field): \(reason)".printable
  }

  /// The word and the reason, without the location.
  fileprivate var subject: String { "warning: \(field): \(reason)" }
}
