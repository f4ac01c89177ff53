import HTTPTypes
import Hummingbird
import LedgerAnswers
import LedgerEvents
import LedgerQueries
import LocalTime

/// The questions about events themselves.
enum EventQuestions {
  /// The filters that `events` of the command line has, too.
  static func query(_ items: QueryItems) throws(Problem) -> EventsQuery {
    var query = EventsQuery()
    query.account = try items.name("account")
    query.device = try items.name("device")
    query.app = try items.name("app")
    query.environment = try items.environment()
    query.transaction = try items.name("transaction")
    query.original = try items.name("original")
    query.product = try items.name("product")
    query.download = try items.name("download")
    query.type = try items.typePattern()
    query.source = try items.text("source").map { EventSource(text: $0) }
    query.storeItem = try items.storeItem()
    query.since = try items.instant("since")
    query.until = try items.instant("until")
    if let from = try items.number("from", in: 1...UInt64.max) { query.from = from }
    if let to = try items.number("to", in: 1...UInt64.max) { query.to = to }
    guard query.from <= query.to else {
      throw Problem(.badRequest, "from must not be later than to.")
    }
    return query
  }

  static let events: QuestionReader = { (items) throws(Problem) in
    var query = try query(items)
    query.isReverse = try items.flag("reverse")
    let isCount = try items.flag("count")
    let groups = try EventGroups(items)
    let (page, limit) = (try PageClocks(items), try items.limit())
    let asked = query
    return Question(
      .events(asked),
      knowing: { (view, now, token) throws(LedgerError) in
        let moment = try page.moment(view, now)
        var query = asked
        (query.clocks, query.knownApps) = (moment.clocks, token.knownApps)
        if let groups {
          return try groups.answer(
            query, view, Pager(page.cursor, limit: limit, in: view), moment)
        }
        query.to = min(query.to, moment.position)
        if isCount { return try count(query, view, moment) }
        if let read = page.cursor?.read {
          if query.isReverse {
            query.to = min(query.to, read > 0 ? read - 1 : 0)
          } else {
            query.from = max(query.from, read + 1)
          }
        }
        return try EventQuestions.page(query, limit, view, moment)
      })
  }

  private static func page(
    _ query: EventsQuery, _ limit: UInt64, _ view: LedgerView, _ moment: PageClocks.Moment
  ) throws(LedgerError) -> Answer {
    var (items, bytes, hasMore) = ([] as [String], 0, false)
    var next = Cursor(position: moment.position, at: moment.at, read: 0)
    let encoder = EventEncoder()
    // One more than the page has says whether there is another page.
    if query.from <= query.to {
      try view.events(query) { recorded in
        guard UInt64(items.count) < limit, bytes < ServiceLimits.pageBytesMax else {
          hasMore = true
          return false
        }
        let event = encoder.encode(recorded)
        bytes += event.count
        items.append(String(decoding: event, as: UTF8.self))
        next.read = recorded.position
        return true
      }
    }
    return Answer(
      content: .page(items, next: hasMore ? next : nil),
      columns: EnvelopeField.allCases.map(\.rawValue), position: moment.position, at: moment.at)
  }

  private static func count(
    _ query: EventsQuery, _ view: LedgerView, _ moment: PageClocks.Moment
  ) throws(LedgerError) -> Answer {
    let count = try view.counts(of: query, by: [], zone: .utc).total
    return Answer(
      content: .document(GroupCounts.json(total: count), rows: nil), position: moment.position,
      at: moment.at)
  }

  /// The event at a position.
  static func event(at position: UInt64) -> Question {
    var query = EventsQuery()
    (query.from, query.to) = (position, position)
    return Question(.events(query)) { (view, _) throws(LedgerError) in
      guard position <= view.position, position > 0 else {
        throw LedgerError(
          .notFound, "There is no position \(position): the last one is \(view.position).")
      }
      let event = EventEncoder().encode(try view.event(at: position))
      return Answer(
        content: .document(String(decoding: event, as: UTF8.self), rows: nil), position: position)
    }
  }
}

extension QueryItems {
  /// A type of events, or a pattern of types.
  fileprivate func typePattern() throws(Problem) -> String? {
    guard let pattern = try text("type") else { return nil }
    guard TypePattern.canMatch(pattern) else {
      throw Problem(
        .badRequest,
        "type: expected a type, subject.verb in letters such as transaction.purchased, in which * "
          + "may stand for anything.")
    }
    return pattern
  }
}
