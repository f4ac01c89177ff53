extension EnvelopeField {
  /// Whether every event must have the field.
  package var isNeeded: Bool {
    switch self {
    case .id, .type, .occurredAt: true
    case .source, .environment, .app, .account, .device, .session, .sequence, .payment, .product,
      .transaction, .originalTransaction, .download, .data, .position, .recordedAt:
      false
    }
  }

  /// The expected form of the value, for example `integer from 1`.
  package var form: String {
    switch self {
    case .id: "name of at most \(eventIDBytesMax) bytes"
    case .type: "`subject.verb`, letters only"
    case .occurredAt, .recordedAt: "RFC 3339 time, years 1970 to 9999"
    case .environment:
      StoreEnvironment.allCases.map { "`\($0.text)`" }.joined(separator: ", ")
    case .source:
      EventSource.Kind.allCases.map { "`\($0.text)`" }.joined(separator: ", ")
        + ", or another name"
    case .sequence: "integer from 0"
    case .data: "object"
    case .position: "integer from 1"
    case .app, .account, .device, .session, .payment, .product, .transaction,
      .originalTransaction, .download:
      "name"
    }
  }

  /// The description of the field in the events reference.
  package var meaning: String {
    switch self {
    case .id:
      "The idempotency key. A UUIDv7 is best; for a server notification, use its notificationUUID. "
        + "It is never erased, so do not put personal data in it."
    case .type: "What happened: one of the types below, or one of your own."
    case .occurredAt:
      "When it happened, by the clock of whoever observed it (store time). A fact from a receipt "
        + "or a notification has the store's date, never the time of the import."
    case .source: "Who recorded it. An absent or unknown source counts as `app`."
    case .environment:
      "The store's environment. StoreKit 1 does not state it; if it is absent, the model derives "
        + "it."
    case .app: "The app's bundle identifier."
    case .account:
      "The customer: `appAccountToken`, `applicationUsername` or your own user id. It can be "
        + "absent, because a redelivery after a launch can lose it."
    case .device: "The installation of the app."
    case .session: "The launch of the app."
    case .sequence: "Counts the events of a session, so that equal times keep their order."
    case .payment:
      "The recorder's own id of one payment. StoreKit 1 has no transaction identifier before the "
        + "purchase, and none for a failed payment."
    case .product: "The product identifier."
    case .transaction: "The transaction identifier: an opaque text whose order has no meaning."
    case .originalTransaction:
      "The identifier of the first transaction of the purchase, which joins renewals and restores."
    case .download:
      "The identifier of one download. It is unique only within its transaction: StoreKit's "
        + "content identifier is the same in every transaction."
    case .data: "The fields of the type, and any fields of your own."
    case .position:
      "The position in the log, assigned by the ledger. Exports include it; an append ignores it."
    case .recordedAt:
      "When the ledger recorded it (ledger time). Exports include it; an append ignores it."
    }
  }
}
