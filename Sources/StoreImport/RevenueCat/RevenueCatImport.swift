public import LedgerEvents

/// A file of what RevenueCat says, read and not yet compared with a ledger: webhooks, or a
/// scheduled export of transactions.
///
/// A purchase becomes the facts that the store's own data about it becomes, so that the same
/// purchase from both is one purchase. Nothing is signed, so nothing is verified.
public struct RevenueCatImport: PurchaseImport {
  public let askedAt: Instant?
  public let subjects: [ImportSubjects]
  /// Nothing is signed.
  public var isVerified: Bool { false }

  private let groups: [RevenueCatGroup]
  private let received: Event
  private let options: ImportOptions
  private let warnings: [String]

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - isExport: Whether it is an export, else webhooks: one, an array, or one a line.
  ///   - options: Information that is not in the file.
  /// - Throws: `ImportError`, with the place of what cannot be read.
  /// - Complexity: O(*n* log *n*) in the number of statements, O(*m*) in the number of bytes.
  public init(
    _ bytes: [UInt8], isExport: Bool, options: ImportOptions
  ) throws(ImportError) {
    self.options = options
    let format = isExport ? ImportFormat.revenueCatExport : .revenueCat
    do throws(ImportError) {
      let (statements, others) =
        try isExport
        ? RevenueCatExport.statements(bytes, options) : RevenueCatWebhook.statements(bytes, options)
      var warnings = [
        "RevenueCat signs nothing, and the import is recorded as not verified (verified: false)"
      ]
      for (store, count) in others.sorted(by: { $0.key < $1.key }) {
        let what = isExport ? count.counted("transaction") : count.counted("webhook")
        warnings.append(
          "\(what) of \(store) left out: this is a ledger of the App Store's purchases")
      }
      self.warnings = warnings
      groups = try RevenueCatGroup.groups(of: statements, options)
      subjects = try groups.map { group throws(ImportError) in try group.subjects() }
      // Counted as for an empty ledger, so that the same file always gives the same event.
      var facts: [Event] = []
      for group in groups { facts += try group.facts(KnownPurchases()) }
      facts = try ImportBatch.ordered(facts)
      askedAt = statements.map(\.saidAt).max()
      received = ImportBatch.received(
        format: format.rawValue, bytes: bytes, events: facts.count, options: options,
        occurredAt: askedAt ?? options.askedAt ?? Instant(microseconds: 0), app: options.app,
        environment: groups.count == 1 ? groups[0].environment : nil)
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
      var outcome = ReceiptImport.Outcome(
        events: [], claims: [], unownedCount: 0, warnings: warnings)
      var facts: [Event] = []
      for group in groups {
        var known = known[group.environment] ?? KnownPurchases()
        guard let owned = group.owned else {
          facts += try group.facts(known)
          continue
        }
        let ownership = try owned.ownership(
          group.linked(known), recordsClaims: recordsClaims, remedy: Self.remedy)
        known.forgotten = ownership.forgotten
        facts += try group.facts(known)
        facts += ownership.assignments.map(group.stated).map(Self.explained)
        outcome.claims += ownership.claims
        outcome.unownedCount += ownership.unownedCount
        outcome.warnings += ownership.warnings
      }
      // A file about other stores alone leaves nothing behind.
      guard !groups.isEmpty else { return outcome }
      outcome.events = try ImportBatch.checked([received] + ImportBatch.ordered(facts))
      return outcome
    } catch {
      throw error.of(file: options.baseName)
    }
  }

  /// What to do about another owner. To transfer what the owner has could give it to the wrong
  /// person, because RevenueCat's own transfers can be in a file that was not imported yet.
  private static let remedy =
    "import what RevenueCat said before and after, too, because a TRANSFER in it can be the reason"

  /// Returns an assignment with the reason why this account owns the purchase.
  private static func explained(_ assignment: Event) -> Event {
    guard assignment.data.string("reason") == "app_account_token" else { return assignment }
    var data = EventData.Builder()
    data.set("reason", "RevenueCat's app_user_id")
    var event = assignment
    event.data = data.build()
    return event
  }
}

/// What a file of RevenueCat says about one environment.
struct RevenueCatGroup {
  let environment: StoreEnvironment
  /// In the order in which they were said.
  private var statements: [RevenueCatStatement] = []
  /// All purchases, for their owners.
  private(set) var owned: Receipt?
  let options: ImportOptions

  static func groups(
    of statements: [RevenueCatStatement], _ options: ImportOptions
  ) throws(ImportError) -> [RevenueCatGroup] {
    var groups: [RevenueCatGroup] = []
    for environment in StoreEnvironment.allCases {
      var group = RevenueCatGroup(environment: environment, options: options)
      group.statements = statements.filter { $0.environment == environment }.enumerated()
        .sorted { ($0.element.saidAt, $0.offset) < ($1.element.saidAt, $1.offset) }
        .map(\.element)
      guard !group.statements.isEmpty else { continue }
      // The first who bought it: a transfer is an event of its own.
      let entries = group.statements.compactMap(\.entry)
      if !entries.isEmpty {
        group.owned = try Receipt(
          signed: entries, [], signedAt: nil, app: options.app, environment: environment,
          options: options)
      }
      groups.append(group)
    }
    return groups
  }

  private init(environment: StoreEnvironment, options: ImportOptions) {
    self.environment = environment
    self.options = options
  }

  func subjects() throws(ImportError) -> ImportSubjects {
    var subject = ImportSubjects(
      environment: environment, purchases: [], renewals: [],
      accounts: options.account.map { [$0] } ?? [])
    subject.followsTransfers = true
    var accounts = Set(subject.accounts)
    var renewals: Set<ReceiptImport.Renewal> = []
    for purchase in owned?.purchases ?? [] {
      let original = Name(try purchase.original())
      subject.purchases.append(
        ReceiptImport.Purchase(transaction: Name(purchase.transaction), original: original))
      let renewal = ReceiptImport.Renewal(original: original, transaction: nil)
      if renewals.insert(renewal).inserted { subject.renewals.append(renewal) }
    }
    for statement in statements {
      for account in statement.accounts where accounts.insert(account).inserted {
        subject.accounts.append(account)
      }
      subject.identifiers += statement.events.map(\.id)
      subject.identifiers += links(of: statement).map(\.id)
    }
    return subject
  }

  /// Returns what is known, with the links and transfers that the file itself states.
  func linked(_ known: KnownPurchases) -> KnownPurchases {
    var known = known
    for statement in statements {
      var all = Set(statement.accounts)
      for account in statement.accounts { all.formUnion(known.linked[account] ?? []) }
      for account in all { known.linked[account] = all }
      for event in statement.events where event.type.kind == .accountTransferred {
        guard let from = event.account, let to = event.data.name("to") else { continue }
        known.transfers.append(
          KnownPurchases.Transfer(from: from, to: to, at: event.occurredAt))
      }
    }
    return known
  }

  /// Returns the facts that a ledger lacks, without ownership.
  func facts(_ known: KnownPurchases) throws(ImportError) -> [Event] {
    let before = known
    var known = known
    var facts: [Event] = []
    var seen: Set<[Name]> = []
    for statement in statements {
      do throws(ImportError) {
        let isForgotten = statement.transaction.map(known.forgotten.contains) ?? false
        for link in links(of: statement) {
          guard let account = link.account, let to = link.data.name("to") else { continue }
          let isFirst = seen.insert([account, to]).inserted
          if let recorded = before.recorded[link.id] {
            facts.append(recorded)
          } else if isFirst, !isForgotten, !before.areOneCustomer(account, to) {
            facts.append(link)
          }
        }
        for event in try purchases(in: statement, known) where !known.knows(purchase: event) {
          facts.append(event)
          known.add(event, saidAt: statement.saidAt)
        }
        for event in statement.events where isNews(event, statement, known) {
          let event = try known.asReported(
            dated(isForgotten ? event.withoutCustomer : event, statement, known))
          facts.append(event)
          known.add(event, saidAt: statement.saidAt)
          guard let again = refundedAgain(after: event, known) else { continue }
          facts.append(again)
          known.add(again, saidAt: statement.saidAt)
        }
      } catch { throw error.at(statement.place) }
    }
    return facts
  }

  /// Returns an assignment without the chain, if no statement about the transaction says it.
  func stated(_ assignment: Event) -> Event {
    guard
      !statements.contains(where: { $0.statesOriginal && $0.transaction == assignment.transaction })
    else { return assignment }
    var event = assignment
    event.originalTransaction = nil
    return event
  }

  /// Returns the events by which the ids of one customer are one.
  private func links(of statement: RevenueCatStatement) -> [Event] {
    guard let first = statement.accounts.first else { return [] }
    var links: [Event] = []
    for other in Set(statement.accounts).sorted() where other != first {
      let (account, to) = first < other ? (first, other) : (other, first)
      var data = EventData.Builder()
      data.set("to", to)
      data.set("reason", "RevenueCat's aliases")
      let suffix = links.isEmpty ? "" : ":\(links.count + 1)"
      links.append(
        Event(
          id: Name(statement.linkID.text + suffix), type: EventType(.accountLinked),
          occurredAt: statement.saidAt, source: EventSource(.server), environment: environment,
          account: account, data: data.build()))
    }
    return links
  }
}
