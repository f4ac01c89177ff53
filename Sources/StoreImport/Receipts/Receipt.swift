import LedgerEvents
import SignedStoreData

/// The contents of one answer, merged by transaction.
struct Receipt: Sendable {
  let options: ImportOptions
  let app: Name?
  /// The environment that the answer states; the receipt's facts use ``environment``.
  let statedEnvironment: StoreEnvironment?
  private(set) var environment = StoreEnvironment.production
  /// When the store gave the answer.
  let askedAt: Instant?
  /// Each transaction once, in the order in which the answer first lists it.
  let purchases: [ReceiptTransaction]
  let renewals: RenewalSubjects
  private(set) var evidence = StoreEvidence.unsigned
  /// When the submitted receipt was created.
  private let createdAt: Instant?
  private let vocabulary: StoreVocabulary
  /// Whether it is what the store signs, each statement with its own date.
  var isSigned: Bool { vocabulary == .signed }

  /// Reads an answer. The bundle identifier can also come from the enclosing notification.
  init(
    _ answer: StoreObject, notification: StoreObject?, options: ImportOptions
  ) throws(ImportError) {
    self.options = options
    let receipt = try answer.object("receipt")
    app = try Self.app(of: receipt, notification, options: options)
    statedEnvironment = try Self.environment(answer, receipt, options)
    askedAt = try Self.askedAt(answer, receipt, options)
    createdAt = try receipt?.date("receipt_creation_date")
    vocabulary = .receipt
    purchases = try Self.merged(try Self.entries(answer, receipt))
    renewals = try RenewalSubjects(answer, purchases)
  }

  /// What the store signed: purchases and renewal states, without an answer around them.
  ///
  /// - Parameter signedAt: When it was signed, which is when the store stated it.
  init(
    signed transactions: [StoreObject], _ renewals: [StoreObject], signedAt: Instant?, app: Name?,
    environment: StoreEnvironment, options: ImportOptions
  ) throws(ImportError) {
    self.options = options
    self.app = app
    self.environment = environment
    statedEnvironment = environment
    askedAt = signedAt
    createdAt = nil
    vocabulary = .signed
    purchases = try Self.merged(transactions)
    self.renewals = try RenewalSubjects(signed: renewals, purchases)
  }

  /// Returns the receipt with the environment for its facts.
  func of(_ environment: StoreEnvironment) -> Receipt {
    var receipt = self
    receipt.environment = environment
    return receipt
  }

  /// Returns the receipt with the evidence for it.
  func with(_ evidence: StoreEvidence) -> Receipt {
    var receipt = self
    receipt.evidence = evidence
    return receipt
  }

  /// Returns every listed purchase, the newer list first.
  private static func entries(
    _ answer: StoreObject, _ receipt: StoreObject?
  ) throws(ImportError) -> [StoreObject] {
    var entries = try answer.objects("latest_receipt_info")
    // The list in an answer about an iOS 6 style receipt whose subscription has expired (status
    // 21006).
    entries += try answer.objects("latest_expired_receipt_info")
    guard let receipt else { return entries }
    entries += try receipt.objects("in_app")
    // An iOS 6 style receipt is itself one purchase.
    if receipt.members["transaction_id"] != nil { entries.append(receipt) }
    return entries
  }

  private static func merged(
    _ entries: [StoreObject]
  ) throws(ImportError) -> [ReceiptTransaction] {
    var merged: [ReceiptTransaction] = []
    var indices: [Name: Int] = [:]
    for entry in entries {
      let transaction = try ReceiptTransaction(entry)
      let name = Name(transaction.transaction)
      if let index = indices[name] {
        try merged[index].add(entry)
      } else {
        indices[name] = merged.count
        merged.append(transaction)
      }
    }
    return merged
  }

  private static func app(
    of receipt: StoreObject?, _ notification: StoreObject?, options: ImportOptions
  ) throws(ImportError) -> Name? {
    let members: [(StoreObject?, String)] = [
      (receipt, "bundle_id"), (receipt, "bid"), (notification, "bid"),
    ]
    var found: (stated: String, path: String)?
    for (object, name) in members where found == nil {
      if let object, let text = try object.text(name) { found = (text, object.path(of: name)) }
    }
    guard let (stated, path) = found else { return options.app }
    if let app = options.app, app != Name(stated) {
      throw ImportError(
        .contradiction, path: path,
        reason: "the receipt is for the app \"\(stated)\", not for \"\(app)\"",
        remedy: "Leave the app out, because a receipt states its own; or import that app's receipt")
    }
    return Name(stated)
  }

  /// - Throws: `ImportError`, also if the options name another environment.
  private static func environment(
    _ answer: StoreObject, _ receipt: StoreObject?, _ options: ImportOptions
  ) throws(ImportError) -> StoreEnvironment? {
    let stated = try answer.text("environment")
    let type = try receipt?.text("receipt_type")
    let found: StoreEnvironment? =
      if let stated {
        try environment(named: stated, path: answer.path(of: "environment"))
      } else {
        type.flatMap { StoreEnvironment(receiptType: $0) }
      }
    if let found, let named = options.environment, found != named {
      throw ImportError(
        .contradiction,
        path: stated == nil ? "receipt.receipt_type" : answer.path(of: "environment"),
        reason: "the receipt is from \(found.text), not from \(named.text)",
        remedy: "Leave the environment out, because this file states its own")
    }
    return found
  }

  static func environment(
    named text: String, path: String
  ) throws(ImportError) -> StoreEnvironment {
    switch text.lowercased() {
    case "production", "prod": return .production
    case "sandbox": return .sandbox
    case "xcode": return .xcode
    case "localtesting": return .localTesting
    default:
      throw ImportError(
        .badValue, path: path,
        reason: "expected Production, Sandbox, Xcode or LocalTesting, found \"\(text)\"",
        remedy: "Check that the file is the store's unmodified answer")
    }
  }

  /// - Throws: `ImportError`, also if the options name another time.
  private static func askedAt(
    _ answer: StoreObject, _ receipt: StoreObject?, _ options: ImportOptions
  ) throws(ImportError) -> Instant? {
    guard let stated = try receipt?.date("request_date"), stated.isInRange else {
      return options.askedAt
    }
    if let named = options.askedAt, named != stated {
      throw ImportError(
        .contradiction, path: "receipt.request_date_ms",
        reason: "the store gave the answer at \(stated.rfc3339), not at \(named.rfc3339)",
        remedy: "Leave the time out, because this file states its own")
    }
    return stated
  }

  /// Returns the facts of the receipt that a ledger lacks, without ownership.
  ///
  /// - Parameter withPurchases: Whether the purchases and paid periods themselves are among them.
  func facts(
    _ known: KnownPurchases, withPurchases: Bool = true
  ) throws(ImportError) -> [Event] {
    var facts: [Event] = []
    for purchase in purchases {
      facts += try self.facts(
        of: purchase, isKnownUpgrade: known.upgraded.contains(Name(purchase.transaction)),
        withPurchase: withPurchases
      ).filter { !known.states($0, evidence) }
    }
    for subject in renewals.subjects {
      facts += try self.facts(
        of: subject, KnownRenewals(states: known.renewals[Name(subject.original)] ?? []))
    }
    return facts
  }

  /// Returns when the answer was given. The same file always gives the same date.
  func importDate(_ facts: [Event]) throws(ImportError) -> Instant {
    let dates = [askedAt, createdAt, facts.last?.occurredAt]
    guard let date = dates.compactMap({ $0 }).first(where: \.isInRange) else {
      throw undated("the answer and its receipt have no date")
    }
    return date
  }

  func undated(_ reason: String) -> ImportError {
    ImportError(
      .missing, path: vocabulary == .receipt ? "receipt.request_date_ms" : "signedDate",
      reason: reason,
      remedy: "Pass the time when the store gave the answer with --asked-at TIME")
  }
}
