import LedgerAnswers
import LedgerEvents
import LedgerStore

/// The result of an append over all its files.
struct AppendSummary {
  /// A line that was not appended, and why.
  struct Rejection {
    /// `nil` if the whole input was refused.
    var file: String?
    var line: Int?
    var column: Int?
    var field: String?
    var reason: String
  }

  var appended = 0
  var duplicates = 0
  var rejected = 0
  var unknownTypes = 0
  var firstPosition: UInt64?
  var lastPosition: UInt64?
  var errors: [Rejection] = []
  /// Whether nothing was written because a dry run was requested.
  var isTrial = false
  /// Why the last fold of the projections failed; `nil` if it did not fail.
  var foldFailure: String?
  /// Why the root of the last commit could not be kept; nil if it was.
  var rootFailure: String?
  /// What was wrong with projections that had to be folded again; `nil` if nothing was wrong.
  var repairedDamage: String?
  /// The warnings about lines that people wrote; `nil` for the events of an import.
  var warnings: AppendWarnings?

  /// Counts the outcomes of a batch.
  mutating func add(_ outcome: AppendTrial.Outcome) {
    isTrial = true
    unknownTypes += outcome.unknownTypes
    duplicates += outcome.areKnown.count { $0 }
    appended += outcome.areKnown.count { !$0 }
  }

  /// Counts the outcomes of a batch.
  mutating func add(_ result: AppendResult) {
    unknownTypes += result.unknownTypes
    for outcome in result.outcomes {
      switch outcome {
      case .appended(let position): add(position: position)
      case .duplicate: duplicates += 1
      }
    }
  }

  mutating func add(position: UInt64) {
    appended += 1
    firstPosition = min(firstPosition ?? position, position)
    lastPosition = max(lastPosition ?? position, position)
  }

  func print(_ format: OutputFormat) {
    switch format {
    case .json: Console.print(json)
    case .jsonl: break
    case .table:
      let positions =
        if let firstPosition, let lastPosition {
          ", positions \(firstPosition) to \(lastPosition)"
        } else { "" }
      Console.print(
        "\(isTrial ? "would append" : "appended") \(appended), duplicates \(duplicates), rejected "
          + "\(rejected)\(positions)\(isTrial ? "; nothing was written" : "")")
      if unknownTypes > 0 {
        Console.print(
          "\(unknownTypes.counted("event")) of unknown types: kept whole, but no answer depends on "
            + "them")
      }
    }
    if let foldFailure { Console.complain(foldFailure: foldFailure) }
    if let rootFailure { Console.complain(rootFailure: rootFailure) }
    if let repairedDamage { Console.complain(repairedDamage: repairedDamage) }
    if format == .table { warnings?.printCounts() }
  }

  private var json: String {
    var json = JSONText()
    json.object { json in
      if isTrial { json.member("dryRun", true) }
      json.member("appended", appended)
      json.member("duplicates", duplicates)
      json.member("rejected", rejected)
      json.member("unknownTypes", unknownTypes)
      json.member("firstPosition", firstPosition)
      json.member("lastPosition", lastPosition)
      json.member("errors", each: errors) { json, error in
        json.object { error.writeMembers(to: &$0) }
      }
      if let foldFailure { json.member("foldFailure", foldFailure) }
      if let rootFailure { json.member("rootFailure", rootFailure) }
      if let repairedDamage { json.member("repairedDamage", repairedDamage) }
      warnings?.write(to: &json)
    }
    return json.text
  }
}

extension AppendSummary.Rejection {
  fileprivate func writeMembers(to json: inout JSONText) {
    json.member("file", file)
    json.member("line", line)
    json.member("column", column)
    json.member("field", field)
    json.member("reason", reason)
  }

  /// A line for a file of rejects, with the text that was rejected.
  func json(text: [UInt8]) -> String {
    var json = JSONText()
    json.object { json in
      writeMembers(to: &json)
      json.member("text", String(decoding: text, as: UTF8.self))
    }
    return json.text
  }
}

extension AppendSummary.Rejection: CustomStringConvertible {
  var description: String {
    guard let file, let line else {
      return "nothing was appended: \(reason)".printable
    }
    var location = "\(file):\(line)"
    if let column { location += ":\(column)" }
    if let field, !field.isEmpty { location += ": \(field)" }
    return "\(location): \(reason)".printable
  }
}
