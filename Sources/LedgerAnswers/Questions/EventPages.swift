package import LedgerEvents
package import LedgerQueries

/// The events of a query in pages, so that no snapshot is held while somebody reads the answer
/// slowly. A long reader keeps LMDB from reusing its pages.
package struct EventPages: Sendable {
  /// The usual number of events in a page: enough to share a query's cost, and few enough to keep
  /// in memory.
  package static let pageEventsUsual = 20_000

  private let pageEventsMax: Int
  private let pageBytesMax: Int?
  private let ledger: Ledger
  private let asked: EventsQuery
  /// The rest of the query. What it has to locate in the ledger is located once for all pages.
  private var query: EventsQuery
  private var left: UInt64
  private var isAtEnd = false
  /// The position at which all pages are true.
  private var end: UInt64?

  /// - Parameters:
  ///   - ledger: The ledger.
  ///   - query: Which events.
  ///   - limit: How many at most; `nil` for all.
  ///   - pageEventsMax: How many are in a page.
  ///   - pageBytesMax: After how many bytes of JSON a page ends that has fewer; `nil` for any size.
  package init(
    _ ledger: Ledger, _ query: EventsQuery, limit: UInt64?, pageEventsMax: Int = pageEventsUsual,
    pageBytesMax: Int? = nil
  ) {
    self.pageEventsMax = pageEventsMax
    self.pageBytesMax = pageBytesMax
    self.ledger = ledger
    asked = query
    self.query = query
    left = limit ?? .max
  }

  /// Whether as many were read as were asked for.
  package var isLimitReached: Bool { left == 0 }

  /// Returns the next page; `nil` after the last.
  ///
  /// - Throws: `LedgerError`.
  package mutating func next() throws(LedgerError) -> [RecordedEvent]? {
    if isAtEnd || isLimitReached { return nil }
    var page: [RecordedEvent] = []
    let pageMax = Int(min(left, UInt64(pageEventsMax)))
    let (rest, known, bytesMax) = (query, end, pageBytesMax)
    var (bytes, isFull) = (0, false)
    let (position, located) = try ledger.read { (view) throws(LedgerError) in
      let position = known ?? view.position
      var query = rest
      query.to = min(query.to, position)
      if known == nil { query = try view.located(query) }
      try view.events(query) { recorded in
        page.append(recorded)
        if bytesMax != nil { bytes += EventEncoder().encode(recorded).count }
        isFull = page.count >= pageMax || bytes >= bytesMax ?? .max
        return !isFull
      }
      return (position, query)
    }
    end = position
    query = located
    left -= UInt64(page.count)
    isAtEnd = !isFull
    if let last = page.last?.position {
      if query.isReverse { query.to = last - 1 } else { query.from = last + 1 }
      if query.isReverse && last == 1 { isAtEnd = true }
    }
    if isAtEnd && !query.isReverse { query.from = max(query.from, position + 1) }
    return page.isEmpty ? nil : page
  }

  /// Blocks until the log extends beyond what was read.
  ///
  /// - Throws: `LedgerError`.
  package mutating func waitForMore() throws(LedgerError) {
    while try ledger.log.wait(beyond: reached, timeout: .seconds(60)) <= reached {}
    goOn()
  }

  /// The position at which the pages so far are true; 0 before the first.
  package var reached: UInt64 { end ?? 0 }

  /// Lets the following pages know what was appended meanwhile.
  package mutating func goOn() {
    end = nil
    isAtEnd = false
    let from = query.from
    query = asked
    query.from = from
  }
}
