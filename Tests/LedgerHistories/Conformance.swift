public import Foundation
public import LedgerEvents

/// The conformance data beside the package: recorded incidents and dense random histories, with the
/// answers that every fold must give.
public struct Conformance: Sendable {
  /// A broken rule, at the position of its event.
  public struct Finding: Hashable, Sendable {
    public var rule: String
    public var position: UInt64
  }

  /// The expected answers about one account.
  public struct Account: Sendable {
    public var states: [Name: String]
    public var active: [Name]
    /// The installed versions by device (nil for the absent device) and product.
    public var installed: [Name?: [Name: String]]
    public var balances: [Name: Int64]
  }

  /// The expected answers for one environment of a history.
  public struct Expected: Sendable {
    /// The store time of the question.
    public var at: Instant
    public var findings: [Finding]
    /// The number of findings of each rule that holds at a moment.
    public var moment: [String: Int]
    public var accounts: [Name: Account]
  }

  /// One dense random history, in the order of arrival.
  public struct History: Sendable {
    public var name: String
    /// All lines in order of arrival; some ids occur twice.
    public var arrivals: [EventInput]
    /// The events that a ledger has afterwards.
    public var events: [RecordedEvent]
    public var expected: [StoreEnvironment: Expected]
  }

  /// One recorded incident. All questions are about its newest store time.
  public struct Trace: Sendable {
    public var name: String
    /// All lines in order of arrival.
    public var arrivals: [EventInput]
    /// The events that a ledger has afterwards.
    public var events: [RecordedEvent]
    public var account: Name
    public var findings: [String]
    public var findingsAtTheEnd: [String]
    /// The state of each product; for entitlement names, *active* or *none*.
    public var entitled: [Name: String]
    public var installed: [Name?: [Name: String]]
    public var balances: [Name: Int64]
  }

  /// An error for data that this loader does not understand.
  public struct Unreadable: Error, CustomStringConvertible {
    public var description: String
  }

  private let folder: URL

  /// Finds the data in `../shared` beside the package. Returns nil if there is none, so that a test
  /// can be skipped.
  public init?() {
    guard let root = packageRoot() else { return nil }
    folder = root.deletingLastPathComponent().appendingPathComponent("shared")
    let histories = folder.appendingPathComponent("histories-2.jsonl").path
    guard FileManager.default.fileExists(atPath: histories) else { return nil }
  }

  /// Whether `../shared` exists.
  public static var isPresent: Bool { Conformance() != nil }

  /// Returns the histories, in the order of the file.
  ///
  /// - Throws: `Unreadable`, an error of the file system, or an error of the decoder.
  public func histories() throws -> [History] {
    let data = try Data(contentsOf: folder.appendingPathComponent("histories-2.jsonl"))
    return try data.split(separator: UInt8(ascii: "\n")).map { line in
      let object = try Self.object(Data(line))
      var expected: [StoreEnvironment: Expected] = [:]
      for (name, value) in try Self.member("expected", of: object) as [String: Any] {
        guard let environment = StoreEnvironment(text: name), let value = value as? [String: Any]
        else { throw Unreadable(description: "no environment is called \(name)") }
        expected[environment] = try Self.expected(value)
      }
      let arrivals = try Self.decoded(elements(of: "events", in: Array(line)))
      return History(
        name: try Self.member("name", of: object), arrivals: arrivals,
        events: RecordedEvent.appended(arrivals), expected: expected)
    }
  }

  /// Returns the recorded incidents, by name.
  ///
  /// - Throws: `Unreadable`, an error of the file system, or an error of the decoder.
  public func traces() throws -> [Trace] {
    try Self.traces(in: folder.appendingPathComponent("traces"))
  }

  /// Returns the incidents in a folder: each `NAME.jsonl` with its `NAME.expected.json`.
  ///
  /// - Throws: `Unreadable`, an error of the file system, or an error of the decoder.
  public static func traces(in traces: URL) throws -> [Trace] {
    let files = try FileManager.default.contentsOfDirectory(atPath: traces.path)
    return try files.filter { $0.hasSuffix(".jsonl") }.sorted().map { file in
      let name = String(file.dropLast(".jsonl".count))
      let data = try Data(contentsOf: traces.appendingPathComponent(file))
      let answer = try object(
        Data(contentsOf: traces.appendingPathComponent(name + ".expected.json")))
      let states: [String: String] = try member("entitled", of: answer)
      let lines = data.split(separator: UInt8(ascii: "\n")).map { Array($0) }
      let arrivals = try decoded(lines)
      return Trace(
        name: name, arrivals: arrivals, events: RecordedEvent.appended(arrivals),
        account: Name(try member("account", of: answer)),
        findings: try member("findings", of: answer),
        findingsAtTheEnd: try member("findingsAtTheEnd", of: answer),
        entitled: named(states), installed: try installed(answer["installed"]),
        balances: try balances(answer["balances"]))
    }
  }
}
