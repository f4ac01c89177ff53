import LedgerAnswers
import LedgerEvents
import LedgerQueries
import LedgerStore
import ServiceAccess

/// Appends the events of one request, on a thread that may wait for the disk.
struct Appender {
  private struct Decoded {
    let line: Int
    let input: EventInput
  }

  private let request: AppendRequest
  private let ledger: Ledger
  private var outcomes: [Int: AppendAnswer.Line] = [:]
  private var events: [Decoded] = []

  /// - Parameters:
  ///   - request: What the request says beside its events.
  ///   - ledger: Where to.
  init(_ request: AppendRequest, to ledger: Ledger) {
    self.request = request
    self.ledger = ledger
  }

  /// Appends the events of a body. All that the answer acknowledges is durable.
  ///
  /// - Throws: ``Problem``: what is wrong with the whole request; if it is atomic, also what is
  ///   wrong with one event, and then nothing was appended.
  mutating func append(_ body: AppendBody) throws(Problem) -> AppendAnswer {
    guard !body.lines.isEmpty else { throw Problem(.badRequest, "The body has no event.") }
    try checkReading()
    try checkCondition()
    decode(body)
    try refuseForeign()
    if request.isAtomic {
      try appendWhole()
    } else {
      try appendEach()
    }
    return AppendAnswer(lines: body.lines.compactMap { outcomes[$0.number] })
  }

  /// Refuses a condition about a position that the log has not reached: what was read was another
  /// ledger's, or this one was put back to an older state.
  private func checkReading() throws(Problem) {
    guard case .noEvent(_, let position) = request.condition else { return }
    let last: UInt64
    do throws(LedgerError) { last = try ledger.log.lastPosition() } catch { throw Problem(error) }
    guard position <= last else {
      throw Problem(
        .conditionFailed,
        "The log ends at position \(last), before the \(position) of If-Match: read again.")
    }
  }

  /// Refuses a condition about customers whom a token for some apps may not ask about: whether it
  /// holds says whether they have events.
  private func checkCondition() throws(Problem) {
    guard case .noEvent(let filter, _) = request.condition, !request.token.apps.isEmpty else {
      return
    }
    let customers: [CustomerReference] = [
      filter.account.map { .account($0) }, filter.transaction.map { .transaction($0) },
      filter.originalTransaction.map { .original($0) },
    ].compactMap { $0 }
    let token = request.token
    try ledger.asked { (view) throws(Problem) in
      guard !customers.isEmpty else { return try AccessRule.check(token, .everybody, in: view) }
      for customer in customers { try AccessRule.check(token, .customer(customer), in: view) }
    }
  }

  private mutating func decode(_ body: AppendBody) {
    let decoder = EventDecoder(defaultEnvironment: request.environment)
    var vocabulary = VocabularyCheck()
    for line in body.lines {
      switch line.json {
      case .failure(let error): refuse(line.number, id: error.id, .invalidEvent, error)
      case .success(let json):
        do throws(EventError) {
          let input = try decoder.decode(line: json, number: line.number)
          if let reason = refusal(of: input, &vocabulary) {
            refuse(
              line.number, id: input.event.id.text, .invalidEvent,
              Problem.LineError(line: line.number, field: reason.field, reason: reason.text))
          } else if let reason = AccessRule.refusal(of: input.event, by: request.token) {
            refuse(
              line.number, id: input.event.id.text, .forbidden,
              Problem.LineError(line: line.number, reason: reason))
          } else {
            events.append(Decoded(line: line.number, input: input))
          }
        } catch {
          refuse(
            line.number, id: Self.id(in: json), .invalidEvent,
            Problem.LineError(
              line: line.number, column: error.column, field: error.field, reason: error.reason))
        }
      }
    }
  }

  /// Refuses events of a token for some apps that name what others have.
  private mutating func refuseForeign() throws(Problem) {
    let (token, found) = (request.token, events.map(\.input.event))
    guard !token.apps.isEmpty, !found.isEmpty else { return }
    let refusals = try ledger.asked { (view) throws(Problem) in
      try AccessRule.refusals(of: found, by: token, in: view)
    }
    let decoded = events
    events = []
    for (event, refusal) in zip(decoded, refusals) {
      guard let refusal else {
        events.append(event)
        continue
      }
      refuse(
        event.line, id: event.input.event.id.text, .forbidden,
        Problem.LineError(line: event.line, reason: refusal))
    }
  }

  /// The id of a line that is no event, if it is an object that has one: a recorder finds its event
  /// by it.
  private static func id(in json: [UInt8]) -> String? {
    // The values of a line take thirty times its room.
    guard json.count <= eventSizeBytesMax else { return nil }
    do throws(EventError) { return try JSONValue(json: json)["id"]?.string } catch {
      return nil
    }
  }

  /// A type one or two letters from a known one is refused, as the command line does.
  private func refusal(
    of input: EventInput, _ vocabulary: inout VocabularyCheck
  ) -> (field: String, text: String)? {
    guard !request.allowsUnknownTypes else { return nil }
    for word in vocabulary.unknownWords(in: input) where word.role == .type && word.nearest != nil {
      return (word.path, "\(word.reason) To append it as it is, add ?allowUnknown=true.")
    }
    return nil
  }

  private mutating func refuse(
    _ line: Int, id: String?, _ kind: Problem.Kind, _ error: Problem.LineError
  ) {
    var error = error
    error.id = id
    outcomes[line] = AppendAnswer.Line(number: line, id: id, outcome: .refused(kind, error))
  }

  // MARK: - All or nothing

  private mutating func appendWhole() throws(Problem) {
    let refused = outcomes.values.sorted { $0.number < $1.number }.compactMap { line in
      if case .refused(let kind, let error) = line.outcome { (kind, error) } else { nil }
    }
    if let first = refused.first {
      var problem = Problem(
        first.0, "Nothing was appended, because line \(first.1.line) was refused: \(first.1.reason)"
      )
      problem.lines = refused.map(\.1)
      throw problem
    }
    do throws(LedgerError) {
      note(try commit(events[...]), events[...])
    } catch {
      var problem = Problem(error)
      if let index = error.index, events.indices.contains(index) {
        let event = events[index]
        problem.lines = [
          Problem.LineError(
            line: event.line, id: event.input.event.id.text, reason: error.message)
        ]
      }
      throw problem
    }
  }

  // MARK: - Line by line

  /// Appends what the ledger takes, in order.
  private mutating func appendEach() throws(Problem) {
    var steps = CommitSteps(eventsMax: max(events.count, 1))
    var waiting = events[...]
    while !waiting.isEmpty {
      do throws(LedgerError) {
        let (count, refusal) = try CommitSteps.append(steps.count(of: waiting.count)) {
          (count) throws(LedgerError) in
          let events = waiting.prefix(count)
          note(try commit(events), events)
        }
        steps.note(isRefused: refusal != nil)
        waiting = waiting.dropFirst(count)
        guard let refusal, let event = waiting.popFirst() else { continue }
        refuse(
          event.line, id: event.input.event.id.text, Problem(refusal).kind,
          Problem.LineError(line: event.line, reason: refusal.message))
      } catch {
        throw Problem(error)
      }
    }
  }

  private func commit(_ events: ArraySlice<Decoded>) throws(LedgerError) -> AppendResult {
    // The decoder has validated the events.
    try ledger.appendAndWait(
      events.map(\.input), options: AppendOptions(condition: request.condition, validates: false))
  }

  private mutating func note(_ result: AppendResult, _ events: ArraySlice<Decoded>) {
    for (event, outcome) in zip(events, result.outcomes) {
      let outcome: AppendAnswer.Outcome =
        switch outcome {
        case .appended(let position): .appended(position)
        case .duplicate(let position): .duplicate(position)
        }
      outcomes[event.line] = AppendAnswer.Line(
        number: event.line, id: event.input.event.id.text, outcome: outcome)
    }
  }
}
