package import LedgerEvents

/// What was pulled of one list.
package struct PulledList: Sendable, Equatable {
  package var list: StoreList
  /// The transaction; nil for the notifications of an app.
  package var transaction: String?
  package var environment: StoreHost.Environment
  package var pages = 0
  package var signed = 0
  package var appended = 0
  /// How many notifications the ledger refused for the first time.
  package var refused = 0
  /// How many of those that earlier runs set aside it refused again.
  package var stillRefused = 0
}

/// Pulls lists, page by page: each page is saved, imported, and then noted.
package struct PullRun: Sendable {
  /// The most pages of one list in one run. A customer has a few, an app's notifications of half a
  /// year may have many thousands.
  package static let pagesMax = 1_000_000
  /// The most pages of one customer's list in one run: 200,000 transactions.
  package static let customerPagesMax = 10_000
  /// The most pages in a row without any signed text though the store says that there is more.
  package static let emptyPagesMax = 1_000
  /// How often a list is begun again in one run because the store changed it under way.
  package static let restartsMax = 5
  /// How far a pull of notifications reaches back behind the end of the last one, in milliseconds:
  /// the store lists a notification only some time after it was signed.
  static let overlapMilliseconds: Int64 = 24 * 3_600 * 1_000
  /// How far the beginning of a question may be from that of the one under way, in milliseconds,
  /// besides the time that has passed: programs start after their options are read.
  static let sinceSlackMilliseconds: Int64 = 60 * 1_000

  var client: StoreClient
  let folder: PullFolder
  let importer: any AnswerImporter
  let progress: any PullProgress
  let app: String
  /// Where a transaction is looked for, in this order.
  let environments: [StoreHost.Environment]
  /// The most pages of one list in this run.
  var pagesLimit = Self.pagesMax
  /// The most pages in a row with nothing in them.
  var emptyLimit = Self.emptyPagesMax
  /// Whether the ledger was found to be the one of the states.
  var isLedgerChecked = false
  /// The files of `refused/` that this run counted. The store lists their notifications again.
  var refusedNames: Set<String> = []

  package init(
    client: StoreClient, folder: PullFolder, importer: any AnswerImporter,
    progress: any PullProgress, app: String, environments: [StoreHost.Environment]
  ) {
    (self.client, self.importer, self.progress) = (client, importer, progress)
    (self.folder, self.app, self.environments) = (folder, app, environments)
  }

  // MARK: - Lists of a transaction

  /// Pulls a list of the customer to whom a transaction belongs, from where the last pull ended.
  ///
  /// - Throws: ``PullError``: `notFound` if no environment knows the transaction.
  package mutating func pull(
    _ list: StoreList, _ transaction: StoreTransactionID
  ) async throws(PullError) -> PulledList {
    try checkLedger()
    var order = environments
    // Where it was found before, it is found again.
    for environment in environments.dropFirst()
    where try folder.state(Self.name(list, environment, transaction.text)) != nil {
      order = [environment] + environments.filter { $0 != environment }
    }
    for environment in order.dropLast() {
      do throws(PullError) { return try await pull(list, transaction, environment) } catch {
        guard error.kind == .notFound else { throw error }
      }
    }
    do throws(PullError) { return try await pull(list, transaction, order[order.count - 1]) } catch
    {
      guard error.kind == .notFound else { throw error }
      let known = order.map(\.rawValue).joined(separator: " or ")
      throw PullError(
        .notFound, "the store does not know the transaction \(transaction.text) in \(known).")
    }
  }

  private mutating func pull(
    _ list: StoreList, _ transaction: StoreTransactionID, _ environment: StoreHost.Environment
  ) async throws(PullError) -> PulledList {
    let name = Self.name(list, environment, transaction.text)
    var pulled = PulledList(list: list, transaction: transaction.text, environment: environment)
    let state = try folder.state(name) ?? PullState()
    _ = try await pages(of: list, name, from: state, environment, &pulled) { state in
      .page(of: list, transaction: transaction, revision: list == .statuses ? nil : state.cursor)
    }
    return pulled
  }

  private static func name(
    _ list: StoreList, _ environment: StoreHost.Environment, _ subject: String
  ) -> String { "\(list.rawValue).\(environment.rawValue).\(subject)" }

  // MARK: - Notifications

  /// Which notifications are pulled, besides those since the last pull.
  package struct NotificationFilter: Sendable {
    /// From when on, in place of the end of the last pull.
    package var since: Instant?
    package var onlyFailures = false
    package var transaction: StoreTransactionID?
    package var type: String?
    package var subtype: String?

    package init() {}

    /// Whether it leaves out some of what has come since the last pull.
    var isPartial: Bool {
      since != nil || onlyFailures || transaction != nil || type != nil || subtype != nil
    }
  }

  /// Pulls the notifications that the store has sent since the last pull, or those that a filter
  /// names. If an earlier run was stopped, its question is answered to its end, and then the next
  /// one is asked.
  package mutating func notifications(
    _ filter: NotificationFilter
  ) async throws(PullError) -> PulledList {
    try checkLedger()
    let environment = environments[0]
    // What is pulled by a filter says nothing of what was pulled without it.
    let name = "notifications.\(environment.rawValue).\(filter.isPartial ? "some" : "all")"
    var state = try folder.state(name) ?? PullState()
    var pulled = PulledList(list: .notifications, transaction: nil, environment: environment)
    // With a transaction, --account is its customer, and what was set aside may be another one's.
    if filter.transaction == nil {
      let again = try await importRefused(environment)
      (pulled.appended, pulled.stillRefused) = (again.appended, again.refused)
    }
    var answeredUntil: Int64?
    if let under = state.question, try isUnderWay(state, name),
      Self.isSame(
        under, question(filter, since: state.completeUntil, environment, client.clock.now), filter)
    {
      state = try await answered(state, name, filter, environment, &pulled)
      answeredUntil = under.end
    }
    var next = question(filter, since: state.completeUntil, environment, client.clock.now)
    if let complete = state.completeUntil { tellGap(from: complete, environment) }
    if let answeredUntil {
      next.start = min(max(next.start, answeredUntil - Self.overlapMilliseconds), next.end)
    }
    (state.question, state.cursor, state.previous) = (next, nil, nil)
    // A page of another question has a token that is good only there.
    try folder.removeFinished(name, upTo: state.pages + 1)
    _ = try await answered(state, name, filter, environment, &pulled)
    return pulled
  }

  /// Whether a question has any answer already.
  private func isUnderWay(_ state: PullState, _ name: String) throws(PullError) -> Bool {
    if state.cursor != nil { return true }
    return try folder.answer(PullFolder.answerName(name, page: state.pages + 1)) != nil
  }

  /// Pulls all pages of a state's question, and returns the state without it.
  private mutating func answered(
    _ begin: PullState, _ name: String, _ filter: NotificationFilter,
    _ environment: StoreHost.Environment, _ pulled: inout PulledList
  ) async throws(PullError) -> PullState {
    guard let question = begin.question else { preconditionFailure("there is a question") }
    // Before the first page: its token is good only for the same question.
    try folder.save(begin, name)
    var done = try await pages(of: .notifications, name, from: begin, environment, &pulled) {
      state in .notifications(state.question ?? question, token: state.cursor)
    }
    if !filter.isPartial { done.completeUntil = done.question?.end }
    (done.question, done.cursor, done.previous) = (nil, nil, nil)
    try folder.save(done, name)
    return done
  }

  /// Whether the pages under way are those of a question that is asked now.
  private static func isSame(
    _ under: NotificationQuestion, _ asked: NotificationQuestion, _ filter: NotificationFilter
  ) -> Bool {
    var other = asked
    (other.start, other.end) = (under.start, under.end)
    guard other == under else { return false }
    // Without --since, the question under way is the one that was to be asked when it was begun.
    guard filter.since != nil else { return true }
    // A time such as 7d moves on with the clock, and a date stays.
    let moved = asked.start - under.start
    let passed = max(asked.end - under.end, 0)
    return moved >= -Self.sinceSlackMilliseconds && moved <= passed + Self.sinceSlackMilliseconds
  }

  /// Says what the store lists no more of the time since the last pull.
  private func tellGap(from complete: Int64, _ environment: StoreHost.Environment) {
    let earliest = NotificationQuestion.earliest(in: environment, at: client.clock.now)
    guard complete < earliest else { return }
    func time(_ milliseconds: Int64) -> String {
      Instant(microseconds: milliseconds * 1_000).rfc3339
    }
    client.notice(
      "the last pull of all notifications ended at \(time(complete)), and the store lists them "
        + "only for \(environment.notificationDays) days: those before \(time(earliest)) are lost. "
        + "What they were about is in the histories: daybook pull history --all")
  }

  func question(
    _ filter: NotificationFilter, since complete: Int64?, _ environment: StoreHost.Environment,
    _ now: Instant
  ) -> NotificationQuestion {
    let earliest = NotificationQuestion.earliest(in: environment, at: now)
    let end = now.microseconds / 1_000
    // The last pull may have ended by a clock that was ahead.
    let begun =
      filter.since.map { $0.microseconds / 1_000 }
      ?? complete.map { min($0, end) - Self.overlapMilliseconds } ?? earliest
    var question = NotificationQuestion(start: min(max(begun, earliest), end), end: end)
    question.onlyFailures = filter.onlyFailures
    question.transaction = filter.transaction?.text
    (question.type, question.subtype) = (filter.type, filter.subtype)
    return question
  }

  // MARK: - Pages

  /// Pulls the pages from a state on, and returns the state after the last one.
  private mutating func pages(
    of list: StoreList, _ name: String, from begin: PullState,
    _ environment: StoreHost.Environment, _ pulled: inout PulledList,
    _ request: (PullState) -> StoreRequest
  ) async throws(PullError) -> PullState {
    var state = begin
    var restarts = 0
    var trail = CursorTrail(from: state.cursor)
    var empty = 0
    try folder.removeFinished(name, upTo: state.pages)
    let limit = list == .notifications ? pagesLimit : min(pagesLimit, Self.customerPagesMax)
    while pulled.pages < limit {
      let file = PullFolder.answerName(name, page: state.pages + 1)
      let page: StorePage
      var isNew = true
      do throws(PullError) {
        if let saved = try saved(file, list) {
          (page, isNew) = (saved, false)
        } else {
          page = try await fetched(request(state), file, list, environment)
        }
      } catch {
        guard error.kind == .cursorRefused else { throw error }
        restarts += 1
        guard restarts <= Self.restartsMax, let back = back(from: state, environment) else {
          throw error
        }
        state = back
        trail = CursorTrail(from: state.cursor)
        continue
      }
      if page.signedCount > 0 {
        guard let outcome = try await imported(file, isNew, of: list, environment, pulled) else {
          continue
        }
        pulled.appended += outcome.appended
        pulled.refused += outcome.refused
        pulled.stillRefused += outcome.stillRefused
      }
      state = state.after(page)
      try folder.save(state, name)
      try folder.finish(file)
      try folder.removeAside(file)
      pulled.pages += 1
      pulled.signed += page.signedCount
      progress.pulled(
        pulled.transaction ?? list.rawValue, page: pulled.pages, signed: pulled.signed)
      // What an earlier run had left was the end then, and need not be the end now.
      guard page.hasMore || (!isNew && list != .notifications) else { return state }
      if page.hasMore, let cursor = page.cursor, !trail.add(cursor) {
        throw CursorTrail.goesRound
      }
      empty = page.signedCount == 0 ? empty + 1 : 0
      guard empty < emptyLimit else { throw CursorTrail.empty(empty) }
    }
    throw CursorTrail.tooLong(pulled.pages)
  }

  /// Imports a page; nil if it was saved by an earlier run and is refused again. Then it is put
  /// aside, because the store may have a better one: it is asked for again with the same cursor.
  private mutating func imported(
    _ file: String, _ isNew: Bool, of list: StoreList, _ environment: StoreHost.Environment,
    _ pulled: PulledList
  ) async throws(PullError) -> PageImport? {
    do throws(PullError) {
      return try await imported(file, of: list, environment, refused: pulled.refused)
    } catch {
      guard list != .notifications, Self.isRefusal(error) else { throw error }
      guard isNew else {
        try folder.putAside(file)
        client.notice(
          "the saved answer \(folder.answerPath(file)) is refused again. It is put aside with "
            + "\(PullFolder.asideSuffix) behind its name, and the store is asked for the page again"
        )
        return nil
      }
      throw PullError(
        error.kind,
        "\(error.message) The answer is kept in \(folder.answerPath(file)). The next pull imports "
          + "it again; if it is still refused, the store is asked for the page once more. Check "
          + "--app and --root; --claim records what another customer owns.")
    }
  }

  /// The state to continue from if the store does not take the revision or the token: the one
  /// before it, in the end the beginning of the list. The ledger knows what is asked for again.
  private func back(
    from state: PullState, _ environment: StoreHost.Environment
  ) -> PullState? {
    guard var question = state.question else { return state.steppedBack() }
    // Tokens belong together: one that has expired leaves nothing to continue.
    let earliest = NotificationQuestion.earliest(in: environment, at: client.clock.now)
    guard state.cursor != nil || question.start < earliest else { return nil }
    var begun = state
    tellGap(from: question.start + Self.overlapMilliseconds, environment)
    question.start = max(question.start, earliest)
    (begun.question, begun.cursor, begun.previous) = (question, nil, nil)
    return begun
  }

  /// The page that an earlier pull saved and did not note as imported.
  private func saved(_ file: String, _ list: StoreList) throws(PullError) -> StorePage? {
    guard let bytes = try folder.answer(file) else { return nil }
    do throws(PullError) { return try StorePage(bytes, of: list, app: app) } catch {
      // It was an answer for this app when it was saved, so it was damaged since: the store has it.
      try folder.removeAnswer(file)
      return nil
    }
  }

  private mutating func fetched(
    _ request: StoreRequest, _ file: String, _ list: StoreList,
    _ environment: StoreHost.Environment
  ) async throws(PullError) -> StorePage {
    let app = app
    let (body, page) = try await client.answer(to: request, in: environment) {
      (body) throws(PullError) in
      (body, try StorePage(body, of: list, app: app))
    }
    try folder.save(answer: body, as: file)
    return page
  }
}
