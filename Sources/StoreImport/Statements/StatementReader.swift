import LedgerEvents
import SignedStoreData

/// Reads a file of signed or decoded statements: one document, an array, or one a line.
struct StatementReader {
  let format: ImportFormat
  let options: ImportOptions
  let trust: SignatureTrust

  /// A text or an object that holds one statement, and what it must be.
  private struct Item {
    enum Content {
      case signed([UInt8])
      case decoded(StoreJSON)
    }

    let place: String
    let kind: SignedDataKind
    let content: Content
    /// The signed renewal info beside a transaction, in subscription statuses.
    var renewal: [UInt8]?
  }

  /// - Complexity: O(*n*) in the number of bytes, and one ECDSA check for each signed text.
  func statements(_ bytes: [UInt8]) throws(ImportError) -> [StoreStatement] {
    guard bytes.count <= importSizeBytesMax else {
      throw ImportError(
        .malformed, reason: "the file has more than \(importSizeBytesMax) bytes",
        remedy: "Split the file, for example by its lines")
    }
    let items = try items(bytes)
    // An answer can have no entries, such as the last page of a history.
    guard format == .history || !items.isEmpty else {
      throw ImportError(
        .missing, reason: "the file holds nothing that the store signed",
        remedy: "There is nothing to import")
    }
    var statements: [StoreStatement] = []
    for item in items {
      do throws(ImportError) { statements.append(try statement(item)) } catch {
        throw error.at(item.place)
      }
    }
    return statements
  }

  // MARK: - Documents

  private func items(_ bytes: [UInt8]) throws(ImportError) -> [Item] {
    let text = StoreDocuments.text(of: bytes)
    let lines = try StoreDocuments.lines(text)
    guard let first = lines.first else {
      throw ImportError(
        .otherFormat, reason: "the file is empty", remedy: "Pass what the store sent")
    }
    // Documents on one line each, signed or not. Anything else is one document.
    if lines.count == 1 || Self.isSigned(first.text) || StoreDocuments.isWhole(first.text) {
      var items: [Item] = []
      for line in lines {
        let place = lines.count == 1 ? "" : "line \(line.number)"
        do throws(ImportError) { items += try self.items(ofLine: line.text, place) } catch {
          throw error.at(place)
        }
        try Self.check(items.count)
      }
      return items
    }
    return try self.items(of: try StoreJSONReader.document(Array(text)), "")
  }

  private static func check(_ count: Int) throws(ImportError) {
    guard count <= importDocumentsMax else {
      throw StoreDocuments.tooMany("documents", importDocumentsMax)
    }
  }

  private func items(
    ofLine text: ArraySlice<UInt8>, _ place: String
  ) throws(ImportError) -> [Item] {
    if Self.isSigned(text) {
      return [Item(place: place, kind: try kind(), content: .signed(Array(text)))]
    }
    return try items(of: try StoreJSONReader.document(Array(text)), place)
  }

  private func items(of document: StoreJSON, _ place: String) throws(ImportError) -> [Item] {
    if let elements = document.elements {
      try Self.check(elements.count)
      var items: [Item] = []
      for (index, element) in elements.enumerated() {
        items += try self.items(of: element, place.isEmpty ? "[\(index)]" : "\(place), [\(index)]")
      }
      return items
    }
    if case .string(let text) = document.content {
      return [Item(place: place, kind: try kind(), content: .signed(Array(text.utf8)))]
    }
    guard document.isObject else {
      throw ImportError(
        .otherFormat, path: place,
        reason: "expected what the store sent, found \(document.described)",
        remedy: "Pass the signed text, or the JSON that was in it")
    }
    if format == .history {
      do throws(ImportError) {
        return try history(try StoreObject(document, path: "", .signed), place)
      } catch { throw error.at(place) }
    }
    let kind = try kind()
    for wrapper in Self.wrappers(of: kind) {
      // A decoded notification has no such member at its top.
      guard let value = document[wrapper] else { continue }
      if case .string(let text) = value.content {
        return [Item(place: place, kind: kind, content: .signed(Array(text.utf8)))]
      }
      guard value.isObject else { throw Self.notSigned(value.described, at: wrapper) }
      return [Item(place: place, kind: kind, content: .decoded(value))]
    }
    if let other = OtherFormat(document), other.format != format {
      throw ImportError(
        .otherFormat, path: place, reason: "expected \(format.described), found \(other.what)",
        remedy: other.remedy)
    }
    return [Item(place: place, kind: kind, content: .decoded(document))]
  }

  private func kind() throws(ImportError) -> SignedDataKind {
    switch format {
    case .notification: return .notification
    case .transaction: return .transaction
    case .renewal: return .renewal
    case .appTransaction: return .appTransaction
    case .history, .receipt, .verifyReceipt, .storekitConfig, .notificationV1, .revenueCat,
      .revenueCatExport, .csv:
      throw ImportError(
        .otherFormat, reason: "expected a saved answer of the App Store Server API, found a text",
        remedy: "Import signed transactions as transaction, and notifications as notification")
    }
  }

  private static func format(of kind: SignedDataKind) -> ImportFormat {
    switch kind {
    case .notification: .notification
    case .transaction: .transaction
    case .renewal: .renewal
    case .appTransaction: .appTransaction
    }
  }

  /// The members in which the App Store and its server wrap a signed text.
  private static func wrappers(of kind: SignedDataKind) -> [String] {
    switch kind {
    case .notification: ["signedPayload"]
    case .transaction: ["signedTransactionInfo", "signedTransaction"]
    case .renewal: ["signedRenewalInfo"]
    case .appTransaction: ["signedAppTransactionInfo", "signedAppTransaction"]
    }
  }

  // MARK: - Answers of the App Store Server API

  private func history(_ answer: StoreObject, _ place: String) throws(ImportError) -> [Item] {
    var items: [Item] = []
    func at(_ path: String) -> String { place.isEmpty ? path : "\(place), \(path)" }
    let names = ["signedTransactions", "data", "notificationHistory", "signedTransactionInfo"]
    // A page can be empty, and leave its list out.
    guard (names + ["hasMore"]).contains(where: { answer.members[$0] != nil }) else {
      let other = OtherFormat(answer.members)
      throw ImportError(
        .otherFormat, path: place,
        reason: "expected \(format.described), found \(other?.what ?? "none of its members")",
        remedy: other?.remedy ?? "Import the answers as the App Store Server gave them")
    }
    let transactions = answer.members["signedTransactions"]?.elements ?? []
    try Self.check(transactions.count)
    for (index, value) in transactions.enumerated() {
      guard case .string(let text) = value.content else {
        throw Self.notSigned(value.described, at: "signedTransactions[\(index)]")
      }
      items.append(
        Item(
          place: at("signedTransactions[\(index)]"), kind: .transaction,
          content: .signed(Array(text.utf8))))
    }
    for entry in try answer.objects("notificationHistory") {
      let text = try Self.signedText("signedPayload", of: entry)
      items.append(
        Item(
          place: at(entry.path(of: "signedPayload")), kind: .notification,
          content: .signed(Array(text.utf8))))
    }
    var pairs = answer.members["signedTransactionInfo"] == nil ? [] : [answer]
    for group in try answer.objects("data") { pairs += try group.objects("lastTransactions") }
    for pair in pairs {
      let text = try Self.signedText("signedTransactionInfo", of: pair)
      items.append(
        Item(
          place: at(pair.path(of: "signedTransactionInfo")), kind: .transaction,
          content: .signed(Array(text.utf8)),
          renewal: try pair.text("signedRenewalInfo").map { Array($0.utf8) }))
    }
    return items
  }

  /// Returns a signed text of an entry that consists of it: without it, something is missing.
  private static func signedText(
    _ name: String, of entry: StoreObject
  ) throws(ImportError) -> String {
    if let text = try entry.text(name) { return text }
    throw notSigned(entry.members[name]?.described ?? "none", at: entry.path(of: name))
  }

  private static func notSigned(_ found: String, at path: String) -> ImportError {
    ImportError(
      .badValue, path: path, reason: "expected a signed text, found \(found)",
      remedy: "Import the answers as the App Store Server gave them")
  }

  // MARK: - Statements

  private func statement(_ item: Item) throws(ImportError) -> StoreStatement {
    switch item.content {
    case .decoded(let document):
      // A server that saves what anybody posts to it would otherwise believe all of it.
      if case .verified = trust { throw Self.unsigned }
      return try decoded(
        try StoreObject(document, path: "", .signed), as: item.kind, beside: nil, item.place)
    case .signed(let text):
      switch trust {
      case .noApp: throw Self.noApp
      case .unverified:
        let payload = try Self.payload(text)
        if let other = OtherFormat(payload.members), other.format != Self.format(of: item.kind) {
          throw ImportError(
            .otherFormat,
            reason: "expected \(Self.format(of: item.kind).described), found \(other.what)",
            remedy: other.remedy)
        }
        return try decoded(payload, as: item.kind, beside: item.renewal, item.place)
      case .verified(let verifier, let now):
        let data: VerifiedData
        var renewal: VerifiedData?
        do throws(SignedDataError) {
          data = try verifier.verify(
            text, as: item.kind, ofApp: item.kind == .renewal ? verifier.app.bundleID : nil,
            at: now)
          if let text = item.renewal {
            renewal = try verifier.verify(
              text, as: .renewal, ofApp: verifier.app.bundleID, at: now)
          }
        } catch { throw Self.notBelieved(error) }
        return try Self.statement(of: data, beside: renewal, item.place)
      }
    }
  }

  /// Returns the statement that verified data makes.
  ///
  /// - Parameters:
  ///   - data: What was verified.
  ///   - renewal: The renewal info that stood beside a transaction, in subscription statuses.
  ///   - place: Where it stands in the file; empty for the whole file.
  static func statement(
    of data: VerifiedData, beside renewal: VerifiedData? = nil, _ place: String
  ) throws(ImportError) -> StoreStatement {
    var statement = StoreStatement(
      place: place, isVerified: true, signedAt: data.signedAt, app: Name(data.bundleID),
      environment: data.environment)
    let content = try Self.object(data.payload, path: "")
    try statement.set(content, as: data.kind)
    for nested in data.nested {
      try statement.set(
        try Self.object(nested.data.payload, path: nested.path), as: nested.data.kind)
    }
    if let renewal {
      guard renewal.environment == data.environment,
        renewal.content["originalTransactionId"]?.string
          == data.content["originalTransactionId"]?.string
      else {
        throw ImportError(
          .contradiction, reason: "the renewal info beside the transaction is of another purchase",
          remedy: "Do not believe it: the store does not mix purchases")
      }
      try statement.set(try Self.object(renewal.payload, path: "signedRenewalInfo"), as: .renewal)
    }
    return statement
  }

  private func decoded(
    _ content: StoreObject, as kind: SignedDataKind, beside renewal: [UInt8]?, _ place: String
  ) throws(ImportError) -> StoreStatement {
    var nested: [(SignedDataKind, StoreObject)] = []
    if let renewal {
      nested.append((.renewal, try Self.payload(renewal, path: "signedRenewalInfo")))
    }
    if kind == .notification { nested += try Self.nested(of: content) }
    try Self.checkNamed(content, kind)
    let origin = try StatedOrigin(content, as: kind, options)
    for (_, object) in nested { try Self.check(object, isOf: origin) }
    var signedAt = try content.eventDate("signedDate")
    if kind == .appTransaction, signedAt == nil {
      signedAt = try content.eventDate("receiptCreationDate")
    }
    for (_, object) in nested where signedAt == nil {
      signedAt = try object.eventDate("signedDate")
    }
    var statement = StoreStatement(
      place: place, isVerified: false, signedAt: signedAt ?? options.askedAt, app: origin.app,
      environment: origin.environment)
    try statement.set(content, as: kind)
    for (kind, object) in nested { try statement.set(object, as: kind) }
    return statement
  }

  /// - Throws: `ImportError` if the member is missing without which it is something else. A remedy
  ///   for what that lacks besides would mislead.
  private static func checkNamed(
    _ content: StoreObject, _ kind: SignedDataKind
  ) throws(ImportError) {
    let name: String
    switch kind {
    case .notification: name = "notificationType"
    case .transaction: name = "transactionId"
    case .renewal: name = "originalTransactionId"
    case .appTransaction: return
    }
    guard content.members[name] == nil else { return }
    throw ImportError(
      .missing, path: content.path(of: name),
      reason: "expected \(format(of: kind).described), found an object without \(name)",
      remedy: "Check that it is what the store signed, unmodified")
  }

  /// - Throws: `ImportError` if a part states another app or environment than what it is in.
  private static func check(
    _ part: StoreObject, isOf origin: StatedOrigin
  ) throws(ImportError) {
    if let app = try part.text("bundleId"), Name(app) != origin.app {
      throw ImportError(
        .contradiction, path: part.path(of: "bundleId"),
        reason: "it is for the app \"\(app)\", and what it is in for "
          + "\"\(origin.app ?? "none")\"",
        remedy: "Do not believe it: the store does not mix apps")
    }
    guard let name = try part.text("environment") else { return }
    let path = part.path(of: "environment")
    let environment = try Receipt.environment(named: name, path: path)
    guard environment == origin.environment else {
      throw ImportError(
        .contradiction, path: path,
        reason: "it is from \(environment.text), and what it is in from "
          + origin.environment.text,
        remedy: "Do not believe it: the store does not mix environments")
    }
  }

  /// The parts of a decoded notification: objects, or signed texts that nobody verifies. A text
  /// that is neither stays where it is.
  private static func nested(
    of notification: StoreObject
  ) throws(ImportError) -> [(SignedDataKind, StoreObject)] {
    var nested: [(SignedDataKind, StoreObject)] = []
    let carried: [(part: String, member: String, kind: SignedDataKind)] = [
      ("data", "signedTransactionInfo", .transaction), ("data", "signedRenewalInfo", .renewal),
      ("appData", "signedAppTransactionInfo", .appTransaction),
    ]
    for carried in carried {
      guard let part = try notification.object(carried.part),
        let value = part.members[carried.member]
      else { continue }
      let path = part.path(of: carried.member)
      if value.isObject {
        nested.append((carried.kind, try StoreObject(value, path: path, .signed)))
      } else if case .string(let text) = value.content, isSigned(Array(text.utf8)[...]) {
        nested.append((carried.kind, try payload(Array(text.utf8), path: path)))
      }
    }
    return nested
  }

  private static func payload(
    _ text: [UInt8], path: String = ""
  ) throws(ImportError) -> StoreObject {
    let payload: [UInt8]
    do throws(SignedDataError) { payload = try UnverifiedPayload.decode(text) } catch {
      throw ImportError(.malformed, path: path, reason: error.reason, remedy: error.remedy)
    }
    return try object(payload, path: path)
  }

  private static func object(_ bytes: [UInt8], path: String) throws(ImportError) -> StoreObject {
    try StoreObject(try StoreJSONReader.document(bytes), path: path, .signed)
  }

  private static func notBelieved(_ error: SignedDataError) -> ImportError {
    ImportError(
      .notBelieved, path: error.path, reason: "not believed (\(error.code)): \(error.reason)",
      remedy: error.remedy)
  }

  private static let unsigned = ImportError(
    .notBelieved, reason: "expected a signed text, found decoded JSON, which nobody signed",
    remedy: "Pass what the store signed; or pass --unverified if you trust where the file is from")

  private static let noApp = ImportError(
    .notBelieved, reason: "this is signed, and it is not said which app it must be for",
    remedy: "Pass the bundle id with --app, and for notifications of production the app's number "
      + "with --app-apple-id; or pass --unverified if you trust where the file is from")
}

extension StatementReader {
  /// Whether a text looks like a JWS: its header is an object, whose first letters are always
  /// these.
  static func isSigned(_ text: ArraySlice<UInt8>) -> Bool {
    text.starts(with: "ey".utf8) && text.contains(UInt8(ascii: "."))
  }
}

extension StoreStatement {
  fileprivate mutating func set(
    _ object: StoreObject, as kind: SignedDataKind
  ) throws(ImportError) {
    switch kind {
    case .notification: notification = object
    case .transaction: transaction = object
    case .renewal: renewal = object
    case .appTransaction: appTransaction = object
    }
  }
}
