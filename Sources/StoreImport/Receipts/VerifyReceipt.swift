public import LedgerEvents

/// Converts answers of the store's verifyReceipt endpoint to events.
///
/// It reads `receipt.in_app`, `latest_receipt_info` and `pending_renewal_info`, in any order, each
/// of which can be absent, empty or a single object. It also reads an iOS 6 style receipt, which is
/// a single purchase. Each fact has the date that the store states for it. Statements about the
/// present without a date (auto-renewal, billing, consent) have the date in `request_date_ms`.
///
/// A fact becomes one event, whichever list and file it is in: the events of a purchase contain
/// only what every list states (product, dates, quantity). Information that only some lists have
/// becomes a separate fact (an upgrade, a refund, an offer) or, if it belongs to the purchase
/// (family sharing, the account), part of the id.
///
/// Fields that say nothing about a purchase of this customer are not imported: the group of a
/// subscription (a catalogue states it), `web_order_line_item_id`, and the receipt's own data.
public enum VerifyReceipt {
  /// The name of this format, as stated by `import.received`.
  public static let format = ImportFormat.verifyReceipt.rawValue

  /// Returns the events of one answer for an empty ledger: `import.received`, followed by the facts
  /// in the fold order. To import into an existing ledger, use ``ReceiptImport``.
  ///
  /// - Throws: `ImportError`, also if the answer's status is not 0, unless it is 21006 and the
  ///   answer lists purchases.
  /// - Complexity: O(*n* log *n*) in the number of purchases, O(*m*) in the number of bytes.
  public static func events(
    from bytes: [UInt8], options: ImportOptions
  ) throws(ImportError) -> [Event] {
    try ReceiptImport(bytes, options: options).outcome().events
  }

  /// Reads an answer.
  static func receipt(
    _ bytes: [UInt8], options: ImportOptions
  ) throws(ImportError) -> Receipt {
    if isReceipt(bytes) { throw isAppReceipt }
    let document = try StoreJSONReader.document(bytes)
    guard document.isObject else { throw notAnObject(document) }
    let answer = try StoreObject(document, path: "")
    if let other = OtherFormat(document), other.format == .notificationV1 { throw isNotification }
    let refusal = try refusal(of: answer)
    if let refusal, refusal.status != expiredStatus { throw refusal }
    let receipt = try Receipt(answer, notification: nil, options: options)
    if let refusal, receipt.purchases.isEmpty { throw refusal }
    guard let environment = receipt.statedEnvironment ?? options.environment else {
      throw ImportError(
        .missing, path: answer.path(of: "environment"),
        reason: "the file does not state its store environment",
        remedy: "Pass it with --environment: production for real purchases, sandbox for tests")
    }
    return receipt.of(environment)
  }

  /// Returns whether the file is an app receipt: PKCS#7, which begins with a long sequence, or
  /// base64 of it.
  private static func isReceipt(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: "MI".utf8) || bytes.first == 0x30 && bytes.dropFirst().first ?? 0 >= 0x80
  }

  private static let isNotification = ImportError(
    .otherFormat, path: "notification_type",
    reason: "expected the store's answer, found \(ImportFormat.notificationV1.described)",
    remedy: "Import it as notification-v1, which compares its password")

  private static let isAppReceipt = ImportError(
    .otherFormat, reason: "expected the store's answer, found an app's receipt",
    remedy: "Import it as receipt")

  private static func notAnObject(_ document: StoreJSON) -> ImportError {
    ImportError(
      .otherFormat, reason: "expected an object with a status, found \(document.described)",
      remedy: "Import the JSON that the store's verifyReceipt returned, one answer per file")
  }
}
