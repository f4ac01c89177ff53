internal import Foundation
internal import GRDB
package import LedgerEvents
internal import LedgerModel
internal import LedgerQueries
package import LedgerStore
internal import Synchronization

/// Finds what has changed for customers, and puts it into the queues of the webhooks.
///
/// What was told is kept by account, and compared with what the projections say now. So a late
/// event tells the difference that it makes, and not the history; what was found is told once,
/// however often the process is killed; and a step costs what events touch.
///
/// One process of a ledger tells, the one that holds `service/webhooks.lock`. Used by one thread at
/// a time.
package final class Teller: Sendable {
  private let ledger: Ledger
  private let database: WebhookDatabase
  private let clock: @Sendable () -> Instant
  private let unreadable: @Sendable (LedgerError) -> Void

  /// What a step has done.
  package enum Outcome: Sendable, Hashable {
    /// There is nothing to tell now.
    case done
    /// There is more to look at.
    case more
    /// The projections are not to be read now, or say less than was told: they are about to be
    /// folded again.
    case waiting
  }

  /// - Parameters:
  ///   - ledger: What is told.
  ///   - store: Where to.
  ///   - clock: The present time.
  ///   - unreadable: Called if a webhook for some apps is not told something, because the log does
  ///     not say whose customer it is about.
  package init(
    _ ledger: Ledger, _ store: WebhookStore,
    clock: @escaping @Sendable () -> Instant = EventLog.systemClock,
    unreadable: @escaping @Sendable (LedgerError) -> Void = { _ in }
  ) {
    (self.ledger, self.clock, database) = (ledger, clock, store.database)
    self.unreadable = unreadable
  }

  /// Looks once, and puts what it finds into the queues. That is durable when this returns.
  ///
  /// - Complexity: O(*k*) in the events since the last step, up to ``Look/eventsMax``, and in the
  ///   accounts and products of the units that they touch. The first step of all, a change of the
  ///   catalogue and a new generation of the projections go through all customers, in pieces. If
  ///   there are webhooks for some apps, ``AppCheck/answer(from:unreadable:)`` for each customer
  ///   who has a message.
  /// - Throws: ``WebhookError``; ``LedgerError`` if the projections cannot be read.
  package func step() throws -> Outcome {
    let now = clock()
    let (webhooks, progress, due) = try state(at: now)
    guard !webhooks.isEmpty else { return .done }
    let filters = webhooks.map(\.webhook.filter)
    let wanted = Mutex<[String: Bool]>([:])
    let request = LookRequest(
      progress: progress, start: webhooks.compactMap(\.newsAfter).min(), due: due,
      wantsEvent: { type in
        wanted.withLock { known in
          if let answer = known[type] { return answer }
          let answer = filters.contains { $0.wants(type: type) }
          known[type] = answer
          return answer
        }
      },
      wantsFindings: filters.contains(where: \.wantsFindings),
      wantsProducts: filters.contains(where: \.wantsProducts), now: now.microseconds)
    let look = try ledger.readFolded { (view) throws(LedgerError) in
      try Looker.look(request, view)
    }
    guard let look else { return .waiting }
    if look.isBehind { ledger.foldSoon() }
    let apps = AppCheck()
    while true {
      var outcome = Outcome.more
      try database.write { database in
        try database.inSavepoint {
          outcome = try Telling(database, self.ledger.log.identity.ledger, apps, now).tell(
            look, request, dueCount: due.count)
          return apps.isComplete ? .commit : .rollback
        }
      }
      if apps.isComplete { return outcome }
      try apps.answer(from: ledger, unreadable: unreadable)
    }
  }

  /// How far the telling is behind: the position that was told.
  ///
  /// - Throws: ``WebhookError``: `busy`, `disk`.
  package func position() throws(WebhookError) -> UInt64? {
    try database.read { try TellingProgress.saved(in: $0)?.position }
  }

  private func state(
    at now: Instant
  ) throws(WebhookError) -> ([StoredWebhook], TellingProgress?, [NameNumber]) {
    try database.read { database in
      let due = try Int64.fetchAll(
        database, sql: "SELECT account FROM told WHERE due <= ? ORDER BY due LIMIT ?",
        arguments: [now.microseconds, Telling.dueMax])
      return (
        try StoredWebhook.all(database), try TellingProgress.saved(in: database),
        due.map { NameNumber(truncatingIfNeeded: $0) }
      )
    }
  }
}

/// One step, in a transaction.
private struct Telling {
  /// How many accounts are looked at in a step because time has passed.
  static let dueMax = 1_000

  private let database: Database
  private let ledger: [UInt8]
  private let apps: AppCheck
  private let now: Instant
  private let webhooks: [StoredWebhook]
  /// The webhooks whose queues are full.
  private let full: Set<Int64>

  init(_ database: Database, _ ledger: [UInt8], _ apps: AppCheck, _ now: Instant) throws {
    (self.database, self.ledger, self.apps, self.now) = (database, ledger, apps, now)
    // They may have changed since the look: one that was removed meanwhile gets nothing.
    webhooks = try StoredWebhook.all(database)
    full = try Set(
      webhooks.map(\.id).filter {
        try DeliveryQueue.waitingCount($0, database) >= DeliveryQueue.waitingMax
      })
  }

  private func save(_ progress: TellingProgress) throws {
    try database.execute(
      sql: "INSERT OR REPLACE INTO progress (one, content) VALUES (1, ?)",
      arguments: [try progress.text()])
  }

  // MARK: - A step

  func tell(_ look: Look, _ request: LookRequest, dueCount: Int) throws -> Teller.Outcome {
    // The last webhook may have gone since the look, and with it what was told.
    guard try TellingProgress.saved(in: database) == request.progress else { return .more }
    guard !webhooks.isEmpty else { return .done }
    // Whoever wants findings has come or gone since: what was looked at is not enough, or too much.
    let wantsFindings = webhooks.contains(where: \.webhook.filter.wantsFindings)
    let wantsProducts = webhooks.contains(where: \.webhook.filter.wantsProducts)
    guard wantsFindings == request.wantsFindings, wantsProducts == request.wantsProducts else {
      return .more
    }
    guard var progress = request.progress else { return try begin(look, request) }
    guard look.isContinued(progress) else { return try beginAgain(look, progress, request) }
    for event in look.events { try tell(event, look) }
    let other = progress.walk.map { $0.after ?? .max } ?? progress.position
    let tellsAnswers = progress.walk?.tellsAnswers ?? true
    let tellsFindings = progress.walk?.tellsFindings ?? progress.tracksFindings
    for group in look.groups {
      let origin = Origin(after: max(group.last.map { $0 - 1 } ?? 0, other))
      for (account, answer) in group.accounts {
        try tell(account, answer, look, origin, isTold: tellsAnswers)
      }
      if let findings = group.findings, progress.tracksFindings {
        try tell(findings, group, look, origin, isTold: tellsFindings)
      }
    }
    progress.at = look.at
    if progress.walk != nil {
      progress.walk?.next = look.nextUnit ?? 0
      if look.nextUnit == nil { progress.walk = nil }
      try save(progress)
      return .more
    }
    let isAtEnd = look.through == look.position
    progress.position = look.through
    progress.root = look.rootThrough
    if let last = look.lastForAll {
      progress.walk = TellingProgress.Walk(
        tellsAnswers: true, tellsFindings: progress.tracksFindings, after: last - 1)
    }
    if progress.tracksFindings, !wantsFindings {
      // Whoever wants them later begins with those that are there then.
      progress.tracksFindings = false
      try database.execute(sql: "DELETE FROM findings")
    }
    // While folding is behind, time stands still, and those that are due stay so.
    let hasMoreDue = dueCount == Self.dueMax && look.at >= request.now
    // What is due was so before a new webhook is taken up.
    let isStarted = try hasMoreDue || start(&progress)
    try save(progress)
    let hasMore = progress.walk != nil || !isAtEnd || hasMoreDue || !isStarted
    return hasMore ? .more : .done
  }

  /// The first step of all: what is true now is what changes are told from, and events are told
  /// from where the first webhook was made.
  private func begin(_ look: Look, _ request: LookRequest) throws -> Teller.Outcome {
    try begin(look, request, at: look.through, look.rootBefore ?? look.root)
  }

  private func begin(
    _ look: Look, _ request: LookRequest, at position: UInt64, _ root: [UInt8]
  ) throws -> Teller.Outcome {
    try save(
      TellingProgress(
        position: position, root: root, generation: look.generation, at: look.at,
        tracksFindings: request.wantsFindings,
        walk: TellingProgress.Walk(tellsAnswers: false, tellsFindings: false, after: position)))
    return .more
  }

  /// The ledger was folded by other rules, or the clock had been wrong: whatever differs from what
  /// was told is told, and the events go on where they were. If it is being folded anew, that has
  /// to wait. If it was put back from a backup, numbers and positions mean others: what was told
  /// and what waits is forgotten.
  private func beginAgain(
    _ look: Look, _ progress: TellingProgress, _ request: LookRequest
  ) throws -> Teller.Outcome {
    guard look.rootBefore == progress.root else {
      for table in ["messages", "told", "findings"] {
        try database.execute(sql: "DELETE FROM \(table)")
      }
      // The positions at which webhooks were made are those of another ledger, too.
      try database.execute(
        sql: "UPDATE webhooks SET since = NULL, madeAfter = ?", arguments: [Int64(look.position)])
      return try begin(look, request, at: look.position, look.root)
    }
    var again = progress
    again.walk = TellingProgress.Walk(
      tellsAnswers: true, tellsFindings: progress.tracksFindings, after: progress.position)
    guard progress.position <= look.position else {
      if again != progress { try save(again) }
      return .waiting
    }
    (again.generation, again.at) = (look.generation, look.at)
    try save(again)
    return .more
  }

  /// Takes up new webhooks, once everything was looked at that was there when they were made.
  /// Returns false if findings have to be noted before.
  private func start(_ progress: inout TellingProgress) throws -> Bool {
    guard progress.walk == nil else { return true }
    for stored in webhooks where stored.webhook.since == nil {
      if let first = stored.newsAfter, first > progress.position { continue }
      if stored.webhook.filter.wantsFindings, !progress.tracksFindings {
        progress.tracksFindings = true
        progress.walk = TellingProgress.Walk(
          tellsAnswers: true, tellsFindings: false, after: progress.position)
        return false
      }
      try database.execute(
        sql: "UPDATE webhooks SET since = ? WHERE id = ?",
        arguments: [Int64(stored.newsAfter ?? progress.position), stored.id])
    }
    return true
  }

  // MARK: - Messages

  private func add(_ message: Message, _ origin: Origin) throws {
    let receivers = webhooks.filter {
      origin.isNews(for: $0) && $0.webhook.filter.admits(message)
        && apps.admits(message, for: $0.webhook.filter.apps)
    }
    guard !receivers.isEmpty else { return }
    let number = try DeliveryQueue.add(message, in: ledger, database)
    for receiver in receivers {
      try DeliveryQueue.enqueue(
        number, of: message, for: receiver.id, at: now, isFull: full.contains(receiver.id),
        database)
    }
  }

  private func tell(_ event: Look.Event, _ look: Look) throws {
    for (customer, isAccount) in event.customers {
      let others = event.customers.map(\.number) + (isAccount ? [] : event.others)
      try add(
        Message(
          type: event.type, customer: customer, others: others.filter { $0 != customer },
          named: isAccount ? event.others : [],
          isAboutAccount: isAccount, position: event.position, event: event.position,
          statesAt: [look.position], at: look.at, environment: event.environment,
          products: Set([event.product].compactMap { $0 }), content: "{}"),
        Origin(after: event.position - 1))
    }
  }

  /// Compares an account's answer with what was told.
  private func tell(
    _ account: NameNumber, _ answer: FoldedAnswer, _ look: Look, _ origin: Origin, isTold: Bool
  ) throws {
    guard case .entries(let entries, let due) = answer else {
      try DeliveryQueue.forget(account, database)
      return
    }
    let row = try Row.fetchOne(
      database, sql: "SELECT due, entries, position FROM told WHERE account = ?",
      arguments: [Int64(account)])
    let before = try row.map { try ToldEntry.list($0["entries"]) } ?? []
    let after = entries.map { ToldEntry($0) }
    let dueBefore: Int64? = row?["due"]
    if before == after, dueBefore == due { return }
    var origin = origin
    if let dueBefore, dueBefore <= look.at { origin.due = dueBefore }
    if isTold, before != after {
      let toldAt: Int64? = row?["position"]
      let states = Set([look.position] + (toldAt.map { [UInt64($0)] } ?? []))
      try tell(account, before, after, look, origin, states)
    }
    if after.isEmpty, due == nil {
      try database.execute(
        sql: "DELETE FROM told WHERE account = ?", arguments: [Int64(account)])
    } else {
      try database.execute(
        sql: "INSERT OR REPLACE INTO told (account, due, entries, position) VALUES (?, ?, ?, ?)",
        arguments: [Int64(account), due, try ToldEntry.text(after), Int64(look.position)])
    }
  }

  private func tell(
    _ account: NameNumber, _ before: [ToldEntry], _ after: [ToldEntry], _ look: Look,
    _ origin: Origin, _ states: Set<UInt64>
  ) throws {
    for environment in StoreEnvironment.allCases {
      let (was, now) = (before.of(environment), after.of(environment))
      let difference = AnswerDifference(
        Name(""), environment, entries: (was.compactMap(\.entry), now.compactMap(\.entry)),
        balances: ([:], [:]))
      guard let difference else { continue }
      let changed = Set(was).symmetricDifference(now)
      try add(
        Message(
          type: MessageType.changed, customer: account, isAboutAccount: true,
          position: look.position, statesAt: states, at: look.at, environment: environment,
          products: Set(changed.flatMap(\.names)),
          content: MessageContent.of(difference)), origin)
    }
  }

  /// Compares a unit's findings with those that were noted.
  private func tell(
    _ findings: [Finding], _ group: Look.Group, _ look: Look, _ origin: Origin, isTold: Bool
  ) throws {
    var known: [NotedFinding.Key: String] = [:]
    for anchor in group.anchors.sorted() where anchor != 0 {
      let rows = try Row.fetchAll(
        database, sql: "SELECT hash, finding FROM findings WHERE anchor = ?",
        arguments: [Int64(anchor)])
      for row in rows {
        known[NotedFinding.Key(anchor: anchor, hash: row["hash"])] = row["finding"]
      }
    }
    var counts: [NotedFinding.Key: Int] = [:]
    for finding in findings.sorted() {
      var noted = NotedFinding(finding)
      // A rule can be broken several times by one event.
      let key = noted.key
      noted.ordinal = counts[key, default: 0]
      counts[key, default: 0] += 1
      if known.removeValue(forKey: noted.key) != nil { continue }
      if try isNoted(noted) { continue }
      let text = try noted.text()
      try database.execute(
        sql: "INSERT OR IGNORE INTO findings (anchor, hash, finding) VALUES (?, ?, ?)",
        arguments: [Int64(noted.key.anchor), noted.key.hash, text])
      if isTold { try add(message(MessageType.opened, noted, text, group, look), origin) }
    }
    for (key, text) in known.sorted(by: { $0.key < $1.key }) {
      try database.execute(
        sql: "DELETE FROM findings WHERE anchor = ? AND hash = ?",
        arguments: [Int64(key.anchor), key.hash])
      if isTold {
        try add(
          message(MessageType.closed, try NotedFinding(text: text), text, group, look), origin)
      }
    }
  }

  /// Whether a finding is noted that names nobody and nothing. Such ones of all units are noted
  /// together, so that none of them is ever closed.
  private func isNoted(_ noted: NotedFinding) throws -> Bool {
    guard noted.key.anchor == 0 else { return false }
    return try Row.fetchOne(
      database, sql: "SELECT 1 FROM findings WHERE anchor = 0 AND hash = ?",
      arguments: [noted.key.hash]) != nil
  }

  private func message(
    _ type: String, _ noted: NotedFinding, _ text: String, _ group: Look.Group, _ look: Look
  ) throws -> Message {
    let finding = noted.finding
    let isAboutAccount = finding.account != 0
    let transactions = [finding.transaction].filter { $0 != 0 }
    return Message(
      type: type, customer: isAboutAccount ? finding.account : noted.key.anchor,
      others: isAboutAccount ? [] : transactions, named: isAboutAccount ? transactions : [],
      isAboutAccount: isAboutAccount, position: look.position, event: finding.position,
      statesAt: [look.position], at: look.at, environment: finding.environment,
      products: Set([group.products[finding.product]].compactMap { $0 }), rule: finding.rule,
      content: text)
  }
}

/// What a message comes of. A webhook is told only what is later than itself. Of what one look
/// finds, the telling does not know which of several events has made which difference: what a later
/// one may have made is told, because nothing may be lost.
private struct Origin {
  /// The newest event that can have made it comes after this position.
  var after: UInt64
  /// The moment at which time alone has changed what is told; nil if it has not.
  var due: Int64?

  func isNews(for stored: StoredWebhook) -> Bool {
    guard let first = stored.newsAfter, first <= after else { return false }
    // One that was taken up by a clock that was wrong is told all the same what time changes.
    guard let due, stored.webhook.since == nil else { return true }
    return due > stored.webhook.createdAt.microseconds
  }
}

extension [ToldEntry] {
  fileprivate func of(_ environment: StoreEnvironment) -> [ToldEntry] {
    filter { $0.environment == environment.rawValue }
  }
}
