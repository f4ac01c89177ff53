public import LedgerEvents

/// The answers of the store's verifyReceipt, turned into events.
///
/// Read are `receipt.in_app`, `latest_receipt_info` and `pending_renewal_info`, in any order, each
/// of them absent, empty or a single object; and the single purchase that a receipt in the style of
/// iOS 6 is. Each fact is dated by the store's own date of it; what the store says of the present
/// without a date (auto-renewal, billing, consent) is dated by `request_date_ms`.
///
/// One fact is one event, whichever list and whichever file tells it: the events of a purchase
/// state only what every list states (product, dates, quantity). What one list knows and another
/// lacks is a fact of its own beside it (an upgrade, a refund, an offer), or, where it belongs to
/// the purchase (family sharing, the account), it is part of the id.
///
/// Not imported are fields that say nothing about a purchase of this customer: the group of a
/// subscription (a catalogue's to say), `web_order_line_item_id`, and the receipt's own data.
public enum VerifyReceipt {
  /// The name of this format, as `import.received` states it.
  public static let format = ImportFormat.verifyReceipt.rawValue

  /// The events of one answer for a ledger that knows nothing: `import.received` first, then the
  /// facts in the fold's order. To import into a ledger, use ``ReceiptImport``.
  ///
  /// - Throws: `ImportError`, also where the answer's status is not 0.
  /// - Complexity: O(*n* log *n*) in the number of purchases, O(*m*) in the number of bytes.
  public static func events(
    from bytes: [UInt8], options: ImportOptions
  ) throws(ImportError) -> [Event] {
    try ReceiptImport(bytes, options: options).outcome().events
  }

  /// Reads an answer: the document itself, or the `unified_receipt` of a server notification.
  static func receipt(
    _ bytes: [UInt8], options: ImportOptions
  ) throws(ImportError) -> Receipt {
    if isEncodedReceipt(bytes) { throw encodedReceipt }
    let document = try StoreJSONReader.document(bytes)
    guard case .object = document else { throw notAnObject(document) }
    let whole = try StoreObject(document, path: "")
    let unified = whole.members["status"] == nil ? try whole.object("unified_receipt") : nil
    let answer = unified ?? whole
    let refusal = try refusal(of: answer)
    if let refusal, refusal.status != expiredStatus { throw refusal }
    let receipt = try Receipt(answer, notification: unified == nil ? nil : whole, options: options)
    if let refusal, receipt.purchases.isEmpty { throw refusal }
    guard let environment = receipt.statedEnvironment ?? options.environment else {
      throw ImportError(
        .missing, path: answer.path(of: "environment"),
        reason: "the file does not say which environment of the store it is from",
        remedy: "Say it with --environment: production for what customers bought, sandbox for "
          + "tests")
    }
    return receipt.of(environment)
  }

  /// Whether the file is a receipt itself: PKCS#7 in base64, which begins with a long sequence.
  private static func isEncodedReceipt(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "MI".utf8) }

  private static let encodedReceipt = ImportError(
    .otherFormat, reason: "expected the store's answer, found a receipt in base64",
    remedy: "Send the receipt to the store's verifyReceipt and import the answer")

  private static func notAnObject(_ document: StoreJSON) -> ImportError {
    ImportError(
      .otherFormat, reason: "expected an object with a status, found \(document.described)",
      remedy: "Import the JSON that the store's verifyReceipt answered, one answer a file")
  }
}
