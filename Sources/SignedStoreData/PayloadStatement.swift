internal import LedgerEvents

/// What a payload says about its origin, read and not compared with anything.
struct PayloadStatement {
  let kind: SignedDataKind
  let content: JSONValue
  /// What it says about its app: one statement, or one for each part of a notification that makes
  /// one.
  let apps: [AppStatement]
  /// When it was signed; nil if it does not say so, as notifications of 2021.
  let signedAt: Instant?
  /// The signed data in it.
  let nested: [NestedText]

  /// What one object of a payload says about its app.
  struct AppStatement {
    /// The path of the object; empty for the payload itself.
    let path: String
    let bundleID: String?
    let appAppleID: Int64?
    /// The environment's name, which may be an unknown one.
    let environment: String?
  }

  /// A JWS in a payload.
  struct NestedText {
    let path: String
    let kind: SignedDataKind
    let text: String
  }

  /// - Parameter kind: The kind that the caller expects; nil to tell it from the members.
  /// - Complexity: O(*n*) in the number of bytes.
  init(_ payload: [UInt8], as kind: SignedDataKind?) throws(SignedDataError) {
    let value: JSONValue
    do throws(EventError) { value = try JSONValue(document: payload, nulls: .leftOut) } catch {
      throw Self.malformed("the payload cannot be read: \(error)")
    }
    guard value.object != nil else { throw Self.malformed("the payload is not an object") }
    let members = PayloadObject(value, path: "")
    content = value
    self.kind = try Self.kind(of: value, expected: kind)
    switch self.kind {
    case .notification:
      let parts = try NotificationParts(members)
      apps = parts.apps
      nested = parts.nested
    case .transaction, .renewal:
      apps = [try members.appStatement(environment: "environment")]
      nested = []
    case .appTransaction:
      apps = [try members.appStatement(environment: "receiptType")]
      nested = []
    }
    let signedDate = try members.instant("signedDate")
    if let signedDate {
      signedAt = signedDate
    } else {
      let isApp = self.kind == .appTransaction
      signedAt = isApp ? try members.instant("receiptCreationDate") : nil
    }
  }

  /// Members that one kind alone has. A JWS does not say what it is, so a transaction could be
  /// passed as a notification, and the other way round.
  private static let marks: [(name: String, kind: SignedDataKind)] = [
    ("notificationUUID", .notification), ("notificationType", .notification),
    ("receiptType", .appTransaction), ("originalApplicationVersion", .appTransaction),
    ("transactionId", .transaction), ("autoRenewStatus", .renewal),
    ("autoRenewProductId", .renewal),
  ]

  private static func kind(
    of payload: JSONValue, expected: SignedDataKind?
  ) throws(SignedDataError) -> SignedDataKind {
    let found = marks.first { payload[$0.name] != nil }?.kind
    guard let kind = expected ?? found else {
      throw SignedDataError(
        .unknownKind, "the payload has no member by which its kind is known",
        remedy: "Notifications, transactions, renewal infos and app transactions are known: say "
          + "which of them it is")
    }
    // Without such a member it is taken as what the caller says. Apple's own samples have none.
    guard found == nil || found == kind else {
      throw SignedDataError(
        .otherKind,
        "expected \(kind.described), found \((found ?? kind).described)",
        remedy: "Pass it as what it is")
    }
    return kind
  }

  static func malformed(_ reason: String) -> SignedDataError {
    SignedDataError(
      .malformedPayload, reason,
      remedy: "The store signed it all the same: keep it, and report it to whoever writes Daybook")
  }
}

/// The parts of a notification that say which app it is about, at most one of which occurs in the
/// store's own: `data`, `summary`, `appData` and `externalPurchaseToken`.
///
/// Source: Apple's documentation of `responseBodyV2DecodedPayload`.
private struct NotificationParts {
  var apps: [PayloadStatement.AppStatement] = []
  var nested: [PayloadStatement.NestedText] = []

  /// The signed data that a part can carry.
  private static let carried: [(part: String, member: String, kind: SignedDataKind)] = [
    ("data", "signedTransactionInfo", .transaction), ("data", "signedRenewalInfo", .renewal),
    ("appData", "signedAppTransactionInfo", .appTransaction),
  ]
  /// How the identifiers of tokens begin that are not from production.
  private static let sandboxToken = "SANDBOX"

  init(_ members: PayloadObject) throws(SignedDataError) {
    for name in ["data", "summary", "appData"] {
      guard let part = try members.object(name) else { continue }
      apps.append(try part.appStatement(environment: "environment"))
      for carried in Self.carried where carried.part == name {
        guard let text = try part.text(carried.member) else { continue }
        nested.append(
          .init(path: part.path(of: carried.member), kind: carried.kind, text: text))
      }
    }
    if let token = try members.object("externalPurchaseToken") {
      let identifier = try token.text("externalPurchaseId") ?? ""
      let isSandbox = identifier.hasPrefix(Self.sandboxToken)
      let environment = isSandbox ? StoreEnvironment.sandbox : .production
      apps.append(try token.appStatement(in: environment.signedName))
    }
    guard !apps.isEmpty else {
      throw SignedDataError(
        .appNotStated, "the notification does not say which app it is about",
        remedy: "A program that knows this kind of notification has to check its app itself")
    }
  }
}

/// An object of a payload, whose members are of the types that Apple documents.
private struct PayloadObject {
  private let value: JSONValue
  private let path: String

  init(_ value: JSONValue, path: String) {
    self.value = value
    self.path = path
  }

  func path(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  func appStatement(
    environment name: String
  ) throws(SignedDataError) -> PayloadStatement.AppStatement {
    try appStatement(in: try text(name))
  }

  func appStatement(
    in environment: String?
  ) throws(SignedDataError) -> PayloadStatement.AppStatement {
    PayloadStatement.AppStatement(
      path: path, bundleID: try text("bundleId"), appAppleID: try integer("appAppleId"),
      environment: environment)
  }

  func object(_ name: String) throws(SignedDataError) -> PayloadObject? {
    guard let member = value[name] else { return nil }
    guard member.object != nil else { throw other(name, "an object") }
    return PayloadObject(member, path: path(of: name))
  }

  func text(_ name: String) throws(SignedDataError) -> String? {
    guard let member = value[name] else { return nil }
    guard let text = member.string else { throw other(name, "a string") }
    return text
  }

  func integer(_ name: String) throws(SignedDataError) -> Int64? {
    guard let member = value[name] else { return nil }
    guard let number = member.integer else { throw other(name, "a whole number") }
    return number
  }

  /// A date in milliseconds since 1970. Xcode writes fractions of them: `1697679936049.7297`.
  func instant(_ name: String) throws(SignedDataError) -> Instant? {
    guard let member = value[name] else { return nil }
    let millisecond: Int64 = 1_000
    let latest = Instant.microsecondsMax / millisecond
    if let number = member.integer, (0...latest).contains(number) {
      return Instant(microseconds: number * millisecond)
    }
    guard let number = member.double, number >= 0, number < Double(latest) else {
      throw other(name, "milliseconds since 1970")
    }
    return Instant(microseconds: Int64(number * Double(millisecond)))
  }

  private func other(_ name: String, _ type: String) -> SignedDataError {
    PayloadStatement.malformed("\(path(of: name)) of the payload is not \(type)")
  }
}
