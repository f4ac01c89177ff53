public import LedgerEvents

/// A file of server notifications of version 1, read and not yet compared with a ledger.
///
/// They are not signed. Each has the app's shared secret as its `password`, so whoever knows that
/// can make one: treat the secret as one, and prefer version 2.
///
/// A notification carries a receipt, and what that says becomes the same facts as by
/// ``ReceiptImport``. Only what the receipt does not say gets an event of its own, with an id that
/// is derived from the content without the receipt, so that several copies are one fact.
public struct NotificationV1Import: PurchaseImport {
  public let askedAt: Instant?
  public let subjects: [ImportSubjects]
  /// Whether every password in the file was compared with a secret.
  public let isVerified: Bool

  private var groups: [NotificationV1Group]
  private let received: Event
  private let options: ImportOptions

  /// Reads a file: one notification, an array of them, or one a line.
  ///
  /// - Throws: `ImportError`, with the code `notBelieved` if a password is not as expected.
  /// - Complexity: O(*n* log *n*) in the number of notifications and the purchases in them, O(*m*)
  ///   in the number of bytes.
  public init(
    _ bytes: [UInt8], options: ImportOptions, trust: PasswordTrust
  ) throws(ImportError) {
    self.options = options
    do throws(ImportError) {
      var isVerified = true
      var notifications: [NotificationV1] = []
      for (place, document) in try StoreDocuments.read(
        bytes, ImportFormat.notificationV1.described)
      {
        do throws(ImportError) {
          let notification = try NotificationV1(document, at: place, options)
          if try !NotificationV1.believed(document, trust) { isVerified = false }
          notifications.append(notification)
        } catch { throw error.at(place) }
      }
      self.isVerified = isVerified
      groups = try NotificationV1Group.groups(of: notifications, options)
      // Counted as for an empty ledger, so that the same file always gives the same event.
      var facts: [Event] = []
      for index in groups.indices {
        groups[index].facts = try groups[index].facts(KnownPurchases())
        facts += groups[index].facts
      }
      facts = try ImportBatch.ordered(facts)
      subjects = try NotificationV1Group.subjects(groups, options)
      askedAt = notifications.compactMap(\.saidAt).max()
      guard let date = askedAt ?? facts.last?.occurredAt else {
        throw ImportError(
          .missing, reason: "the file does not say when anything happened",
          remedy: "Pass the time when the notifications came with --asked-at TIME")
      }
      received = ImportBatch.received(
        format: NotificationV1.format, bytes: PasswordBlanks.applied(to: bytes),
        events: facts.count, options: options, occurredAt: date,
        app: groups.map(\.app).common ?? nil,
        environment: groups.map(\.environment).common, isVerified: isVerified)
    } catch {
      throw error.of(file: options.baseName)
    }
  }

  /// Returns the events that a ledger lacks, together with those that it already has under the same
  /// ids; see ``PurchaseImport``.
  public func outcome(
    _ known: [StoreEnvironment: KnownPurchases] = [:], recordsClaims: Bool = false
  ) throws(ImportError) -> ReceiptImport.Outcome {
    do throws(ImportError) {
      var outcome = ReceiptImport.Outcome(events: [], claims: [], unownedCount: 0, warnings: [])
      if !isVerified {
        outcome.warnings.append(
          "no password was compared, and the import is recorded as such (verified: false)")
      }
      var facts: [Event] = []
      for group in groups {
        let known = known[group.environment] ?? KnownPurchases()
        let ownership = try group.owned.ownership(known, recordsClaims: recordsClaims)
        facts += ownership.assignments
        outcome.claims += ownership.claims
        outcome.unownedCount += ownership.unownedCount
        outcome.warnings += ownership.warnings
        outcome.warnings += group.notifications.flatMap(\.receipt.renewals.warnings)
        facts += known.isEmpty ? group.facts : try group.facts(known)
      }
      outcome.events = try ImportBatch.checked([received] + ImportBatch.ordered(facts))
      return outcome
    } catch {
      throw error.of(file: options.baseName)
    }
  }
}

/// The notifications of a file about one app in one environment.
struct NotificationV1Group {
  let environment: StoreEnvironment
  let app: Name?
  /// In the order in which they happened.
  var notifications: [NotificationV1]
  /// All purchases, for their owners.
  var owned: Receipt
  /// The facts for an empty ledger.
  var facts: [Event] = []

  func facts(_ known: KnownPurchases) throws(ImportError) -> [Event] {
    var known = known
    var facts: [Event] = []
    for notification in notifications { facts += try notification.facts(&known) }
    return facts
  }

  static func groups(
    of notifications: [NotificationV1], _ options: ImportOptions
  ) throws(ImportError) -> [NotificationV1Group] {
    let never = Instant(microseconds: 0)
    let inOrder = notifications.enumerated().sorted {
      ($0.element.saidAt ?? never, $0.offset) < ($1.element.saidAt ?? never, $1.offset)
    }.map(\.element)
    var groups: [NotificationV1Group] = []
    for notification in inOrder {
      let receipt = notification.receipt
      let index = groups.firstIndex {
        $0.environment == receipt.environment && $0.app == receipt.app
      }
      if let index {
        groups[index].notifications.append(notification)
      } else {
        groups.append(
          NotificationV1Group(
            environment: receipt.environment, app: receipt.app, notifications: [notification],
            owned: receipt))
      }
    }
    for index in groups.indices where groups[index].notifications.count > 1 {
      // The newest statement about a purchase takes precedence.
      let entries = groups[index].notifications.reversed().flatMap(\.receipt.purchases)
        .flatMap(\.entries)
      groups[index].owned = try Receipt(
        signed: entries, [], signedAt: nil, app: groups[index].app,
        environment: groups[index].environment, options: options)
    }
    return groups
  }

  static func subjects(
    _ groups: [NotificationV1Group], _ options: ImportOptions
  ) throws(ImportError) -> [ImportSubjects] {
    var subjects: [ImportSubjects] = []
    for environment in StoreEnvironment.allCases {
      let groups = groups.filter { $0.environment == environment }
      guard !groups.isEmpty else { continue }
      var subject = ImportSubjects(
        environment: environment, purchases: [], renewals: [],
        accounts: options.account.map { [$0] } ?? [])
      var accounts = Set(subject.accounts)
      var renewals: Set<ReceiptImport.Renewal> = []
      for group in groups {
        for purchase in group.owned.purchases {
          subject.purchases.append(
            ReceiptImport.Purchase(
              transaction: Name(purchase.transaction), original: Name(try purchase.original())))
          for token in try purchase.accountTokens() where accounts.insert(token).inserted {
            subject.accounts.append(token)
          }
        }
        for notification in group.notifications {
          subject.identifiers += try notification.own().map(\.id)
          let failed = try notification.failedSubject().map { [$0] } ?? []
          for found in notification.receipt.renewals.subjects + failed {
            let renewal = ReceiptImport.Renewal(
              original: Name(found.original), transaction: found.period.map { Name($0.transaction) }
            )
            if renewals.insert(renewal).inserted { subject.renewals.append(renewal) }
          }
        }
      }
      subjects.append(subject)
    }
    return subjects
  }
}
