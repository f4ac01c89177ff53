package import LedgerEvents
package import LedgerQueries
package import SignedStoreData
import StoreImport

/// Takes the App Store's server notifications into a ledger, one body of a request at a time.
///
/// ```swift
/// let intake = NotificationIntake(
///   apps: [NotificationApp(bundleID: "com.example.shop", appAppleID: 1_234_567_890)])
/// let taken = try await intake.take(body, into: ledger)
/// ```
///
/// A notification gives the events that `daybook import notification` gives for a file with the
/// same bytes that is called ``fileName``: the same facts, ids and owners, and the same
/// `import.received`.
///
/// Notifications can be taken at once, also by several processes: see ``PurchaseIntake`` for what
/// keeps a purchase from being recorded twice.
package struct NotificationIntake: Sendable {
  /// The name of the file in `import.received`. Nobody's data is in it.
  package static let fileName = "notification.json"

  private let verifiers: [String: SignedDataVerifier]
  private let roots: TrustedRoots
  private let pinned: Set<CertificateFingerprint>
  private let clock: @Sendable () -> Instant

  /// Creates an intake for some apps.
  ///
  /// Production and the sandbox have the same address: the signed payload says which of them a
  /// notification is from, and its events are kept apart by that.
  ///
  /// - Parameters:
  ///   - apps: The apps whose notifications are believed.
  ///   - roots: The certificates at which a chain may end.
  ///   - pinned: The certificates of Xcode and other local tests, which sign for these environments
  ///     alone. Without one, nothing from them is believed.
  ///   - clock: Returns the present time.
  /// - Precondition: No two apps have the same bundle id.
  package init(
    apps: [NotificationApp], roots: TrustedRoots = .apple,
    pinned: Set<CertificateFingerprint> = [],
    clock: @escaping @Sendable () -> Instant = EventLog.systemClock
  ) {
    self.roots = roots
    self.pinned = pinned
    self.clock = clock
    verifiers = Dictionary(
      uniqueKeysWithValues: apps.map { app in
        (app.bundleID, Self.verifier(app, roots: roots, pinned: pinned))
      })
  }

  private static func verifier(
    _ app: NotificationApp, roots: TrustedRoots, pinned: Set<CertificateFingerprint>
  ) -> SignedDataVerifier {
    var environments: Set<StoreEnvironment> = [.production, .sandbox]
    if !pinned.isEmpty { environments.formUnion([.xcode, .localTesting]) }
    return SignedDataVerifier(
      app: ExpectedApp(
        bundleID: app.bundleID, appAppleID: app.appAppleID, environments: environments),
      roots: roots, pinned: pinned)
  }

  /// Verifies a notification and appends what the ledger lacks of it. That is durable when this
  /// returns, which blocks the calling thread. The same body again appends nothing and succeeds.
  ///
  /// - Parameters:
  ///   - body: The whole body of the request.
  ///   - ledger: The ledger to which it appends. After the error `outcomeUnknown`, open it again:
  ///     the notification may have been appended, and taking it again doubles nothing.
  /// - Throws: ``IntakeRefusal``, which says which check failed, and whether the store should send
  ///   the notification again. Nothing of it was then appended, except perhaps after
  ///   `outcomeUnknown`.
  /// - Complexity: O(*n* log *n*) in what the ledger knows about the notification's purchase, one
  ///   ECDSA check for each signed text in it, and one durable commit, which others share.
  @available(*, noasync, message: "blocks its thread")
  package func takeAndWait(
    _ body: [UInt8], into ledger: Ledger
  ) throws(IntakeRefusal) -> TakenNotification {
    let notification = try notification(body, for: ledger)
    let appended: PurchaseIntake.Appended
    do throws(IntakeFailure) {
      appended = try intake(ledger).appendAndWait(notification.file, named: Self.fileName)
    } catch { throw IntakeRefusal(error) }
    return Self.taken(notification, appended)
  }

  /// A notification that was verified, and its events before they are compared with a ledger.
  private struct Notification {
    let verified: VerifiedData
    let file: SignedImport
  }

  private func notification(
    _ body: [UInt8], for ledger: Ledger
  ) throws(IntakeRefusal) -> Notification {
    let verified = try verified(NotificationBody(body).signed)
    let digestKey: [UInt8]
    do throws(LedgerError) { digestKey = try ledger.importDigestKey() } catch {
      throw IntakeRefusal(error)
    }
    // As with --app, every purchase must be the app's.
    let options = ImportOptions(
      fileName: Self.fileName, digestKey: digestKey, app: Name(verified.bundleID))
    do throws(ImportError) {
      return Notification(
        verified: verified, file: try SignedImport(verified, of: body, options: options))
    } catch { throw IntakeRefusal(error) }
  }

  private func verified(_ signed: [UInt8]) throws(IntakeRefusal) -> VerifiedData {
    let now = clock()
    let other: VerifiedData
    do throws(SignedDataError) {
      let claimed = try ClaimedApp(of: signed)
      if let verifier = verifiers[claimed.bundleID ?? ""] {
        return try verifier.verify(signed, as: .notification, at: now)
      }
      // Anybody can name any app. Only what the store signed is about another app: the rest is a
      // forgery, and is called that.
      let stranger = NotificationApp(
        bundleID: claimed.bundleID ?? "", appAppleID: claimed.appAppleID)
      other = try Self.verifier(stranger, roots: roots, pinned: pinned)
        .verify(signed, as: .notification, at: now)
    } catch { throw IntakeRefusal(error) }
    throw Self.unknownApp(other.bundleID)
  }

  private static func unknownApp(_ bundleID: String) -> IntakeRefusal {
    IntakeRefusal(
      .otherApp, check: "otherApp",
      "the store signed it for the app \(bundleID.prefix(200)), which is not in the table of apps. "
        + "Add the app to it, or change its address in App Store Connect.")
  }

  private func intake(_ ledger: Ledger) -> PurchaseIntake {
    PurchaseIntake(ledger, clock: clock)
  }

  private static func taken(
    _ notification: Notification, _ appended: PurchaseIntake.Appended
  ) -> TakenNotification {
    let (data, results) = (notification.verified, appended.results)
    // A notification has a few events, which are one batch.
    assert(results.count == 1)
    return TakenNotification(
      notificationUUID: Name(data.content["notificationUUID"]?.string ?? ""),
      type: data.content["notificationType"]?.string ?? "",
      subtype: data.content["subtype"]?.string, environment: data.environment,
      app: Name(data.bundleID), positions: results.first?.positions,
      knownCount: results.map { $0.outcomes.count - $0.appendedCount }.reduce(0, +),
      isOwnerless: appended.outcome.unownedCount > 0, warnings: appended.outcome.warnings)
  }
}
