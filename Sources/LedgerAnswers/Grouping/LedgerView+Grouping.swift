package import LedgerEvents
package import LedgerQueries
package import LocalTime

extension LedgerView {
  /// Counts events by their values.
  ///
  /// - Parameters:
  ///   - query: Which events.
  ///   - dimensions: By what; empty for the total alone.
  ///   - limit: How many events are counted at most.
  ///   - zone: Whose days and months count.
  /// - Complexity: O(*n*) in the events that the query reads.
  /// - Throws: `LedgerError`.
  package func counts(
    of query: EventsQuery, by dimensions: [EventDimension], limit: UInt64 = .max, zone: Zone
  ) throws(LedgerError) -> GroupCounts {
    var counts = GroupCounts(dimensions.map(\.rawValue))
    let sessions = try sessions(for: dimensions, query)
    var left = limit
    try events(query) { recorded in
      if left == 0 { return false }
      left -= 1
      counts.add(dimensions.map { $0.value(of: recorded.event, sessions, zone) })
      return true
    }
    return counts
  }

  /// Adds up what was sold and refunded, up to the first posting for which no rate is known.
  ///
  /// - Parameters:
  ///   - query: Which events decide the postings.
  ///   - summands: What is added up.
  ///   - dimensions: By what.
  ///   - rates: The rates by which amounts are converted; `nil` if each keeps its currency.
  ///   - zone: Whose days and months count.
  /// - Complexity: that of `postings`.
  /// - Throws: `LedgerError`.
  package func sums(
    of query: EventsQuery, _ summands: [Summand], by dimensions: [EventDimension],
    rates: ExchangeRates? = nil, zone: Zone
  ) throws(LedgerError) -> SumTable {
    var table = SumTable(dimensions, summands, rates: rates, zone: zone)
    let sessions = try sessions(for: dimensions, query)
    try postings(query, environments: [query.environment ?? .production]) {
      (posting) throws(LedgerError) in
      try table.add(posting, sessions)
    }
    return table
  }

  /// Counts findings by their values.
  ///
  /// - Parameters:
  ///   - findings: The findings.
  ///   - dimensions: By what.
  ///   - clocks: The clocks of the question.
  ///   - zone: Whose days and months count.
  ///   - knownApps: The apps of whose sessions the answer knows; `nil` for all.
  /// - Throws: `LedgerError`.
  package func counts(
    of findings: [FindingAnswer], by dimensions: [FindingDimension], clocks: Clocks, zone: Zone,
    knownApps: Set<Name>? = nil
  ) throws(LedgerError) -> GroupCounts {
    var sessions: [UInt64: SessionVersions.Versions] = [:]
    if dimensions.contains(where: \.needsSessions) {
      let versions = try sessionVersions(clocks: clocks, knownApps: knownApps)
      for finding in findings where sessions[finding.position] == nil {
        sessions[finding.position] = versions.versions(of: try event(at: finding.position).event)
      }
    }
    var counts = GroupCounts(dimensions.map(\.rawValue))
    for finding in findings {
      counts.add(dimensions.map { $0.value(of: finding, sessions[finding.position], zone) })
    }
    return counts
  }

  /// The versions that sessions state, if the answer is grouped by them.
  private func sessions(
    for dimensions: [EventDimension], _ query: EventsQuery
  ) throws(LedgerError) -> SessionVersions? {
    guard dimensions.contains(where: \.needsSessions) else { return nil }
    return try sessionVersions(clocks: query.clocks, knownApps: query.knownApps)
  }
}
