import ArgumentParser
import Foundation
import LedgerAnswers
import LedgerEvents
import LedgerStore

/// Who acts and why, for commands that export, sign, prove, back up or erase: each such act is
/// recorded as an event.
struct ActorOptions: ParsableArguments {
  /// The operator that the environment names, for use without the option.
  static var ofEnvironment: String? { ProcessInfo.processInfo.environment["DAYBOOK_OPERATOR"] }

  @Option(
    name: .customLong("operator"),
    help: ArgumentHelp(
      "Who is acting (default: $DAYBOOK_OPERATOR, else the login name).", valueName: "who"),
    transform: Parse.words)
  var stated: String?

  @Option(
    help: ArgumentHelp("Why; recorded in the ledger with who is acting.", valueName: "why"),
    transform: Parse.words)
  var reason: String?

  /// The operator's name from the option, the environment or the login, in this order; never empty.
  var actor: String {
    [stated, Self.ofEnvironment, NSUserName()]
      .compactMap { $0 }.first { !Parse.isBlank($0) } ?? ""
  }

  func validate() throws {
    guard !actor.isEmpty else {
      throw ValidationError("this user has no login name: name who is acting with --operator.")
    }
  }

  /// Opens a ledger in which the act can be recorded.
  ///
  /// - Throws: `InputProblem` if the ledger is read-only, and what opening throws.
  func open(_ ledger: LedgerOptions) throws -> Ledger {
    do { return try ledger.openForChanges() } catch let error as LedgerError {
      guard error.code == .readOnly else { throw error }
      throw InputProblem(
        "\(ledger.path) is read-only, and who does this must be recorded in it "
          + "(operator.acted): run it as a user who may write there, or on a copy. "
          + error.message,
        exitCode: ExitStatus.inputOutput)
    }
  }

  /// Appends `operator.acted`. The event is durable when this returns.
  ///
  /// - Parameters:
  ///   - action: What was done, as a past participle: `exported`, `signed`.
  ///   - detail: What it was done to, and the result.
  /// - Returns: The position of the event.
  /// - Throws: `LedgerError`.
  @discardableResult
  func record(
    action: String, detail: [(name: String, value: JSONValue)] = [], in ledger: Ledger
  ) throws(LedgerError) -> UInt64 {
    let now = EventLog.systemClock()
    var data = EventData.Builder()
    data.set("action", action)
    data.set("operator", actor)
    data.set("reason", reason)
    if !detail.isEmpty {
      data.set("detail", JSONValue.object(detail))
    }
    let event = Event(
      id: Name.timedIdentifier(now), type: EventType(.operatorActed), occurredAt: now,
      source: EventSource(.operator), data: data.build())
    let result = try ledger.appendAndWait([EventInput(event: event)])
    try ledger.foldBeforeLeaving()
    return result.outcomes[0].position
  }
}
