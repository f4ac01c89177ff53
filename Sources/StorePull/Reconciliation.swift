package import LedgerEvents

/// A notification of the store's history that the ledger lacks.
package struct MissedNotification: Sendable, Equatable {
  /// Its UUID; nil if the entry cannot be read.
  package var id: String?
  package var type: String?
  package var subtype: String?
  package var signedAt: Instant?
  /// The `appAccountToken` of the transaction.
  package var account: String?
  package var transaction: String?
  package var originalTransaction: String?
  package var product: String?
  /// How often the store tried to send it, and what came of the last attempt.
  package var attempts: Int
  package var lastResult: String?
}

/// What a comparison of the store's notification history with the ledger found.
package struct Reconciliation: Sendable {
  package var environment: StoreHost.Environment
  package var start: Instant
  package var end: Instant
  /// How many notifications the store listed.
  package var listed = 0
  /// In the order of the store, each once.
  package var missed: [MissedNotification] = []
  /// How many events were appended, if what is missing was imported.
  package var appended = 0
  /// How many the ledger refused for the first time.
  package var refused = 0
  /// How many of those that earlier runs set aside it refused again.
  package var stillRefused = 0
  package var isImported = false
}

extension PullRun {
  /// Compares the store's notification history with what the ledger has.
  ///
  /// - Parameters:
  ///   - known: The ids of the ledger's notifications.
  ///   - unverified: The ids of those that nobody verified: whoever writes one of them must not
  ///     hide what the store sent. They count only if a comparison imported the store's.
  ///   - imports: Whether to import the pages that have missing ones. What the ledger has is not
  ///     doubled by that.
  /// - Complexity: O(*n*) in the notifications of the history.
  package mutating func reconcile(
    _ filter: NotificationFilter, known: Set<String>, unverified: Set<String> = [],
    imports: Bool
  ) async throws(PullError) -> Reconciliation {
    let some = "reconcile.\(environments[0].rawValue).some"
    let name = filter.isPartial ? some : "reconcile.\(environments[0].rawValue).all"
    if imports { try checkLedger() }
    let asked = question(filter, since: nil, environments[0], client.clock.now)
    var found = Reconciliation(
      environment: environments[0], start: Instant(microseconds: asked.start * 1_000),
      end: Instant(microseconds: asked.end * 1_000))
    found.isImported = imports
    if imports { try await importLeft(some, filter, &found) }
    var seen = known
    for id in unverified where try folder.isSettled(Self.fileName(id, environments[0])) {
      seen.insert(id)
    }
    var token: String?
    var restarts = 0
    var trail = CursorTrail(from: nil)
    var (number, empty) = (0, 0)
    while true {
      number += 1
      guard number <= pagesLimit else { throw CursorTrail.tooLong(pagesLimit) }
      guard empty < emptyLimit else { throw CursorTrail.empty(empty) }
      let (body, page): ([UInt8], StorePage)
      let app = app
      do throws(PullError) {
        (body, page) = try await client.answer(
          to: .notifications(asked, token: token), in: environments[0]
        ) { (body) throws(PullError) in
          (body, try StorePage(body, of: .notifications, app: app))
        }
      } catch {
        restarts += 1
        guard error.kind == .cursorRefused, token != nil, restarts <= Self.restartsMax else {
          throw error
        }
        // What is missing was noted by its id, and everything is listed again.
        (token, found.listed, trail) = (nil, 0, CursorTrail(from: nil))
        continue
      }
      let missed = Self.missed(in: body, &found.listed, &seen)
      found.missed += missed
      if imports, !missed.isEmpty {
        let file = PullFolder.answerName(name, page: number)
        try folder.save(answer: body, as: file)
        try await importMissed(file, unverified: unverified, &found)
      }
      progress.pulled("notifications", page: number, signed: found.listed)
      empty = page.signedCount == 0 ? empty + 1 : 0
      guard page.hasMore, let next = page.cursor else { break }
      guard trail.add(next) else { throw CursorTrail.goesRound }
      token = next
    }
    return found
  }

  private mutating func importMissed(
    _ file: String, unverified: Set<String> = [], _ found: inout Reconciliation
  ) async throws(PullError) {
    let outcome = try await imported(
      file, of: .notifications, environments[0], refused: found.refused)
    found.appended += outcome.appended
    found.refused += outcome.refused
    found.stillRefused += outcome.stillRefused
    for entry in unverified.isEmpty ? [] : Self.entries(of: try folder.answer(file) ?? []) {
      let name = Self.fileName(entry, environments[0])
      guard let id = Self.identifier(entry), unverified.contains(id),
        !refusedNames.contains(name)
      else { continue }
      try folder.settle(entry.json, as: name)
    }
    try folder.finish(file)
  }

  /// Imports what an earlier reconciliation of all saved when it was stopped, and what was refused.
  /// With one customer's options it imports neither, which may be another one's. Pages that were
  /// asked for with a filter are removed: the store lists them again, and nobody knows whose.
  private mutating func importLeft(
    _ some: String, _ filter: NotificationFilter, _ found: inout Reconciliation
  ) async throws(PullError) {
    try folder.removeAnswers(from: some + ".")
    guard filter.transaction == nil else { return }
    let again = try await importRefused(environments[0])
    found.appended += again.appended
    found.stillRefused = again.refused
    guard !filter.isPartial else { return }
    let all = "reconcile.\(environments[0].rawValue).all."
    for file in try folder.answers(from: all) { try await importMissed(file, &found) }
  }

  private static func missed(
    in body: [UInt8], _ listed: inout Int, _ seen: inout Set<String>
  ) -> [MissedNotification] {
    entries(of: body).compactMap { entry in
      listed += 1
      let payload = payload(entry["signedPayload"])
      let id = payload?["notificationUUID"]?.string
      // What cannot be read cannot be known either, and is told once. Nor can a longer id than an
      // event has: whoever answers must not fill the memory.
      let isShort = id.map { $0.utf8.count <= eventIDBytesMax } ?? false
      let mark = isShort ? id ?? "" : digest(entry)
      guard seen.insert(mark).inserted else { return nil }
      let transaction = payload?["data"].flatMap { Self.payload($0["signedTransactionInfo"]) }
      let attempts = entry["sendAttempts"]?.array ?? []
      return MissedNotification(
        id: id.map(StoreFault.cut), type: text("notificationType", payload),
        subtype: text("subtype", payload),
        signedAt: payload?["signedDate"]?.integer.flatMap(moment),
        account: text("appAccountToken", transaction),
        transaction: text("transactionId", transaction),
        originalTransaction: text("originalTransactionId", transaction),
        product: text("productId", transaction), attempts: attempts.count,
        lastResult: text("sendAttemptResult", attempts.last))
    }
  }

  /// The beginning of a text, which is shown.
  private static func text(_ name: String, _ object: JSONValue?) -> String? {
    object?[name]?.string.map(StoreFault.cut)
  }

  /// A time that RFC 3339 can write; nil for another, which nobody but a forger states.
  private static func moment(_ milliseconds: Int64) -> Instant? {
    guard Milliseconds.known.contains(milliseconds) else { return nil }
    return Instant(microseconds: milliseconds * 1_000)
  }
}

extension StoreClient {
  /// Says at the store whose purchase a chain is, in whichever environment has it.
  ///
  /// - Parameter environments: Where the transaction is looked for, in this order.
  /// - Returns: The environment.
  package mutating func setAccount(
    _ token: AccountToken, of original: StoreTransactionID,
    in environments: [StoreHost.Environment]
  ) async throws(PullError) -> StoreHost.Environment {
    for environment in environments {
      do throws(PullError) {
        try await answer(to: .accountToken(token, of: original), in: environment) {
          (body) throws(PullError) in try Self.checkConfirmation(body)
        }
        return environment
      } catch {
        guard error.kind == .notFound else { throw error }
      }
    }
    throw PullError(
      .notFound,
      "the store does not know the transaction \(original.text) in "
        + environments.map(\.rawValue).joined(separator: " or ") + ".")
  }

  /// The store answers with nothing, or with JSON. A proxy that asks to log in answers with a page,
  /// and nobody has the account then.
  private static func checkConfirmation(_ body: [UInt8]) throws(PullError) {
    if body.isEmpty { return }
    do throws(EventError) { _ = try JSONValue(document: body, nulls: .leftOut) } catch {
      throw PullError(
        .malformed,
        "the answer is not JSON (\(body.count) bytes), as the store's confirmation is: "
          + error.reason)
    }
  }
}
