import Foundation
import LedgerEvents
import SignedDataSamples
import SignedStoreData

@testable import StoreImport

/// What the store signs about one customer, as decoded JSON. Times are seconds after the start of a
/// subscription of 1,000 seconds.
enum Signed {
  /// 2023-06-02T10:00:00Z
  static let start: Int64 = 1_685_700_000_000

  /// A catalogue in which the product of these statements is a consumable of ten coins.
  static func coins() throws -> Event {
    let line =
      #"{"id":"c","type":"catalog.set","occurredAt":"2023-01-01T00:00:00Z","#
      + #""data":{"products":[{"product":"plus","kind":"consumable","grants":{"coin":10}}]}}"#
    return try EventDecoder().decode(line: Array(line.utf8)).event
  }

  static func milliseconds(_ seconds: Int64) -> Int64 { start + seconds * 1_000 }

  static func instant(_ seconds: Int64) -> Instant {
    Instant(microseconds: milliseconds(seconds) * 1_000)
  }

  private static func object(_ members: [String?], _ more: String) -> String {
    "{" + members.compactMap { $0 }.joined(separator: ",") + (more.isEmpty ? "" : ",\(more)") + "}"
  }

  /// - Parameter end: When the period ends; nil for a product that does not renew.
  static func transaction(
    id: String = "1", original: String = "1", product: String = "plus", at seconds: Int64 = 0,
    end: Int64? = 1_000, signed: Int64 = 0, environment: String = "Production", _ more: String = ""
  ) -> String {
    object(
      [
        #""transactionId":"\#(id)","originalTransactionId":"\#(original)""#,
        #""bundleId":"\#(SigningSamples.bundleID)","productId":"\#(product)""#,
        #""purchaseDate":\#(milliseconds(seconds)),"originalPurchaseDate":\#(milliseconds(0))"#,
        end.map { #""expiresDate":\#(milliseconds($0))"# },
        #""quantity":1,"inAppOwnershipType":"PURCHASED","environment":"\#(environment)""#,
        #""signedDate":\#(milliseconds(signed))"#,
      ], more)
  }

  static func renewal(
    autoRenew: Bool = true, next: String = "plus", signed: Int64 = 0, _ more: String = ""
  ) -> String {
    object(
      [
        #""originalTransactionId":"1","productId":"plus","autoRenewProductId":"\#(next)""#,
        #""autoRenewStatus":\#(autoRenew ? 1 : 0),"environment":"Production""#,
        #""signedDate":\#(milliseconds(signed))"#,
      ], more)
  }

  static func notification(
    _ type: String, _ subtype: String? = nil, uuid: String = "u1", signed: Int64 = 0,
    transaction: String? = nil, renewal: String? = nil
  ) -> String {
    let data = object(
      [
        #""bundleId":"\#(SigningSamples.bundleID)","appAppleId":\#(SigningSamples.appAppleID)"#,
        #""environment":"Production""#, transaction.map { #""signedTransactionInfo":\#($0)"# },
        renewal.map { #""signedRenewalInfo":\#($0)"# },
      ], "")
    return object(
      [
        #""notificationType":"\#(type)""#, subtype.map { #""subtype":"\#($0)""# },
        #""notificationUUID":"\#(uuid)","version":"2.0","signedDate":\#(milliseconds(signed))"#,
        #""data":\#(data)"#,
      ], "")
  }

  /// A notification of each row of the table, 100 seconds before the period ends or after it did.
  static func notification(_ meaning: NotificationMeaning, uuid: String = "u1") -> String {
    let isOver =
      ["EXPIRED", "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED"].contains(meaning.type)
    let signed: Int64 = isOver ? 1_100 : 900
    let isRevoked = ["REFUND", "REVOKE"].contains(meaning.type)
    let isGrace = meaning.subtype == "GRACE_PERIOD"
    return notification(
      meaning.type, meaning.subtype, uuid: uuid, signed: signed,
      transaction: transaction(
        signed: signed,
        #""price":10990,"currency":"EUR","storefront":"DEU""#
          + (isRevoked ? #","revocationDate":\#(milliseconds(800)),"revocationReason":1"# : "")),
      renewal: renewal(
        autoRenew: meaning.subtype != "AUTO_RENEW_DISABLED", signed: signed,
        (isOver
          ? #""expirationIntent":2,"isInBillingRetryPeriod":\#(meaning.type != "EXPIRED")"# : "")
          + (isGrace ? #","gracePeriodExpiresDate":\#(milliseconds(2_000))"# : "")))
  }

  /// An answer of verifyReceipt about the same purchases.
  static func receipt(
    asked: Int64, _ more: String = "", product: String = "plus", end: Int64? = 1_000
  ) -> String {
    """
    {"status":0,"environment":"Production","receipt":{"bundle_id":"\(SigningSamples.bundleID)",
     "request_date_ms":"\(milliseconds(asked))"},"latest_receipt_info":[{"transaction_id":"1",
     "original_transaction_id":"1","product_id":"\(product)","quantity":"1",
     "purchase_date_ms":"\(milliseconds(0))"
     \(end.map { #","expires_date_ms":"\#(milliseconds($0))""# } ?? "")\(more)}]}
    """
  }
}

/// Returns a file of what the store signs, read.
func signed(
  _ text: String, as format: ImportFormat = .notification, trust: SignatureTrust = .noApp,
  account: Name? = nil, app: Name? = nil, environment: StoreEnvironment? = nil
) throws(ImportError) -> SignedImport {
  try SignedImport(
    Array(text.utf8), as: format,
    options: ImportOptions(
      fileName: "file.json", digestKey: digestKey, account: account, app: app,
      environment: environment),
    trust: trust)
}

/// Returns the events of a file for an empty ledger.
func signedEvents(
  _ text: String, as format: ImportFormat = .notification, trust: SignatureTrust = .noApp
) throws(ImportError) -> [Event] {
  try signed(text, as: format, trust: trust).outcome().events
}

/// Returns the error of a file.
func signedRefusal(
  _ text: String, as format: ImportFormat = .notification, trust: SignatureTrust = .noApp
) -> ImportError? {
  do throws(ImportError) {
    _ = try signedEvents(text, as: format, trust: trust)
    return nil
  } catch {
    return error
  }
}

extension ImportingLedger {
  /// Imports a file of signed data and returns how many events were new.
  @discardableResult
  mutating func add(
    signed text: String, as format: ImportFormat = .notification,
    trust: SignatureTrust = .noApp, account: Name? = nil
  ) throws -> Int {
    let file = try StoreImportTests.signed(text, as: format, trust: trust, account: account)
    var all: [StoreEnvironment: KnownPurchases] = [:]
    for subjects in file.subjects { all[subjects.environment] = known }
    // A file of signed data has many dates, so only what an event says itself is known.
    return try append(
      try file.outcome(all).events,
      saidAt: { max($0.data.instant("signedAt") ?? $0.occurredAt, $0.occurredAt) })
  }
}
