import HTTPTypes
import Hummingbird
import LedgerAnswers
import LedgerEvents
import LedgerQueries

/// Sends events as they are appended, as server-sent events whose ids are positions: who comes back
/// with the last id that was received gets what follows, without a gap and nothing twice.
///
/// Source: WHATWG, *HTML*, *Server-sent events*.
struct EventFollowing: Sendable {
  let work: LedgerWork
  let watch: LogWatch
  /// An event as the stream has it.
  var text: @Sendable (RecordedEvent) -> String = { recorded in
    "id: \(recorded.position)\nevent: \(recorded.event.type.text)\ndata: "
      + String(decoding: EventEncoder().encode(recorded), as: UTF8.self) + "\n\n"
  }

  /// Whether the follower is still allowed to: a token can be revoked, or expire, while a stream
  /// goes on.
  let isAllowed: @Sendable () -> Bool
  /// How long a follower may take to read what was sent.
  var stall = Duration.seconds(ServiceLimits.followStallSeconds)

  /// How a stream says that it is alive.
  private static let sign = ": alive\n\n"
  /// How long a client waits before it comes back, in milliseconds.
  private static let retryMilliseconds = 1_000

  /// What is about an answer that has an end.
  private static let others =
    [
      "until", "to", "at", "asOf", "reverse", "count", "limit", "cursor", "format", "atLeast",
    ] + EventGroups.parameters

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
  private func start(_ from: UInt64?, _ request: Request) throws(Problem) -> UInt64 {
    if let text = request.headers[.lastEventID] {
      guard let position = UInt64(digits: text), position < .max else {
        throw Problem(.badRequest, "Last-Event-ID: expected the position of an event.")
      }
      return position
    }
    if let from { return from - 1 }
    do throws(LedgerError) { return try work.ledger.log.lastPosition() } catch {
      throw Problem(error)
    }
  }

  /// The stream of the events of a query.
  ///
  /// - Parameters:
  ///   - query: Which events; where it begins does not count.
  ///   - from: The position of the first one, from 1; nil if the request names none.
  /// - Throws: ``Problem``: `badRequest`, `tooManyRequests`.
  func response(
    _ query: EventsQuery, from: UInt64? = nil, to request: Request, _ context: ServiceContext
  ) throws(Problem) -> Response {
    let start = try start(from, request)
    let positions = try watch.positions()
    let (work, text, watch, isAllowed) = (work, text, watch, isAllowed)
    let reader = FollowReader(context.channel, stall: stall)
    var query = query
    query.from = start + 1
    let pages = EventPages(
      work.ledger, query, limit: nil, pageEventsMax: ServiceLimits.followEvents,
      pageBytesMax: ServiceLimits.followBytes)
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/event-stream", .cacheControl: "no-store",
        .accelBuffering: "no",
      ],
      body: ResponseBody { writer in
        var known = start
        var pages = pages
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { await reader.watch() }
          group.addTask { await reader.closeAtEnd() }
          defer { group.cancelAll() }
          try await reader.send("retry: \(Self.retryMilliseconds)\n\n", to: &writer)
          // A backlog can take hours to read, so each page is a moment to look whether it may go
          // on.
          following: for await last in positions {
            guard isAllowed() else { break }
            guard last > known else {
              try await reader.send(Self.sign, to: &writer)
              continue
            }
            pages.goOn()
            while let page = try await Self.next(&pages, work) {
              guard isAllowed(), !watch.hasEnded else { break following }
              try await reader.send(page.map(text).joined(), to: &writer)
            }
            known = pages.reached
          }
        }
        try await writer.finish(nil)
      })
  }

  /// The next page; nil after the last one.
  private static func next(
    _ pages: inout EventPages, _ work: LedgerWork
  ) async throws(Problem) -> [RecordedEvent]? {
    let known = pages
    let (page, rest) = try await work.follow { () throws(Problem) in
      var rest = known
      do throws(LedgerError) { return (try rest.next(), rest) } catch { throw Problem(error) }
    }
    pages = rest
    return page
  }
}
