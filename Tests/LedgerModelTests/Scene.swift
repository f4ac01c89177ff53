import LedgerEvents
import LedgerModel
import ModelComparison

/// A few events, one per line, so that an incident reads like a log:
///
///     1T10:00 transaction.purchased t=t1 o=t1 p=book {"downloads":[{"download":"c1"}]}
///
/// Each line has the day of January 2024 and the time, the type, envelope fields by short names,
/// and `data`. Events are from device `d1` unless they state `d=-` or another device.
struct Scene {
  let events: [RecordedEvent]
  let ledger: FoldedLedger
  let folded: InMemoryLedger

  private static let fields = [
    "t": "transaction", "o": "originalTransaction", "p": "product", "a": "account", "d": "device",
    "s": "session", "pay": "payment", "dl": "download", "src": "source", "env": "environment",
    "app": "app", "seq": "sequence", "rec": "recordedAt", "id": "id",
  ]

  init(_ text: String) throws {
    var events: [RecordedEvent] = []
    for line in text.split(separator: "\n") where !line.allSatisfy({ $0 == " " }) {
      let position = UInt64(events.count + 1)
      let input = try EventDecoder().decode(
        line: Array(try Self.json(line, position).utf8), number: Int(position))
      events.append(
        RecordedEvent(
          position: position, recordedAt: input.recordedAt ?? input.event.occurredAt,
          event: input.event))
    }
    self.events = events
    ledger = FoldedLedger(events)
    folded = ledger.folded
  }

  /// The findings as `rule@line`, in order of lines.
  var findings: [String] { folded.findings.map { "\($0.rule.id)@\($0.position)" } }

  /// Returns the findings that hold at a time of January 2024.
  func findings(at time: String, in environment: StoreEnvironment = .production) throws -> [String]
  {
    folded.findings(at: try Self.moment(time), in: environment).map(\.rule.id)
  }

  /// Returns what an account has: states by product, then active entitlements.
  func states(_ account: Name, at time: String) throws -> [String: String] {
    var states: [String: String] = [:]
    for entry in try answer(account, at: time).entries where entry.product != 0 {
      states[ledger.text(of: entry.product).text] = entry.state.text
    }
    return states
  }

  func answer(_ account: Name, at time: String) throws -> Answer {
    folded.answer(.account(ledger.number(.account, account)), at: try Self.moment(time))
  }

  struct Unreadable: Error {
    var line: String
  }

  static func moment(_ time: String) throws -> Int64 {
    guard let instant = Instant(rfc3339: try rfc3339(Substring(time))) else {
      throw Unreadable(line: time)
    }
    return instant.microseconds
  }

  private static func rfc3339(_ time: Substring) throws -> String {
    let parts = time.split(separator: "T")
    guard parts.count == 2 else { throw Unreadable(line: String(time)) }
    let day = parts[0].count == 1 ? "0\(parts[0])" : String(parts[0])
    let clock = parts[1].count == 5 ? "\(parts[1]):00" : String(parts[1])
    return "2024-01-\(day)T\(clock)Z"
  }

  private static func json(_ line: Substring, _ position: UInt64) throws -> String {
    let brace = line.firstIndex(of: "{") ?? line.endIndex
    let words = line[..<brace].split(separator: " ")
    guard words.count >= 2 else { throw Unreadable(line: String(line)) }
    var members = ["id": "\"e\(position)\"", "device": "\"d1\""]
    members["type"] = "\"\(words[1])\""
    members["occurredAt"] = "\"\(try rfc3339(words[0]))\""
    for word in words.dropFirst(2) {
      let pair = word.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, let field = fields[String(pair[0])] else {
        throw Unreadable(line: String(line))
      }
      switch field {
      case "sequence": members[field] = String(pair[1])
      case "recordedAt": members[field] = "\"\(try rfc3339(pair[1]))\""
      default: members[field] = pair[1] == "-" ? nil : "\"\(pair[1])\""
      }
    }
    if brace < line.endIndex { members["data"] = String(line[brace...]) }
    return "{" + members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
  }
}
