import HTTPTypes
import Hummingbird
import LedgerEvents
import LedgerQueries

/// Sends events as they are appended, as server-sent events whose ids are positions: who comes back
/// with the last id that was received gets what follows, without a gap and nothing twice.
///
/// Source: WHATWG, *HTML*, *Server-sent events*.
struct EventFollowing: Sendable {
  let work: LedgerWork
  let watch: LogWatch

  /// How a stream says that it is alive.
  private static let sign = ByteBuffer(string: ": alive\n\n")
  /// How long a client waits before it comes back, in milliseconds.
  private static let retryMilliseconds = 1_000

  /// What is about an answer that has an end.
  private static let others = [
    "until", "to", "at", "asOf", "reverse", "count", "limit", "cursor", "format", "atLeast",
  ]

  /// Refuses parameters that a stream has no use for: they would be ignored.
  ///
  /// - Throws: ``Problem``: `badRequest`.
  static func refuseOthers(_ items: QueryItems) throws(Problem) {
    guard let other = others.first(where: { !items.texts($0).isEmpty }) else { return }
    throw Problem(
      .badRequest, "follow cannot be combined with \(other): a stream has no end, and one form.")
  }

  /// The position after which a stream begins: that of `Last-Event-ID`, else before the parameter
  /// `from`, else the end of the log.
  ///
  /// - Throws: ``Problem``: `badRequest`.
  func start(_ query: EventsQuery, _ request: Request) throws(Problem) -> UInt64 {
    if let text = request.headers[.lastEventID] {
      guard let position = UInt64(digits: text), position < .max else {
        throw Problem(.badRequest, "Last-Event-ID: expected the position of an event.")
      }
      return position
    }
    if query.from > 1 { return query.from - 1 }
    do throws(LedgerError) { return try work.ledger.log.lastPosition() } catch {
      throw Problem(error)
    }
  }

  /// The stream of the events of a query.
  ///
  /// - Throws: ``Problem``: `badRequest`, `tooManyRequests`.
  func response(_ query: EventsQuery, to request: Request) throws(Problem) -> Response {
    let start = try start(query, request)
    let positions = try watch.positions()
    let work = work
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/event-stream", .cacheControl: "no-store",
        .accelBuffering: "no",
      ],
      body: ResponseBody { writer in
        var known = start
        var query = query
        try await writer.write(ByteBuffer(string: "retry: \(Self.retryMilliseconds)\n\n"))
        for await last in positions {
          if last <= known { try await writer.write(Self.sign) }
          while known < last {
            query.from = known + 1
            query.to = last
            let (text, reached) = try await Self.next(query, work)
            if !text.isEmpty { try await writer.write(ByteBuffer(string: text)) }
            known = reached
          }
        }
        try await writer.finish(nil)
      })
  }

  /// The next events of a query, as text, and the position up to which they are all.
  private static func next(
    _ query: EventsQuery, _ work: LedgerWork
  ) async throws(Problem) -> (text: String, reached: UInt64) {
    try await work.ask { (view) throws(Problem) in
      var text = ""
      var reached = query.to
      var count = 0
      let encoder = EventEncoder()
      do throws(LedgerError) {
        try view.events(query) { recorded in
          text += "id: \(recorded.position)\nevent: \(recorded.event.type.text)\ndata: "
          text += String(decoding: encoder.encode(recorded), as: UTF8.self) + "\n\n"
          count += 1
          guard count < ServiceLimits.followEvents else {
            reached = recorded.position
            return false
          }
          return true
        }
      } catch {
        throw Problem(error)
      }
      return (text, reached)
    }
  }
}
