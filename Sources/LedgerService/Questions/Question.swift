import LedgerEvents
import LedgerQueries
import ServiceAccess

/// A question that a request asks: whom it is about, and how the ledger answers it.
struct Question: Sendable {
  let subject: Subject
  /// What the question names, for the log, if only the ledger knows whom that is.
  var named: String?
  let answer: @Sendable (LedgerView, Instant, AccessToken) throws(Problem) -> Answer

  /// - Parameters:
  ///   - subject: Whom it is about.
  ///   - named: What it names, if only the ledger knows whom that is.
  ///   - answer: Answers it from a snapshot; the moment is the present.
  init(
    _ subject: Subject, named: String? = nil,
    _ answer: @escaping @Sendable (LedgerView, Instant) throws(LedgerError) -> Answer
  ) {
    (self.subject, self.named) = (subject, named)
    self.answer = { (view, now, _) throws(Problem) in
      do throws(LedgerError) { return try answer(view, now) } catch { throw Problem(error) }
    }
  }

  /// - Parameters:
  ///   - subject: Whom it is about.
  ///   - answer: Answers it as the token may know, for some apps from the events of these alone.
  init(
    _ subject: Subject,
    knowing answer:
      @escaping @Sendable (LedgerView, Instant, AccessToken) throws(LedgerError) -> Answer
  ) {
    self.subject = subject
    self.answer = { (view, now, token) throws(Problem) in
      do throws(LedgerError) { return try answer(view, now, token) } catch {
        throw Problem(error)
      }
    }
  }

  /// - Parameters:
  ///   - subject: Whom it is about.
  ///   - answer: Answers it, or says what is wrong with it.
  init(
    _ subject: Subject,
    orProblem answer: @escaping @Sendable (LedgerView, Instant) throws(Problem) -> Answer
  ) {
    self.subject = subject
    self.answer = { (view, now, _) throws(Problem) in try answer(view, now) }
  }
}

/// Reads a question from the parameters of an address.
typealias QuestionReader = @Sendable (QueryItems) throws(Problem) -> Question

/// An address that answers a question.
struct QuestionRoute: Sendable {
  let path: String
  /// The parameters that it takes beside those of every question.
  let parameters: [String]
  let read: QuestionReader

  /// The parameters of every question: the form of the answer, and a position that it must know.
  static let common = ["format", "atLeast"]
  /// The two clocks and the environments.
  static let clocks = ["at", "asOf", "environment"]
  /// How a customer is named.
  static let customer = ["account", "transaction", "original"]
  static let page = ["limit", "cursor"]
  /// What selects broken rules.
  static let rules = ["rule", "since", "until", "threshold"]

  init(_ path: String, _ parameters: [[String]], _ read: @escaping QuestionReader) {
    self.path = path
    self.parameters = parameters.flatMap { $0 } + Self.common
    self.read = read
  }

  /// The last part of the address.
  var name: String { String(path.split(separator: "/").last ?? "") }

  /// Every question, in the order in which the documentation lists them.
  static let all = [
    QuestionRoute(
      "/v1/entitlements", [customer, clocks, SigningAsked.parameters],
      CustomerQuestions.entitlements),
    QuestionRoute(
      "/v1/transactions", [customer, clocks, ["open"]], CustomerQuestions.transactions),
    QuestionRoute("/v1/installed", [customer, clocks, ["outdated"]], CustomerQuestions.installed),
    QuestionRoute(
      "/v1/transactions/all", [["open"], clocks, page], EverybodyQuestions.transactions),
    QuestionRoute(
      "/v1/transactions/ownerless", [["open"], clocks, page], EverybodyQuestions.ownerless),
    QuestionRoute("/v1/installed/outdated", [clocks, page], EverybodyQuestions.outdated),
    QuestionRoute("/v1/explain", [customer, ["name"], clocks], CustomerQuestions.explain),
    QuestionRoute("/v1/customer", [["id", "events"], clocks], CustomerQuestions.customer),
    QuestionRoute(
      "/v1/customers", [["search", "environment"], page], LedgerQuestions.customers),
    QuestionRoute("/v1/holders", [["product", "state"], clocks, page], LedgerQuestions.holders),
    QuestionRoute(
      "/v1/findings",
      [
        customer, ["severity", "explain", "reverse", "incidents", "count", "by"], rules, clocks,
        page,
      ], FindingQuestions.findings),
    QuestionRoute("/v1/health", [["by"], rules, clocks, page], FindingQuestions.health),
    QuestionRoute(
      "/v1/diff", [customer, ["from", "to"], clocks, page], LedgerQuestions.differences),
    QuestionRoute(
      "/v1/catalog", [["product", "storefront"], CatalogueQuestions.filter, page],
      CatalogueQuestions.products),
    QuestionRoute(
      "/v1/catalog/history", [["product", "storefront"], CatalogueQuestions.filter, page],
      CatalogueQuestions.history),
    QuestionRoute(
      "/v1/catalog/invalid", [["product"], CatalogueQuestions.filter], CatalogueQuestions.invalid),
    QuestionRoute(
      "/v1/catalog/payments", [CatalogueQuestions.filter, page], CatalogueQuestions.payments),
    QuestionRoute(
      "/v1/content/updates", [["product", "device", "count"], clocks, page],
      CatalogueQuestions.updates),
  ]

  /// The parameters that select events.
  static let eventFilter =
    customer + [
      "device", "app", "product", "download", "type", "source", "since", "until", "from", "to",
      "storeItem",
    ] + clocks
  static let events = QuestionRoute(
    "/v1/events", [eventFilter, ["reverse", "count", "follow"], EventGroups.parameters, page],
    EventQuestions.events)
}

/// Takes a page out of an answer of many items.
struct Pager {
  private let cursor: Cursor?
  private let limit: UInt64
  private let erased: UInt64
  private var seen: UInt64 = 0
  private var bytes = 0
  private(set) var items: [String] = []
  private(set) var hasMore = false

  /// - Parameters:
  ///   - cursor: Where the page begins; nil for the first one.
  ///   - limit: How many items it has at most.
  ///   - view: What the answer comes from.
  /// - Throws: `LedgerError`: `conditionFailed` if something was erased since the first page. Items
  ///   are in the order of texts that are then others, or are not there any more, so that counting
  ///   them would lose some and give some twice.
  init(_ cursor: Cursor?, limit: UInt64, in view: LedgerView) throws(LedgerError) {
    self.cursor = cursor
    self.limit = limit
    erased = UInt64(try view.erasureCount())
    guard (cursor?.erased ?? erased) == erased else {
      throw LedgerError(
        .conditionFailed,
        "A customer was erased since the first page of this answer, so that its rest is another "
          + "one: ask again from the beginning, without cursor.")
    }
  }

  /// Takes the next item, if it is on the page. Returns whether there is more to ask for.
  mutating func add(_ item: () -> String) -> Bool {
    seen += 1
    guard seen > cursor?.read ?? 0 else { return true }
    guard UInt64(items.count) < limit, bytes < ServiceLimits.pageBytesMax else {
      hasMore = true
      return false
    }
    let text = item()
    bytes += text.utf8.count
    items.append(text)
    return true
  }

  /// The page.
  func answer(columns: [String], _ moment: PageClocks.Moment) -> Answer {
    answer(columns: columns, position: moment.position, at: moment.at)
  }

  /// The page.
  ///
  /// - Parameters:
  ///   - columns: The columns of a table.
  ///   - position: The last position that the answer knows.
  ///   - at: The store time of the answer.
  func answer(columns: [String], position: UInt64, at: Instant) -> Answer {
    let next = Cursor(
      position: position, at: at, read: (cursor?.read ?? 0) + UInt64(items.count), erased: erased)
    return Answer(
      content: .page(items, next: hasMore ? next : nil), columns: columns, position: position,
      at: at)
  }
}

/// The clocks of an answer that may be the second page of one.
struct PageClocks: Sendable {
  /// What a page knows, and when it is judged.
  struct Moment {
    var clocks: Clocks
    /// The last position that it knows.
    var position: UInt64
    /// The store time at which it is judged, that of the first page.
    var at: Instant
  }

  /// The clocks that the question names.
  let asked: Clocks
  let cursor: Cursor?

  init(_ items: QueryItems) throws(Problem) {
    asked = try items.clocks()
    cursor = try items.cursor()
  }

  /// The clocks of the page. Without a store time, the first page has events that are dated after
  /// it was asked for, as those of a phone whose clock is fast. So its moment must not cut them
  /// off on the others.
  func clocks(_ view: LedgerView) throws(LedgerError) -> Clocks {
    guard let cursor else { return asked }
    var clocks = Clocks(at: asked.at, asOf: .position(cursor.position))
    let position = try view.position(at: clocks)
    // As long as nothing is appended, the rest of an answer about now is about now.
    if asked.asOf == nil, position == view.position { clocks.asOf = nil }
    return clocks
  }

  /// What the page knows, and when it is judged.
  func moment(_ view: LedgerView, _ now: Instant) throws(LedgerError) -> Moment {
    let clocks = try clocks(view)
    return Moment(
      clocks: clocks, position: try view.position(at: clocks), at: cursor?.at ?? asked.at ?? now)
  }
}
