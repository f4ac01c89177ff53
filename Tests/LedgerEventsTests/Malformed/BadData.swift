extension BadLine {
  /// Members of `data` that violate the vocabulary.
  static let fields: [BadLine] = [
    data("session.started", #""appVersion":▶1"#, "data.appVersion", "expected a string"),
    data("session.started", #""systemVersion":▶17.0"#, "data.systemVersion", "a string"),
    data("session.ended", #""simulator":▶"yes""#, "data.simulator", "true or false"),
    data("session.ended", #""storefront":▶143441"#, "data.storefront", "a string"),
    data("session.foregrounded", #""language":▶["de"]"#, "data.language", "a string"),
    data("session.backgrounded", #""reason":▶{}"#, "data.reason", "a string"),
    data("session.started", #""signedAt":▶1394013601000"#, "data.signedAt", "RFC 3339"),
    data("catalog.set", #""products":▶{}"#, "data.products", "expected an array"),
    data("catalog.set", #""products":[▶"p"]"#, "data.products[0]", "expected an object"),
    data(
      "catalog.set", #""products":[▶{"kind":"consumable"}]"#, "data.products[0].product",
      "is missing"),
    data(
      "catalog.set", #""products":[{"product":"a","kind":"consumable"},▶{"product":"b"}]"#,
      "data.products[1].kind", "is missing"),
    data(
      "catalog.set", #""products":[{"product":"a","kind":▶"Consumable"}]"#,
      "data.products[0].kind", "consumable, nonConsumable, autoRenewable, nonRenewing"),
    data(
      "catalog.set", #""products":[{"product":▶"","kind":"consumable"}]"#,
      "data.products[0].product", "is empty"),
    data(
      "catalog.set", #""products":[{"product":▶7,"kind":"consumable"}]"#,
      "data.products[0].product", "a string"),
    data(
      "catalog.set", #""products":[{"product":"a","kind":"consumable","title":▶1}]"#,
      "data.products[0].title", "a string"),
    data(
      "catalog.set", #""products":[{"product":"a","kind":"consumable","entitlements":▶"pro"}]"#,
      "data.products[0].entitlements", "expected an array"),
    data(
      "catalog.set", #""products":[{"product":"a","kind":"consumable","entitlements":["x",▶1]}]"#,
      "data.products[0].entitlements[1]", "a string"),
    data(
      "catalog.set", #""products":[{"product":"a","kind":"consumable","grants":▶["credits"]}]"#,
      "data.products[0].grants", "expected an object"),
    data(
      "catalog.set", #""products":[{"product":"a","kind":"consumable","grants":{"credits":▶"5"}}]"#,
      "data.products[0].grants.credits", "expected an integer"),
    data(
      "catalog.set", #""products":[{"product":"a","kind":"consumable","grants":{"credits":▶5.5}}]"#,
      "data.products[0].grants.credits", "without fraction"),
    data(
      "catalog.set", #""products":[{"product":"a","kind":"consumable","duration":▶"1M"}]"#,
      "data.products[0].duration", "ISO 8601"),
    data(
      "catalog.set", #""products":[{"product":"a","kind":"consumable","duration":▶30}]"#,
      "data.products[0].duration", "ISO 8601"),
    data(
      "catalog.set", #""products":[{"product":"a","kind":"consumable","delivery":▶"server"}]"#,
      "data.products[0].delivery", "builtIn, ownServer, store"),
    data(
      "catalog.set",
      #""products":[{"product":"a","kind":"consumable","subscriptionGroup":▶1}]"#,
      "data.products[0].subscriptionGroup", "a string"),
    data("catalog.requested", #""requested":▶"p""#, "data.requested", "expected an array"),
    data("catalog.requested", #""requested":["p",▶9]"#, "data.requested[1]", "a string"),
    data(
      "catalog.received", #""products":[▶{"title":"x"}]"#, "data.products[0].product",
      "is missing"),
    data(
      "catalog.received", #""products":[{"product":"p","price":▶0.99}]"#,
      "data.products[0].price", "decimal number in quotes"),
    data(
      "catalog.received", #""products":[{"product":"p","price":▶"$0.99"}]"#,
      "data.products[0].price", "decimal number"),
    data(
      "catalog.received", #""products":[{"product":"p","price":▶"1,99"}]"#,
      "data.products[0].price", "decimal number"),
    data(
      "catalog.received", #""products":[{"product":"p","currency":▶"eur"}]"#,
      "data.products[0].currency", "ISO 4217"),
    data(
      "catalog.received", #""products":[{"product":"p","currency":▶"EURO"}]"#,
      "data.products[0].currency", "ISO 4217"),
    data(
      "catalog.received", #""products":[{"product":"p","downloadable":▶1}]"#,
      "data.products[0].downloadable", "true or false"),
    data(
      "catalog.received", #""products":[{"product":"p","contentVersion":▶1.0}]"#,
      "data.products[0].contentVersion", "a string"),
    data(
      "catalog.received", #""products":[{"product":"p","contentLengths":▶4200000}]"#,
      "data.products[0].contentLengths", "expected an array"),
    data(
      "catalog.received", #""products":[{"product":"p","contentLengths":[▶"1"]}]"#,
      "data.products[0].contentLengths[0]", "expected an integer"),
    data(
      "catalog.received", #""products":[{"product":"p","description":▶true}]"#,
      "data.products[0].description", "a string"),
    data(
      "catalog.received", #""products":[{"product":"p","priceLocale":▶1}]"#,
      "data.products[0].priceLocale", "a string"),
    data("catalog.received", #""invalid":[▶{}]"#, "data.invalid[0]", "a string"),
    data("catalog.received", #""invalid":[▶""]"#, "data.invalid[0]", "is empty"),
    data("catalog.failed", #""error":▶"offline""#, "data.error", "expected an object"),
    data("content.versionPublished", #""contentVersion":▶2"#, "data.contentVersion", "a string"),
    data(
      "content.hostingChanged", #""hosting":▶"rejected""#, "data.hosting",
      "waitingForUpload, readyToSubmit, approved"),
    data("payments.checked", #""allowed":▶"true""#, "data.allowed", "true or false"),
    data("payment.added", #""quantity":▶"1""#, "data.quantity", "expected an integer"),
    data("payment.added", #""quantity":▶1.0"#, "data.quantity", "without fraction"),
    data("payment.added", #""quantity":▶9223372036854775808"#, "data.quantity", "64-bit"),
    data("payment.added", #""askToBuy":▶0"#, "data.askToBuy", "true or false"),
    data("payment.added", #""displayedPrice":▶4.99"#, "data.displayedPrice", "in quotes"),
    data("payment.added", #""displayedPrice":▶"4.""#, "data.displayedPrice", "decimal"),
    data("payment.added", #""displayedPrice":▶".5""#, "data.displayedPrice", "decimal"),
    data("payment.added", #""displayedPrice":▶"-""#, "data.displayedPrice", "decimal"),
    data("payment.added", #""displayedPrice":▶"1e2""#, "data.displayedPrice", "decimal"),
    data("payment.added", #""currency":▶978"#, "data.currency", "ISO 4217"),
    data("transaction.purchased", #""purchasedAt":▶"2014-03-05""#, "data.purchasedAt", "RFC 3339"),
    data("transaction.purchased", #""expiresAt":▶"never""#, "data.expiresAt", "RFC 3339"),
    data("transaction.purchased", #""signedAt":▶true"#, "data.signedAt", "RFC 3339"),
    data(
      "transaction.purchased", #""ownership":▶"FAMILY_SHARED""#, "data.ownership",
      "purchased, familyShared"),
    data("transaction.purchased", #""isUpgraded":▶"false""#, "data.isUpgraded", "true or false"),
    data("transaction.purchased", #""downloads":▶"d0""#, "data.downloads", "expected an array"),
    data(
      "transaction.purchased", #""downloads":[▶{"contentVersion":"1"}]"#,
      "data.downloads[0].download", "is missing"),
    data(
      "transaction.restored", #""downloads":[{"download":"d","host":▶"apple"}]"#,
      "data.downloads[0].host", "store, own"),
    data(
      "transaction.restored", #""downloads":[{"download":"d","contentLength":▶1.5}]"#,
      "data.downloads[0].contentLength", "without fraction"),
    data(
      "subscription.renewed", #""downloads":[{"download":▶1}]"#, "data.downloads[0].download",
      "a string"),
    data("subscription.renewed", #""offer":▶{"id":"x"}"#, "data.offer", "a string"),
    data("transaction.failed", #""cancelled":▶"no""#, "data.cancelled", "true or false"),
    data("transaction.failed", #""error":{"code":▶"2"}"#, "data.error.code", "an integer"),
    data("transaction.failed", #""error":{"domain":▶2}"#, "data.error.domain", "a string"),
    data("transaction.failed", #""error":{"message":▶[]}"#, "data.error.message", "a string"),
    data(
      "transaction.failed", #""error":{"underlying":▶"x"}"#, "data.error.underlying",
      "an object"),
    data(
      "transaction.failed", #""error":{"underlying":{"underlying":{"code":▶1.5}}}"#,
      "data.error.underlying.underlying.code", "without fraction"),
    data("transaction.assigned", #""operator":▶1"#, "data.operator", "a string"),
    data("receipt.accepted", #""status":▶0.5"#, "data.status", "integer without fraction"),
    data("receipt.rejected", #""status":▶true"#, "data.status", "expected an integer"),
    data("purchase.fulfillmentFailed", #""error":▶1"#, "data.error", "an object"),
    data("restore.failed", #""error":▶[]"#, "data.error", "an object"),
    data("download.requested", #""host":▶"cdn""#, "data.host", "store, own"),
    data("download.progressed", #""progress":▶1.01"#, "data.progress", "from 0 to 1, found 1.01"),
    data("download.progressed", #""progress":▶-0.1"#, "data.progress", "from 0 to 1"),
    data("download.progressed", #""progress":▶1e999"#, "data.progress", "from 0 to 1"),
    data("download.progressed", #""progress":▶31"#, "data.progress", "from 0 to 1"),
    data("download.progressed", #""progress":▶"0.31""#, "data.progress", "a number"),
    data("download.progressed", #""timeRemaining":▶"12""#, "data.timeRemaining", "a number"),
    data("download.finished", #""contentURL":▶7"#, "data.contentURL", "a string"),
    data("download.failed", #""error":▶true"#, "data.error", "an object"),
    data("content.installed", #""contentVersion":"1","bytes":▶"9""#, "data.bytes", "an integer"),
    data("content.installed", #""contentVersion":"1","path":▶1"#, "data.path", "a string"),
    data("content.installed", #""contentVersion":"1","digest":▶1"#, "data.digest", "a string"),
    data(
      "content.installed", #""contentVersion":"1","excludedFromBackup":▶1"#,
      "data.excludedFromBackup", "true or false"),
    data("transaction.refunded", #""percent":▶100.5"#, "data.percent", "from 0 to 100"),
    data("transaction.refunded", #""percent":▶-1"#, "data.percent", "from 0 to 100"),
    data("transaction.refunded", #""percent":▶"50""#, "data.percent", "a number"),
    data("transaction.revoked", #""revokedAt":▶"x""#, "data.revokedAt", "RFC 3339"),
    data("subscription.expired", #""autoRenew":▶1"#, "data.autoRenew", "true or false"),
    data(
      "subscription.gracePeriodEntered", #""gracePeriodExpiresAt":▶1"#,
      "data.gracePeriodExpiresAt", "RFC 3339"),
    data("subscription.planChanged", #""toProduct":▶1"#, "data.toProduct", "a string"),
    data("subscription.priceIncreased", #""consented":▶"y""#, "data.consented", "true or false"),
    data("consumable.consumed", #""unit":"c","amount":▶0"#, "data.amount", "1 or more"),
    data("consumable.consumed", #""unit":"c","amount":▶-5"#, "data.amount", "1 or more"),
    data("consumable.consumed", #""unit":"c","amount":▶1.5"#, "data.amount", "fraction"),
    data("consumable.consumed", #""unit":▶1,"amount":1"#, "data.unit", "a string"),
    data("consumable.consumed", #""unit":▶"","amount":1"#, "data.unit", "is empty"),
    data(
      "consumable.consumed", #""unit":"c","amount":1,"required":▶1"#, "data.required",
      "true or false"),
    data("entitlement.granted", #""entitlement":▶["pro"]"#, "data.entitlement", "a string"),
    data("entitlement.granted", #""until":▶"2014-03-05""#, "data.until", "RFC 3339"),
    data("account.linked", #""to":▶2"#, "data.to", "a string"),
    data("account.transferred", #""to":▶"""#, "data.to", "is empty"),
    data(
      "account.linked", #""to":▶"\#(String(repeating: "x", count: 513))""#, "data.to",
      "513 bytes"),
    data("productPage.requested", #""storeItem":▶364147881"#, "data.storeItem", "digits"),
    data("productPage.requested", #""storeItem":▶"id364147881""#, "data.storeItem", "digits"),
    data("productPage.requested", #""storeItem":▶"""#, "data.storeItem", "digits"),
    data("storefront.changed", #""storefront":▶1"#, "data.storefront", "a string"),
    data("notification.received", #""notificationType":▶1"#, "data.notificationType", "a string"),
    data(
      "notification.received", #""notificationType":"X","subtype":▶1"#, "data.subtype",
      "a string"),
    data("import.received", #""format":▶1"#, "data.format", "a string"),
    data("import.received", #""format":"x","file":▶1"#, "data.file", "a string"),
    data("import.received", #""format":"x","events":▶"7""#, "data.events", "an integer"),
    data("import.received", #""format":"x","verified":▶"yes""#, "data.verified", "true or false"),
    data("import.received", #""format":"x","sha256":▶1"#, "data.sha256", "a string"),
    data("operator.acted", #""action":▶1,"operator":"o""#, "data.action", "a string"),
    data("operator.acted", #""action":"x","operator":▶1"#, "data.operator", "a string"),
    data("note.added", #""text":▶1"#, "data.text", "a string"),
    data("note.added", #""text":"x","operator":▶["o"]"#, "data.operator", "a string"),
    data("note.added", #""te\u0078t":▶1"#, "data.text", "a string"),
    // A `data` that comes before its type is checked in the same way.
    BadLine(
      #"{"data":{"progress":▶2},"id":"1","type":"download.progressed","#
        + #""occurredAt":"2014-03-05T10:00:01Z","transaction":"T","download":"D"}"#,
      "data.progress", "from 0 to 1"),
  ]

  /// The requirements of each type.
  static let needs: [BadLine] = [
    missing("catalog.set", "", "data.products", "catalog.set needs data.products"),
    missing("catalog.set", #","data":{}"#, "data.products"),
    missing("content.versionPublished", #","data":{"contentVersion":"2"}"#, "product"),
    missing("content.versionPublished", #","product":"P""#, "data.contentVersion"),
    missing("content.hostingChanged", #","data":{"hosting":"approved"}"#, "product"),
    missing("content.hostingChanged", #","product":"P""#, "data.hosting"),
    missing("payments.checked", "", "data.allowed"),
    missing("payment.added", "", "product"),
    missing("transaction.purchasing", "", "transaction", "needs transaction or payment"),
    missing("transaction.deferred", #","product":"P""#, "transaction", "transaction or payment"),
    missing("transaction.purchased", #","product":"P""#, "transaction"),
    missing("transaction.purchased", #","payment":"X","product":"P""#, "transaction"),
    missing("transaction.purchased", #","transaction":"T""#, "product"),
    missing("transaction.restored", #","product":"P""#, "transaction"),
    missing("transaction.restored", #","transaction":"T""#, "product"),
    missing("transaction.failed", "", "transaction", "transaction or payment"),
    missing("transaction.finished", "", "transaction", "transaction or payment"),
    missing("transaction.removed", "", "transaction", "transaction or payment"),
    missing("transaction.assigned", #","transaction":"T""#, "account"),
    missing("transaction.assigned", #","account":"A""#, "transaction"),
    missing("purchase.fulfilled", "", "transaction"),
    missing("purchase.fulfillmentFailed", #","payment":"X""#, "transaction"),
    missing("content.installStarted", "", "product"),
    missing("content.installed", #","data":{"contentVersion":"1"}"#, "product"),
    missing("content.installed", #","product":"P""#, "data.contentVersion"),
    missing("content.installFailed", "", "product"),
    missing("content.activated", "", "product"),
    missing("content.removed", "", "product"),
    missing("transaction.refundRequested", "", "transaction"),
    missing("transaction.refundDeclined", "", "transaction"),
    missing("transaction.refunded", #","originalTransaction":"T""#, "transaction"),
    missing("transaction.refundReversed", "", "transaction"),
    missing("transaction.revoked", "", "transaction"),
    missing("subscription.renewed", #","transaction":"T""#, "product"),
    missing("subscription.renewed", #","originalTransaction":"T","product":"P""#, "transaction"),
    missing("consumable.consumed", #","data":{"unit":"c","amount":1}"#, "account"),
    missing("consumable.consumed", #","account":"A","data":{"amount":1}"#, "data.unit"),
    missing("consumable.consumed", #","account":"A","data":{"unit":"c"}"#, "data.amount"),
    missing("entitlement.granted", #","product":"P""#, "account"),
    missing("entitlement.granted", #","account":"A""#, "data.entitlement", "or product"),
    missing("entitlement.withdrawn", #","account":"A""#, "data.entitlement", "or product"),
    missing("account.linked", #","data":{"to":"B"}"#, "account"),
    missing("account.linked", #","account":"A""#, "data.to"),
    missing("account.transferred", #","account":"A","data":{}"#, "data.to"),
    missing("account.erased", "", "account"),
    missing("storefront.changed", "", "data.storefront"),
    missing("notification.received", "", "data.notificationType"),
    missing("import.received", "", "data.format"),
    missing("operator.acted", #","data":{"operator":"o"}"#, "data.action"),
    missing("operator.acted", #","data":{"action":"exported"}"#, "data.operator"),
    missing("note.added", "", "data.text"),
  ]

  static let downloadNeeds: [BadLine] = downloadVerbs.flatMap { verb in
    [
      missing("download.\(verb)", #","download":"D""#, "transaction"),
      missing("download.\(verb)", #","transaction":"T""#, "download"),
    ]
  }

  private static let downloadVerbs = [
    "requested", "pauseRequested", "resumeRequested", "cancelRequested", "waiting",
    "progressed", "paused", "finished", "failed", "cancelled",
  ]

  static let subscriptionNeeds: [BadLine] = subscriptionVerbs.map { verb in
    missing("subscription.\(verb)", "", "transaction", "transaction or originalTransaction")
  }

  private static let subscriptionVerbs = [
    "expired", "gracePeriodEntered", "billingFailed", "billingRecovered", "renewalExtended",
    "autoRenewChanged", "planChanged", "priceIncreased", "offerRedeemed",
  ]
}
