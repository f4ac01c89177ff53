package import LedgerEvents

/// A notification of the store's history that the ledger lacks.
package struct MissedNotification: Sendable, Equatable {
  package var id: String
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
  package var isImported = false
}

extension PullRun {
  /// Compares the store's notification history with what the ledger has.
  ///
  /// - Parameters:
  ///   - known: The ids of the ledger's notifications.
  ///   - imports: Whether to import the pages that have missing ones. What the ledger has is not
  ///     doubled by that.
  /// - Complexity: O(*n*) in the notifications of the history.
  package mutating func reconcile(
    _ filter: NotificationFilter, known: Set<String>, imports: Bool
  ) async throws(PullError) -> Reconciliation {
    let name = "reconcile.\(environments[0].rawValue).all"
    let asked = question(filter, since: nil, environments[0], client.clock.now)
    var found = Reconciliation(
      environment: environments[0], start: Instant(microseconds: asked.start * 1_000),
      end: Instant(microseconds: asked.end * 1_000))
    found.isImported = imports
    var seen = known
    var token: String?
    var restarts = 0
    for number in 1...Self.pagesMax {
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
        // What was seen is not counted again.
        token = nil
        continue
      }
      let missed = Self.missed(in: body, &found.listed, &seen)
      found.missed += missed
      if imports, !missed.isEmpty {
        let file = PullFolder.answerName(name, page: number)
        try folder.save(answer: body, as: file)
        found.appended += try await importer.importAnswer(
          folder.answerPath(file), from: environments[0])
        try folder.finish(file)
      }
      progress.pulled("notifications", page: number, signed: found.listed)
      guard page.hasMore, let next = page.cursor else { break }
      guard next != token else {
        throw PullError(.unavailable, "the store gives the same page again. Try again later.")
      }
      token = next
    }
    return found
  }

  private static func missed(
    in body: [UInt8], _ listed: inout Int, _ seen: inout Set<String>
  ) -> [MissedNotification] {
    guard let document = json(body) else { return [] }
    return (document["notificationHistory"]?.array ?? []).compactMap { entry in
      guard let payload = payload(entry["signedPayload"]),
        let id = payload["notificationUUID"]?.string
      else { return nil }
      listed += 1
      guard seen.insert(id).inserted else { return nil }
      let transaction = payload["data"].flatMap { Self.payload($0["signedTransactionInfo"]) }
      let attempts = entry["sendAttempts"]?.array ?? []
      return MissedNotification(
        id: id, type: payload["notificationType"]?.string, subtype: payload["subtype"]?.string,
        signedAt: payload["signedDate"]?.integer.map { Instant(microseconds: $0 * 1_000) },
        account: transaction?["appAccountToken"]?.string,
        transaction: transaction?["transactionId"]?.string,
        originalTransaction: transaction?["originalTransactionId"]?.string,
        product: transaction?["productId"]?.string, attempts: attempts.count,
        lastResult: attempts.last?["sendAttemptResult"]?.string)
    }
  }

  /// What a signed text says. It is only looked at: the import verifies it.
  private static func payload(_ text: JSONValue?) -> JSONValue? {
    let parts = text?.string?.split(separator: ".", omittingEmptySubsequences: false) ?? []
    guard parts.count == 3, let bytes = Base64URL.bytes(parts[1]) else { return nil }
    return json(bytes)
  }

  private static func json(_ bytes: [UInt8]) -> JSONValue? {
    do throws(EventError) { return try JSONValue(document: bytes, nulls: .leftOut) } catch {
      return nil
    }
  }
}

extension PullRun {
  /// Says at the store whose purchase a chain is, in whichever environment has it.
  ///
  /// - Returns: The environment.
  package mutating func setAccount(
    _ token: AccountToken, of original: StoreTransactionID
  ) async throws(PullError) -> StoreHost.Environment {
    for environment in environments {
      do throws(PullError) {
        try await client.answer(to: .accountToken(token, of: original), in: environment) { _ in }
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
}
