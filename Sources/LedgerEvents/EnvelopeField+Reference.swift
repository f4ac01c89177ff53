extension EnvelopeField {
  /// Whether every event needs the field.
  package var isNeeded: Bool {
    switch self {
    case .id, .type, .occurredAt: true
    case .source, .environment, .app, .account, .device, .session, .sequence, .payment, .product,
      .transaction, .originalTransaction, .download, .data, .position, .recordedAt:
      false
    }
  }

  /// What the value must be, in a few words.
  package var form: String {
    switch self {
    case .id: "name of at most \(eventIDBytesMax) bytes"
    case .type: "`subject.verb`, letters only"
    case .occurredAt, .recordedAt: "time of the years 1970 to 9999"
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

  /// What the field says.
  package var meaning: String {
    switch self {
    case .id:
      "The idempotency key; a UUIDv7 is best, and for a server notification its notificationUUID. "
        + "It is never erased, so put nothing personal into it."
    case .type: "What happened: one of the types below, or one of your own."
    case .occurredAt:
      "When it happened, by the clock of whoever saw it (store time). A fact from a receipt or a "
        + "notification has the store's own date, never the time of its import."
    case .source: "Who recorded it; `app` where it is absent. An unknown source counts as `app`."
    case .environment:
      "Which store it happened in. StoreKit 1 does not know; the model finds out where it is "
        + "absent."
    case .app: "The app's bundle identifier."
    case .account:
      "Whose purchase it is: `appAccountToken`, `applicationUsername` or your own user id. It may "
        + "be absent, since a redelivery after a launch can lose it."
    case .device: "Which installation of the app."
    case .session: "Which launch of the app."
    case .sequence: "Counts the events of one session, so that equal times keep their order."
    case .payment:
      "The recorder's own id of one payment. StoreKit 1 gives no transaction identifier before "
        + "the purchase, nor to a failure."
    case .product: "The product identifier."
    case .transaction: "The transaction identifier: an opaque text, whose order means nothing."
    case .originalTransaction:
      "The identifier of the first transaction of the purchase, which joins renewals and restores."
    case .download:
      "The identifier of one download, unique within its transaction only: StoreKit's content "
        + "identifier is the same in every transaction."
    case .data: "The fields of the type, and fields of your own."
    case .position:
      "The place in the ledger, which the ledger gives. Exports have it, and an append ignores it."
    case .recordedAt:
      "When the ledger recorded it (ledger time). Exports have it, and an append ignores it."
    }
  }
}
