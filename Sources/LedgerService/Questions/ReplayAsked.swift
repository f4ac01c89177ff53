import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries
import Replay

/// A replay of a part of the ledger, as a request asks for it.
struct ReplayAsked: Sendable {
  static let path = "/v1/replay"
  static let parameters =
    ["account", "transaction", "storeItem", "from", "to", "until", "at", "threshold"]
    + QuestionRoute.common
  /// The forms that a replay has.
  static let forms = AnswerForm.usual + [.html]

  private let question: ReplayQuestion
  private let end: ReplayEnd?
  private let judgement: ReplayJudgement
  private let edits: [ReplayEdit]
  private let form: AnswerForm

  /// - Parameters:
  ///   - items: The parameters.
  ///   - edits: What happened otherwise.
  ///   - form: The form of the answer.
  /// - Throws: ``Problem``: `badRequest`.
  init(_ items: QueryItems, _ edits: [ReplayEdit], _ form: AnswerForm) throws(Problem) {
    var question = ReplayQuestion()
    question.account = try items.name("account")
    question.transaction = try items.name("transaction")
    question.storeItem = try items.storeItem()
    question.from = try items.number("from", in: 1...UInt64.max)
    question.to = try items.number("to", in: 1...UInt64.max)
    guard question.from ?? 0 <= question.to ?? .max else {
      throw Problem(.badRequest, "from must not be later than to.")
    }
    guard !question.isEmpty else {
      throw Problem(
        .badRequest, "Name what is replayed: an account, a transaction, a storeItem, from or to.")
    }
    self.question = question
    end = try items.replayEnd()
    judgement = ReplayJudgement(at: try items.instant("at"), thresholds: try items.thresholds())
    (self.edits, self.form) = (edits, form)
  }

  /// The question that a token is judged by.
  var asked: Question {
    let named =
      question.account.map { CustomerReference.account($0) }
      ?? question.transaction.map { .transaction($0) }
    return Question(
      .connected(named), orProblem: { (view, _) throws(Problem) in try answer(view) })
  }

  private func answer(_ view: LedgerView) throws(Problem) -> Answer {
    let all = try events(view)
    let source = judgement.at.map(all.occurred(by:)) ?? all
    var edited: EditedEvents?
    if !edits.isEmpty {
      do throws(ReplayEditError) { edited = try EditedEvents(source, edits) } catch {
        throw Problem(.badRequest, error.description)
      }
    }
    let events = edited?.events ?? source
    let difference = edited.map {
      OutcomeDifference(from: history(source), to: history($0.events))
    }
    let content: Answer.Content =
      switch form {
      case .html: .text(page(events, edited))
      case .json: .text(document(events, edited, difference))
      case .jsonl, .csv: .lines(lines(events, edited, difference))
      }
    return Answer(content: content, position: view.position)
  }

  /// The events, unless there are more than a replay takes.
  private func events(_ view: LedgerView) throws(Problem) -> ReplayEvents {
    let slice = question.slice
    do throws(LedgerError) {
      var query = EventsQuery()
      (query.account, query.transaction) = (slice.account, slice.transaction)
      (query.storeItem, query.from, query.to) = (slice.storeItem, slice.from, slice.to)
      var steps = 0
      try view.events(query) { _ in
        steps += 1
        return steps <= ServiceLimits.replayEventsMax
      }
      // Positions first, because events take many times their room.
      if steps <= ServiceLimits.replayEventsMax,
        try view.replayPositions(slice).positions.count <= ServiceLimits.replayGroundEventsMax
      {
        return try view.replayEvents(slice)
      }
    } catch {
      throw Problem(error)
    }
    throw Problem(
      .badRequest,
      "A replay has up to \(ServiceLimits.replayEventsMax) events, and rests on up to "
        + "\(ServiceLimits.replayGroundEventsMax): name a smaller part with from and to. `daybook "
        + "replay` has no such limit.")
  }

  private func history(_ events: ReplayEvents) -> ReplayHistory {
    ReplayHistory(Replay(events), until: end, judging: judgement)
  }

  private func page(_ events: ReplayEvents, _ edited: EditedEvents?) -> String {
    let title = ([question.title] + (edited?.notes.map(\.text) ?? [])).joined(separator: ", ")
    return TimelinePage(title: title, history: history(events), events: events).html
  }

  private func document(
    _ events: ReplayEvents, _ edited: EditedEvents?, _ difference: OutcomeDifference?
  ) -> String {
    var document = ReplayDocument()
    var lines = [ReplayDocument.begin]
    let outcome = Replay(events).run(until: end, judging: judgement) { step in
      lines.append(document.text(adding: step))
    }
    lines.append(document.text(of: outcome))
    if let edited, let difference { lines.append(ReplayDocument.text(of: difference, edited)) }
    lines.append(ReplayDocument.end)
    return lines.map { $0 + "\n" }.joined()
  }

  private func lines(
    _ events: ReplayEvents, _ edited: EditedEvents?, _ difference: OutcomeDifference?
  ) -> [String] {
    var lines: [String] = []
    _ = Replay(events).run(until: end, judging: judgement) { lines.append($0.json) }
    if let edited, let difference { lines.append(difference.json(of: edited)) }
    return lines
  }
}

extension QueryItems {
  /// Where a replay stops: at a position, at a time, or at the first finding.
  fileprivate func replayEnd() throws(Problem) -> ReplayEnd? {
    if try text("until") == "finding" { return .finding }
    switch try ledgerTime("until") {
    case nil: return nil
    case .position(0): throw Problem(.badRequest, "until: expected a position from 1.")
    case .position(let position): return .position(position)
    case .instant(let time): return .time(time)
    }
  }
}
