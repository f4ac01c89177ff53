import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries
import LocalTime

/// The questions about broken rules.
enum FindingQuestions {
  /// What an answer has of the findings.
  private enum Form: Sendable {
    /// Each finding, or each incident, perhaps with advice.
    case findings(explains: Bool, isReverse: Bool)
    case incidents(explains: Bool, isReverse: Bool)
    /// How many findings there are, or incidents.
    case count(ofIncidents: Bool)
    case groups([FindingDimension])
  }

  static let findings: QuestionReader = { (items) throws(Problem) in
    var query = FindingsQuery()
    query.customer = try items.customer()
    query.environments = try items.environments([])
    query.severities = try items.severities()
    let (page, limit) = (try PageClocks(items), try items.limit())
    try complete(&query, items)
    let (complete, form) = (query, try form(items))
    let subject: Subject? = complete.customer.map { customer in
      .customer(
        customer,
        OtherStates { (view) throws(LedgerError) in
          [.init(customer: customer, clocks: try page.clocks(view))]
        })
    }
    return Question(
      subject ?? .everybody,
      knowing: { (view, now, token) throws(LedgerError) in
        let moment = try page.moment(view, now)
        var query = complete
        query.clocks = moment.clocks
        return try answer(
          query, form, view, Pager(page.cursor, limit: limit, in: view), moment,
          token.knownApps)
      })
  }

  /// What each release broke.
  static let health: QuestionReader = { (items) throws(Problem) in
    let dimension = try items.word("by", HealthReport.Dimension.self) ?? .appVersion
    var query = FindingsQuery()
    query.environments = try items.environments()
    let (page, limit) = (try PageClocks(items), try items.limit())
    try complete(&query, items)
    let complete = query
    return Question(.everybody) { (view, now) throws(LedgerError) in
      let moment = try page.moment(view, now)
      var query = complete
      query.clocks = moment.clocks
      var pager = try Pager(page.cursor, limit: limit, in: view)
      for version in try view.health(by: dimension, query).versions {
        guard
          pager.add({ JSONText.text { version.write(to: &$0, name: dimension.rawValue) } })
        else { break }
      }
      return pager.answer(columns: HealthReport.columns(dimension.rawValue), moment)
    }
  }

  private static func complete(
    _ query: inout FindingsQuery, _ items: QueryItems
  ) throws(Problem) {
    query.rules = try items.rules()
    query.since = try items.instant("since")
    query.until = try items.instant("until")
    query.thresholds = try items.thresholds()
  }

  private static func form(_ items: QueryItems) throws(Problem) -> Form {
    let (explains, isReverse) = (try items.flag("explain"), try items.flag("reverse"))
    let isIncidents = try items.flag("incidents")
    let isCount = try items.flag("count")
    let dimensions = try items.words("by", FindingDimension.self)
    guard isCount || dimensions != nil else {
      return isIncidents
        ? .incidents(explains: explains, isReverse: isReverse)
        : .findings(explains: explains, isReverse: isReverse)
    }
    guard !explains, !isReverse else {
      throw Problem(
        .badRequest, "explain and reverse cannot be combined with count and by, which only count.")
    }
    guard let dimensions else { return .count(ofIncidents: isIncidents) }
    guard !isIncidents, !isCount else {
      throw Problem(.badRequest, "by counts findings: leave out count and incidents.")
    }
    return .groups(dimensions)
  }

  private static func answer(
    _ query: FindingsQuery, _ form: Form, _ view: LedgerView, _ pager: Pager,
    _ moment: PageClocks.Moment, _ apps: Set<Name>?
  ) throws(LedgerError) -> Answer {
    let findings = try view.findings(query)
    var pager = pager
    let columns: [String]
    switch form {
    case .findings(let explains, let isReverse):
      columns = FindingAnswer.columns(explains: explains)
      for finding in isReverse ? findings.reversed() : findings {
        let goesOn = pager.add {
          JSONText.text {
            if explains { finding.writeWithAdvice(to: &$0) } else { finding.write(to: &$0) }
          }
        }
        guard goesOn else { break }
      }
    case .incidents(let explains, let isReverse):
      columns = FindingIncident.columns(explains: explains)
      let incidents = FindingIncident.incidents(of: findings)
      for incident in isReverse ? incidents.reversed() : incidents {
        let goesOn = pager.add { JSONText.text { incident.write(to: &$0, explains: explains) } }
        guard goesOn else { break }
      }
    case .count(let ofIncidents):
      let count = ofIncidents ? FindingIncident.incidents(of: findings).count : findings.count
      return Answer(
        content: .document(GroupCounts.json(total: count), rows: nil), position: moment.position,
        at: moment.at)
    case .groups(let dimensions):
      let counts = try view.counts(
        of: findings, by: dimensions, clocks: query.clocks, zone: .utc, knownApps: apps)
      columns = counts.columns
      for group in counts.groups {
        guard pager.add({ JSONText.text { counts.write(group, to: &$0) } }) else { break }
      }
    }
    return pager.answer(columns: columns, moment)
  }
}
