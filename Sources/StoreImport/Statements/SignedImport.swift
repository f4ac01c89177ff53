public import LedgerEvents
package import SignedStoreData

/// A file of what the App Store signs, read and not yet compared with a ledger: notifications,
/// transactions, renewal infos, app transactions, or saved answers of the App Store Server API.
public struct SignedImport: PurchaseImport {
  public let askedAt: Instant?
  public let subjects: [ImportSubjects]
  /// Whether everything in the file was signed and verified.
  public let isVerified: Bool

  private let groups: [Group]
  /// Nil if nothing was stated: there is nothing to date it by.
  private let received: Event?
  private let options: ImportOptions

  /// What a file says about one app in one environment.
  private struct Group {
    let environment: StoreEnvironment
    let app: Name?
    /// In the order in which the store signed them.
    var statements: [StoreStatement] = []
    /// All purchases, for their owners.
    var owned: Receipt?
    /// The facts for an empty ledger.
    var facts: [Event] = []
  }

  /// Reads a file, and verifies what is signed in it.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - format: What it holds.
  ///   - options: Information that is not in the file.
  ///   - trust: What is believed of signed data. With an app, decoded JSON is refused.
  /// - Throws: `ImportError`, with the code `notBelieved` if a signed text cannot be verified.
  /// - Precondition: `format.isOfStatements`.
  /// - Complexity: O(*n* log *n*) in the number of statements, O(*m*) in the number of bytes, and
  ///   one ECDSA check for each signed text.
  public init(
    _ bytes: [UInt8], as format: ImportFormat, options: ImportOptions, trust: SignatureTrust
  ) throws(ImportError) {
    precondition(format.isOfStatements, "a format of signed statements")
    do throws(ImportError) {
      let statements = try StatementReader(format: format, options: options, trust: trust)
        .statements(bytes)
      try self.init(statements, of: bytes, as: format, options)
    } catch {
      throw error.of(file: options.baseName)
    }
  }

  /// Reads one notification that was verified before. It gives the same events as a file with its
  /// bytes.
  ///
  /// - Parameters:
  ///   - notification: What was verified.
  ///   - bytes: The whole body in which the notification came, of which the digest is kept.
  ///   - options: Information that is not in the notification.
  /// - Throws: `ImportError` if the notification lacks what every one has.
  /// - Precondition: It is a notification.
  /// - Complexity: O(*n*) in the number of bytes.
  package init(
    _ notification: VerifiedData, of bytes: [UInt8], options: ImportOptions
  ) throws(ImportError) {
    precondition(notification.kind == .notification, "a notification")
    do throws(ImportError) {
      let statement = try StatementReader.statement(of: notification, "")
      try self.init([statement], of: bytes, as: .notification, options)
    } catch {
      throw error.of(file: options.baseName)
    }
  }

  private init(
    _ statements: [StoreStatement], of bytes: [UInt8], as format: ImportFormat,
    _ options: ImportOptions
  ) throws(ImportError) {
    self.options = options
    isVerified = statements.allSatisfy(\.isVerified)
    var groups: [Group]
    do throws(ImportError) {
      groups = try Self.grouped(statements, options)
      subjects = try Self.subjects(groups, options)
    } catch {
      // The statement that is wrong by itself is named, if there is one.
      for statement in statements { try statement.check(options) }
      throw error
    }
    // Counted as for an empty ledger, so that the same file always gives the same event.
    var facts: [Event] = []
    for index in groups.indices {
      var known = KnownPurchases()
      groups[index].facts = try Self.facts(of: groups[index], &known, options)
      facts += groups[index].facts
    }
    self.groups = groups
    facts = try ImportBatch.ordered(facts)
    askedAt = statements.compactMap(\.signedAt).max()
    guard !statements.isEmpty else {
      received = nil
      return
    }
    guard let date = askedAt ?? facts.last?.occurredAt else {
      throw ImportError(
        .missing, path: "signedDate", reason: "the file does not say when it was signed",
        remedy: "Pass the time when the store was asked with --asked-at TIME")
    }
    received = ImportBatch.received(
      format: format.rawValue, bytes: bytes, events: facts.count, options: options,
      occurredAt: date, app: groups.map(\.app).common ?? nil,
      environment: groups.map(\.environment).common, isVerified: isVerified)
  }

  /// Returns the events that a ledger lacks, together with those that it already has under the same
  /// ids.
  ///
  /// - Parameters:
  ///   - known: What the ledger knows about `subjects`, by environment.
  ///   - recordsClaims: Whether naming an account for another customer's purchase is recorded as a
  ///     claim; otherwise it is an error.
  /// - Throws: `ImportError`, with the code `ownedByAnother` if the ledger has another owner, and
  ///   `contradiction` if a notification that it has said something else.
  /// - Complexity: O(*n* log *n*) in the number of statements and known facts about them.
  public func outcome(
    _ known: [StoreEnvironment: KnownPurchases] = [:], recordsClaims: Bool = false
  ) throws(ImportError) -> ReceiptImport.Outcome {
    do throws(ImportError) {
      var outcome = ReceiptImport.Outcome(events: [], claims: [], unownedCount: 0, warnings: [])
      var facts: [Event] = []
      for group in groups {
        var known = known[group.environment] ?? KnownPurchases()
        if let owned = group.owned {
          let ownership = try owned.ownership(known, recordsClaims: recordsClaims)
          facts += ownership.assignments
          outcome.claims += ownership.claims
          outcome.unownedCount += ownership.unownedCount
          outcome.warnings += ownership.warnings
          known.forgotten = ownership.forgotten
        }
        facts += known.isEmpty ? group.facts : try Self.facts(of: group, &known, options)
        outcome.warnings += Self.warnings(
          known.recordedOtherwise, "recorded in other words already, which count")
        outcome.warnings += Self.warnings(
          known.recordedLater,
          "recorded with the date of a copy that the store signed later")
      }
      outcome.events = try ImportBatch.checked(
        (received.map { [$0] } ?? []) + ImportBatch.ordered(facts))
      return outcome
    } catch {
      throw error.of(file: options.baseName)
    }
  }

  private static func warnings(_ recorded: [Name], _ how: String) -> [String] {
    guard let first = recorded.first else { return [] }
    let count = recorded.count
    let what =
      count == 1
      ? "the notification \(first) is" : "\(count) notifications (the first is \(first)) are"
    return ["\(what) \(how)"]
  }

  private static func facts(
    of group: Group, _ known: inout KnownPurchases, _ options: ImportOptions
  ) throws(ImportError) -> [Event] {
    var facts: [Event] = []
    for statement in group.statements { facts += try statement.facts(&known, options) }
    return facts
  }

  private static func grouped(
    _ statements: [StoreStatement], _ options: ImportOptions
  ) throws(ImportError) -> [Group] {
    struct Key: Hashable {
      let environment: StoreEnvironment
      let app: Name?
    }
    let never = Instant(microseconds: 0)
    let inOrder = statements.enumerated().sorted {
      ($0.element.signedAt ?? never, $0.offset) < ($1.element.signedAt ?? never, $1.offset)
    }
    var groups: [Group] = []
    var indices: [Key: Int] = [:]
    for (_, found) in inOrder {
      var statement = found
      try statement.read(options)
      let key = Key(environment: statement.environment, app: statement.app)
      if let index = indices[key] {
        groups[index].statements.append(statement)
      } else {
        indices[key] = groups.count
        groups.append(
          Group(environment: key.environment, app: key.app, statements: [statement]))
      }
    }
    for index in groups.indices {
      // The newest statement about a transaction takes precedence.
      let transactions = groups[index].statements.reversed().compactMap(\.transaction)
      guard !transactions.isEmpty else { continue }
      groups[index].owned = try Receipt(
        signed: transactions, [], signedAt: nil, app: groups[index].app,
        environment: groups[index].environment, options: options
      ).with(groups[index].statements.allSatisfy(\.isVerified) ? .verified : .unverified)
    }
    return groups
  }

  private static func subjects(
    _ groups: [Group], _ options: ImportOptions
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
        for purchase in group.owned?.purchases ?? [] {
          let original = Name(try purchase.original())
          subject.purchases.append(
            ReceiptImport.Purchase(
              transaction: Name(purchase.transaction), original: original))
          for token in try purchase.accountTokens() where accounts.insert(token).inserted {
            subject.accounts.append(token)
          }
        }
        for statement in group.statements {
          try add(statement, to: &subject, &renewals, options)
        }
      }
      subjects.append(subject)
    }
    return subjects
  }

  private static func add(
    _ statement: StoreStatement, to subject: inout ImportSubjects,
    _ renewals: inout Set<ReceiptImport.Renewal>, _ options: ImportOptions
  ) throws(ImportError) {
    if let uuid = try statement.notification?.text("notificationUUID") {
      subject.identifiers.append(Name(uuid))
      let type = try statement.notification?.text("notificationType") ?? ""
      let meaning = NotificationMeaning.of(
        type: type, subtype: try statement.notification?.text("subtype"))
      for kind in meaning?.kinds.dropFirst() ?? [] {
        subject.identifiers.append(Name("\(uuid):\(Receipt.verb(of: kind))"))
      }
    }
    let receipt = try statement.receipt(options)
    for found in receipt.renewals.subjects {
      let renewal = ReceiptImport.Renewal(
        original: Name(found.original), transaction: found.period.map { Name($0.transaction) })
      if renewals.insert(renewal).inserted { subject.renewals.append(renewal) }
    }
  }
}
