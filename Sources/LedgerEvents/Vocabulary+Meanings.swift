extension Vocabulary {
  /// The meaning of each member of `data`, by its path, for the events reference.
  ///
  /// These are plain strings beside the table that decoding uses, so that reading an event never
  /// touches them.
  static let meanings: [String: String] = [
    sessionMeanings, catalogMeanings, paymentMeanings, deliveryMeanings, standingMeanings,
    operatorMeanings,
  ].reduce(into: [:]) { all, some in
    all.merge(some) { _, _ in preconditionFailure("a field has two meanings") }
  }

  private static let sessionMeanings = [
    "appVersion": "The app's version, as shown to people.",
    "systemVersion": "The operating system's version.",
    "simulator": "Whether the app runs in the development simulator.",
    "storefront": "The country or region of the store account, as the store names it.",
    "language": "The app's language.",
    "reason": "The reason, as free text.",
    "allowed": "Whether payments may be made.",
    "storeItem": "The item's numeric Apple ID.",
    "error": "What went wrong.",
    "notificationType": "The notification's type, in the store's words.",
    "subtype": "The notification's subtype, in the store's words.",
    "signedAt":
      "When the store signed the fact. It makes the event a store fact, and orders facts about one "
      + "transaction.",
  ]

  private static let catalogMeanings = [
    "products": "The valid products of the answer.",
    "products[].product": "The product identifier.",
    "products[].kind": "The kind of product.",
    "products[].title": "The product's display name.",
    "products[].entitlements": "The entitlements that the product gives besides its own name.",
    "products[].grants": "What a consumable credits, by unit.",
    "products[].duration": "How long a paid period lasts.",
    "products[].subscriptionGroup": "The group in which only one subscription is active.",
    "products[].delivery": "Where the product's content comes from.",
    "products[].description": "The product's display description.",
    "products[].price": "The price in this storefront.",
    "products[].currency": "The price's currency.",
    "products[].priceLocale": "The locale in which the price is shown.",
    "products[].storefront": "The storefront in which the price applies.",
    "products[].downloadable": "Whether the store hosts content for the product.",
    "products[].contentVersion": "The version of the hosted content on offer.",
    "products[].contentLengths": "The size of each part of the content.",
    "requested": "The product identifiers that the app asked for.",
    "invalid": "The product identifiers that the store does not know.",
    "hosting":
      "In this order: hosting is on and nothing is uploaded yet; a version is uploaded and can be "
      + "tested in the sandbox; it is on sale.",
  ]

  private static let paymentMeanings = [
    "quantity": "How many were bought; 1 if absent.",
    "askToBuy": "Whether someone else must approve the payment.",
    "displayedPrice": "The price that the customer saw.",
    "currency": "The currency of the price.",
    "price": "The price that was paid for the whole quantity.",
    "purchasedAt": "When the store charged for the purchase or period.",
    "expiresAt": "When the paid period ends.",
    "ownership": "Whether this customer bought it or a family member did.",
    "isUpgraded": "Whether a later purchase of a higher level replaced this one.",
    "subscriptionGroup": "The group in which only one subscription is active.",
    "offer": "The identifier of the offer that applies.",
    "cancelled": "Whether the customer cancelled the payment.",
    "status": "What the backend or the store answered.",
  ]

  private static let deliveryMeanings = [
    "downloads": "The hosted content that comes with the purchase.",
    "downloads[].download": "The download's identifier, unique within the transaction.",
    "downloads[].contentVersion": "The version of the content.",
    "downloads[].contentLength": "The size of the content.",
    "downloads[].host": "Who hosts the content; the store if absent.",
    "host": "Who hosts the content; the store unless another event says otherwise.",
    "progress":
      "The fraction that has arrived. It is not a state: 1 does not mean a finished download.",
    "timeRemaining": "The time until the download ends; −1 means that it is not yet known.",
    "contentURL": "Where the queue put the file.",
    "contentVersion": "The version of the content.",
    "contentLength": "The size of the content.",
    "contentLengths": "The size of each part of the content.",
    "path": "The location of the content.",
    "bytes": "The size of what was installed.",
    "digest": "A digest of the installed content, with its algorithm: `sha256:…`.",
    "excludedFromBackup": "Whether the content is excluded from the device's backup.",
  ]

  private static let standingMeanings = [
    "revokedAt": "When the store revoked the purchase.",
    "percent": "How much of the purchase is refunded; 100 if absent.",
    "gracePeriodExpiresAt": "When the grace period ends.",
    "autoRenew": "Whether the subscription renews automatically.",
    "toProduct": "The product of the next period.",
    "consented": "Whether the customer agreed to the new price.",
    "unit": "What is spent, as in the catalogue's `grants`.",
    "amount": "How much is spent.",
    "required":
      "Whether the append is refused if the balance known to the ledger does not cover it.",
    "entitlement": "The entitlement; if absent, the envelope's `product` is used.",
    "until": "When the grant ends; if absent, it does not end.",
  ]

  private static let operatorMeanings = [
    "to": "The other account id.",
    "operator": "Who did it.",
    "format": "The format of what was imported.",
    "file": "The file's name.",
    "sha256": "The SHA-256 of the file.",
    "events": "How many events follow.",
    "verified": "Whether a signature of the file was verified.",
    "action": "What was done.",
    "detail": "Further details, for programs.",
    "text": "The text of the note.",
  ]
}
