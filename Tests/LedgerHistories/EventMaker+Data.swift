import LedgerEvents

extension EventMaker {
  static let versions = ["1", "1.0", "1.1", "1.a", "2", "2.0", "1.0.0", "10", "01.1"]

  mutating func data(for kind: EventKind, _ event: inout Event) -> EventData {
    var text = DataText()
    switch kind {
    case .catalogSet: text.set("products", raw: entries())
    case .catalogReceived: response(&text)
    case .transactionPurchased, .transactionRestored, .subscriptionRenewed:
      purchase(&text, isSigned: kind == .subscriptionRenewed)
    case .downloadRequested, .downloadPauseRequested, .downloadResumeRequested,
      .downloadCancelRequested, .downloadWaiting, .downloadProgressed, .downloadPaused,
      .downloadFinished, .downloadFailed, .downloadCancelled:
      download(&text, kind)
    case .contentInstallStarted, .contentInstalled, .contentInstallFailed, .contentActivated,
      .contentRemoved, .contentVersionPublished:
      content(&text, kind)
    case .transactionRefunded, .transactionRefundReversed, .transactionRevoked,
      .transactionRefundRequested, .transactionRefundDeclined:
      if maybe(1, in: 2) {
        text.set(
          "percent", raw: random.one(of: ["0", "10", "25", "33", "50", "50.5", "75", "1e2", "100"]))
      }
      sign(&text, 1, in: 2)
    case .subscriptionExpired, .subscriptionGracePeriodEntered, .subscriptionBillingFailed,
      .subscriptionBillingRecovered, .subscriptionRenewalExtended, .subscriptionAutoRenewChanged,
      .subscriptionPlanChanged, .subscriptionPriceIncreased, .subscriptionOfferRedeemed:
      subscription(&text, kind)
    case .accountLinked, .accountTransferred: text.set("to", random.one(of: pool.accounts))
    case .entitlementGranted, .entitlementWithdrawn: grant(&text, &event)
    case .consumableConsumed:
      text.set("unit", random.one(of: ["credits", "gems"]))
      text.set("amount", raw: "\(1 + random.below(9))")
    default: rest(&text, kind)
    }
    if maybe(1, in: 12) { text.set("x", raw: #"{"kept": [0.50, "\u00e9"], "as": "it is"}"#) }
    return text.data
  }

  /// Returns a time near the present, with offsets like those of periods and signatures.
  private mutating func near() -> Int64 {
    let offsets: [Int64] = [
      -30 * Instant.day, -Instant.day, -Instant.hour, -1, 0, 0, 1, Instant.second, Instant.hour,
      Instant.day, 7 * Instant.day, 30 * Instant.day, 90 * Instant.day,
    ]
    return max(0, now + random.one(of: offsets))
  }

  private mutating func sign(_ text: inout DataText, _ numerator: Int, in denominator: Int) {
    if maybe(numerator, in: denominator) { text.set("signedAt", time: near()) }
  }

  private mutating func entries() -> String {
    let kinds = ["nonConsumable", "nonConsumable", "consumable", "autoRenewable", "nonRenewing"]
    let entries = (0..<(1 + random.below(3))).map { _ in
      let product = random.one(of: pool.products)
      var kind = random.one(of: kinds)
      if maybe(4, in: 5) { kind = Self.usualKind(of: product) ?? kind }
      var entry = "{\"product\":\(DataText.quoted(product.text)),\"kind\":\"\(kind)\""
      if maybe(1, in: 2) {
        entry +=
          ",\"entitlements\":"
          + random.one(of: [#"["pro"]"#, #"["plus","pro"]"#, #"["max"]"#, "[]"])
      }
      if kind == "consumable" || maybe(1, in: 8) {
        entry +=
          ",\"grants\":" + random.one(of: [#"{"credits":5}"#, #"{"credits":3,"gems":7}"#, "{}"])
      }
      if maybe(1, in: 2) {
        let durations = [
          "PT1H", "P1D", "P7D", "P1W", "P1M", "P2M", "P1Y", "P1Y2M3DT4H5M6S", "PT0.5S",
        ]
        entry += ",\"duration\":\"\(random.one(of: durations))\""
      }
      return entry + "}"
    }
    return "[" + entries.joined(separator: ",") + "]"
  }

  private static func usualKind(of product: Name) -> String? {
    switch product.text {
    case "non", "non2", "product-0", "product-1", "product-2": "nonConsumable"
    case "con", "product-3", "product-4": "consumable"
    case "sub", "sub2", "product-5", "product-6", "product-7": "autoRenewable"
    case "nre", "product-8": "nonRenewing"
    default: nil
    }
  }

  private mutating func response(_ text: inout DataText) {
    let products = (0..<random.below(3)).map { _ in
      let product = DataText.quoted(random.one(of: pool.products).text)
      let version = random.one(of: Self.versions)
      return maybe(1, in: 2)
        ? "{\"product\":\(product)}" : "{\"product\":\(product),\"contentVersion\":\"\(version)\"}"
    }
    text.set("products", raw: "[" + products.joined(separator: ",") + "]")
    let invalid = (0..<random.below(3)).map { _ in
      DataText.quoted(random.one(of: pool.products).text)
    }
    if maybe(1, in: 2) { text.set("invalid", raw: "[" + invalid.joined(separator: ",") + "]") }
  }

  private mutating func purchase(_ text: inout DataText, isSigned: Bool) {
    if maybe(1, in: 2) { text.set("purchasedAt", time: near()) }
    if maybe(1, in: 4) { text.set("expiresAt", time: near()) }
    if maybe(1, in: 5) { text.set("quantity", raw: "\(1 + random.below(3))") }
    if maybe(1, in: 5) { text.set("ownership", random.one(of: ["purchased", "familyShared"])) }
    if maybe(1, in: 6) { text.set("isUpgraded", maybe(3, in: 4)) }
    if maybe(1, in: 10) {
      text.set("price", "4.990")
      text.set("currency", "EUR")
    }
    sign(&text, isSigned ? 3 : 1, in: 4)
    guard maybe(1, in: 3) else { return }
    let downloads = (0..<(1 + random.below(2))).map { _ in
      announcement(random.one(of: pool.downloads))
    }
    text.set("downloads", raw: "[" + downloads.joined(separator: ",") + "]")
  }

  /// Returns one entry of a delivery's `downloads`.
  mutating func announcement(_ download: Name) -> String {
    var entry = "{\"download\":\(DataText.quoted(download.text))"
    if maybe(1, in: 2) { entry += ",\"contentVersion\":\"\(random.one(of: Self.versions))\"" }
    if maybe(1, in: 3) { entry += ",\"host\":\"\(random.one(of: ["store", "store", "own"]))\"" }
    return entry + "}"
  }

  private mutating func download(_ text: inout DataText, _ kind: EventKind) {
    if maybe(1, in: 5) { text.set("host", random.one(of: ["store", "store", "own"])) }
    if maybe(1, in: 4) { text.set("contentVersion", random.one(of: Self.versions)) }
    switch kind {
    case .downloadRequested, .downloadPauseRequested, .downloadResumeRequested,
      .downloadCancelRequested:
      return
    default: break
    }
    if maybe(3, in: 4) {
      text.set("progress", raw: random.one(of: ["0", "0.0", "0.25", "0.50", "0.5", "0.75", "1.0"]))
    }
    if maybe(1, in: 4) { text.set("timeRemaining", raw: "-1") }
    if kind == .downloadFailed, maybe(1, in: 2) { fail(&text) }
    if maybe(1, in: 8) { text.set("contentURL", "file:///var/mobile/Caches/a b.zip") }
  }

  private mutating func content(_ text: inout DataText, _ kind: EventKind) {
    let isNeeded = kind == .contentInstalled || kind == .contentVersionPublished
    if isNeeded || maybe(1, in: 3) { text.set("contentVersion", random.one(of: Self.versions)) }
    guard kind == .contentInstalled else { return }
    if maybe(1, in: 2) { text.set("path", random.one(of: ["/a", "/a", "/b"])) }
    if maybe(1, in: 2) { text.set("digest", random.one(of: ["sha256:1", "sha256:1", "sha256:2"])) }
    if maybe(1, in: 4) { text.set("excludedFromBackup", maybe(1, in: 2)) }
  }

  private mutating func subscription(_ text: inout DataText, _ kind: EventKind) {
    sign(&text, 1, in: 2)
    if kind == .subscriptionGracePeriodEntered, maybe(3, in: 4) {
      text.set("gracePeriodExpiresAt", time: near())
    }
    let dates =
      kind == .subscriptionExpired || kind == .subscriptionRenewalExtended
      || kind == .subscriptionBillingRecovered || kind == .subscriptionGracePeriodEntered
    if dates, maybe(1, in: 2) { text.set("expiresAt", time: near()) }
    if kind == .subscriptionPlanChanged { text.set("toProduct", random.one(of: pool.products)) }
    if kind == .subscriptionAutoRenewChanged { text.set("autoRenew", maybe(1, in: 2)) }
  }

  private mutating func grant(_ text: inout DataText, _ event: inout Event) {
    if maybe(2, in: 3) { event.product = random.one(of: pool.products) }
    if event.product == nil || maybe(1, in: 3) {
      text.set("entitlement", random.one(of: ["pro", "vip", "non"]))
    }
    if event.type.kind == .entitlementGranted, maybe(1, in: 2) { text.set("until", time: near()) }
    text.set("operator", "eve")
  }

  private func fail(_ text: inout DataText) {
    text.set("error", raw: #"{"domain":"SKErrorDomain","code":2,"message":"no \"way\""}"#)
  }

  private mutating func rest(_ text: inout DataText, _ kind: EventKind) {
    switch kind {
    case .paymentsChecked: text.set("allowed", maybe(1, in: 2))
    case .paymentAdded: if maybe(1, in: 3) { text.set("quantity", raw: "2") }
    case .transactionFailed:
      if maybe(1, in: 2) { fail(&text) }
      sign(&text, 1, in: 12)
    case .transactionFinished, .transactionDeferred, .transactionPurchasing, .transactionRemoved:
      sign(&text, 1, in: 12)
    case .sessionStarted:
      text.set("appVersion", random.one(of: ["1.0", "1.1", "2.0"]))
      text.set("systemVersion", "14.1")
    case .storefrontChanged: text.set("storefront", "DEU")
    case .notificationReceived: text.set("notificationType", "TEST")
    case .importReceived: text.set("format", "verify-receipt")
    case .operatorActed:
      text.set("action", "export")
      text.set("operator", "eve")
    case .noteAdded: text.set("text", "called\nagain")
    case .productPageRequested: text.set("storeItem", "284417350")
    default: break
    }
  }
}
