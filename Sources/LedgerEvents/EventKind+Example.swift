extension EventKind {
  /// A line of JSON Lines with an event of this type, as a recorder would write it; `nil` for
  /// `unknown`.
  ///
  /// The examples follow one customer. Each one is valid alone, and one ledger accepts all of them.
  package var example: String? {
    guard let parts = exampleParts else { return nil }
    let time = "2026-03-\(parts.time)Z"
    var line = #"{"id":"\#(exampleID(at: time))","type":"\#(text)","occurredAt":"\#(time)","#
    line += parts.envelope
    if !parts.data.isEmpty { line += ",\"data\":{\(parts.data)}" }
    return line + "}"
  }

  /// A UUIDv7 (RFC 9562): the time in milliseconds, then the type's number in place of random bits.
  private func exampleID(at time: String) -> String {
    let milliseconds = (Instant(rfc3339: time)?.microseconds ?? 0) / 1_000
    let hex = String(milliseconds, radix: 16)
    let digits = String(repeating: "0", count: 12 - hex.count) + hex
    let number = String(rawValue, radix: 16)
    return digits.prefix(8) + "-" + digits.suffix(4) + "-7000-8000-"
      + String(repeating: "0", count: 12 - number.count) + number
  }
}

/// The parts of an example: its day and time in March 2026, the other fields of the envelope, and
/// the members of `data`.
private struct ExampleParts {
  var time: String
  var envelope: String
  var data: String

  /// An event that a recorder in the app writes.
  static func phone(_ time: String, _ envelope: String = "", data: String = "") -> Self {
    let recorder =
      #""source":"storekit1","app":"com.example.trails","account":"hiker-1","device":"phone-1","#
      + #""session":"launch-1""#
    return Self(
      time: time, envelope: recorder + (envelope.isEmpty ? "" : "," + envelope), data: data)
  }

  /// An event about something the app itself did.
  static func app(_ time: String, _ envelope: String = "", data: String = "") -> Self {
    let parts = phone(time, envelope, data: data)
    let kept = parts.envelope.dropFirst(#""source":"storekit1""#.utf8.count)
    return Self(time: time, envelope: #""source":"app""# + kept, data: data)
  }

  /// An event from a notification of the store's server.
  static func server(_ time: String, _ envelope: String = "", data: String = "") -> Self {
    let server = #""source":"notification","environment":"production","app":"com.example.trails""#
    return Self(
      time: time, envelope: server + (envelope.isEmpty ? "" : "," + envelope), data: data)
  }

  static func `operator`(_ time: String, _ envelope: String = "", data: String = "") -> Self {
    Self(
      time: time, envelope: #""source":"operator""# + (envelope.isEmpty ? "" : "," + envelope),
      data: data)
  }
}

// MARK: - Values in the examples

private let map = #""product":"com.example.trails.alps""#
private let plus = #""product":"com.example.trails.plus.monthly""#
private let bought = #""transaction":"2000000201""#
private let download = #""download":"alps-1""#
private let mapDownload = map + "," + bought + "," + download
private let period = #""transaction":"2000000302","originalTransaction":"2000000301""#
private let declined = #"{"domain":"SKErrorDomain","code":2,"message":"The card was declined."}"#
private let offline =
  #"{"domain":"NSURLErrorDomain","code":-1009,"message":"The device is offline."}"#
private let diskFull =
  #"{"domain":"NSCocoaErrorDomain","code":640,"message":"There is no space left."}"#

extension EventKind {
  private var exampleParts: ExampleParts? {
    switch self {
    case .unknown: nil
    case .sessionStarted:
      .app(
        "01T10:00:00", #""sequence":1"#,
        data: #""appVersion":"3.2","systemVersion":"26.1","storefront":"DEU","language":"de""#)
    case .sessionBackgrounded: .app("01T10:20:00")
    case .sessionForegrounded: .app("01T10:25:00")
    case .sessionEnded: .app("01T11:00:00", data: #""reason":"closed by the customer""#)
    case .sessionObserverAdded: .phone("01T10:00:01", #""sequence":2"#)
    case .sessionObserverRemoved: .phone("01T10:59:59")
    case .catalogSet:
      .operator(
        "01T09:00:00", #""app":"com.example.trails""#,
        data: #""products":["#
          + #"{"product":"com.example.trails.alps","kind":"nonConsumable","title":"Alps","#
          + #""entitlements":["maps"],"delivery":"store"},"#
          + #"{"product":"com.example.trails.plus.monthly","kind":"autoRenewable","#
          + #""entitlements":["plus"],"duration":"P1M","subscriptionGroup":"plus"},"#
          + #"{"product":"com.example.trails.routes10","kind":"consumable","#
          + #""grants":{"routes":10}}]"#)
    case .catalogRequested:
      .phone("01T10:00:02", data: #""requested":["com.example.trails.alps","alps"]"#)
    case .catalogReceived:
      .phone(
        "01T10:00:03",
        data: #""products":[{"product":"com.example.trails.alps","title":"Alps","price":"7.99","#
          + #""currency":"EUR","priceLocale":"de_DE","downloadable":true,"contentVersion":"2.0","#
          + #""contentLengths":[146800640]}],"invalid":["alps"]"#)
    case .catalogFailed: .phone("01T10:00:04", data: "\"error\":" + offline)
    case .contentVersionPublished:
      .operator("02T09:00:00", map, data: #""contentVersion":"2.1","contentLengths":[150994944]"#)
    case .paymentsChecked: .phone("01T10:00:05", data: #""allowed":true"#)
    case .paymentAdded:
      .phone(
        "01T10:01:00", #""payment":"payment-1","# + map,
        data: #""quantity":1,"displayedPrice":"7.99","currency":"EUR""#)
    case .transactionPurchasing: .phone("01T10:01:01", #""payment":"payment-1","# + map)
    case .transactionDeferred:
      .phone("05T10:01:00", #""payment":"payment-2","product":"com.example.trails.coast""#)
    case .transactionPurchased:
      .phone(
        "01T10:01:05", #""payment":"payment-1","# + map + "," + bought,
        data: #""quantity":1,"purchasedAt":"2026-03-01T10:01:04Z","price":"7.99","#
          + #""currency":"EUR","storefront":"DEU","downloads":[{"download":"alps-1","#
          + #""contentVersion":"2.0","contentLength":146800640}]"#)
    case .transactionRestored:
      .phone(
        "09T10:01:00",
        map + #","transaction":"2000000299","originalTransaction":"2000000201""#,
        data: #""downloads":[{"download":"alps-1","contentVersion":"2.1"}]"#)
    case .transactionFailed:
      .phone(
        "06T10:01:00", #""payment":"payment-3","product":"com.example.trails.coast""#,
        data: #""error":\#(declined),"cancelled":false"#)
    case .transactionFinished: .phone("01T10:04:00", bought)
    case .transactionRemoved: .phone("01T10:04:01", bought)
    case .transactionAssigned:
      .operator(
        "03T09:00:00", #""account":"hiker-1","# + bought,
        data: #""reason":"ticket 4711","operator":"kim""#)
    case .receiptSubmitted: .app("01T10:03:00", bought)
    case .receiptAccepted: .app("01T10:03:01", bought, data: #""status":0"#)
    case .receiptRejected: .app("06T10:03:01", data: #""status":21003"#)
    case .purchaseFulfilled: .app("01T10:03:02", bought)
    case .purchaseFulfillmentFailed:
      .app("01T10:02:59", bought, data: "\"error\":" + offline)
    case .restoreRequested: .phone("09T10:00:00")
    case .restoreCompleted: .phone("09T10:02:00")
    case .restoreFailed: .phone("08T10:02:00", data: "\"error\":" + offline)
    case .downloadRequested: .phone("01T10:01:06", mapDownload)
    case .downloadPauseRequested: .phone("01T10:01:20", mapDownload)
    case .downloadResumeRequested: .phone("01T10:01:40", mapDownload)
    case .downloadCancelRequested:
      .phone("07T10:01:40", #""transaction":"2000000205","download":"coast-1""#)
    case .downloadWaiting:
      .phone("01T10:01:07", mapDownload, data: #""progress":0,"timeRemaining":-1"#)
    case .downloadProgressed:
      .phone("01T10:01:10", mapDownload, data: #""progress":0.31,"timeRemaining":42"#)
    case .downloadPaused: .phone("01T10:01:21", mapDownload, data: #""progress":0.48"#)
    case .downloadFinished:
      .phone(
        "01T10:02:30", mapDownload,
        data: #""progress":1,"contentVersion":"2.0","contentLength":146800640,"#
          + #""contentURL":"Library/Caches/StoreKit/7cbc222c/alps-1.zip""#)
    case .downloadFailed:
      .phone(
        "07T10:01:30", #""transaction":"2000000205","download":"coast-1""#,
        data: #""progress":0.12,"error":\#(offline)"#)
    case .downloadCancelled:
      .phone("07T10:01:41", #""transaction":"2000000205","download":"coast-1""#)
    case .contentInstallStarted:
      .app("01T10:02:31", mapDownload, data: #""contentVersion":"2.0""#)
    case .contentInstalled:
      .app(
        "01T10:02:40", mapDownload,
        data: #""contentVersion":"2.0","path":"Library/Maps/alps/2.0","bytes":161480704,"#
          + #""digest":"sha256:9f2c","excludedFromBackup":true"#)
    case .contentInstallFailed:
      .app(
        "02T10:02:40", map, data: #""contentVersion":"2.1","error":\#(diskFull)"#)
    case .contentActivated: .app("01T10:02:41", map, data: #""contentVersion":"2.0""#)
    case .contentRemoved: .app("10T10:00:00", map, data: #""contentVersion":"2.0""#)
    case .contentPurged: .app("01T12:00:00")
    case .contentHostingChanged:
      .operator("02T08:00:00", map, data: #""hosting":"readyToSubmit","contentVersion":"2.1""#)
    case .transactionRefundRequested:
      .server("11T10:00:00", bought, data: #""signedAt":"2026-03-11T10:00:01Z""#)
    case .transactionRefundDeclined:
      .server("12T10:00:00", bought, data: #""signedAt":"2026-03-12T10:00:01Z""#)
    case .transactionRefunded:
      .server(
        "13T10:00:00", bought,
        data: #""revokedAt":"2026-03-13T10:00:00Z","percent":100,"#
          + #""signedAt":"2026-03-13T10:00:01Z""#)
    case .transactionRefundReversed:
      .server("14T10:00:00", bought, data: #""signedAt":"2026-03-14T10:00:01Z""#)
    case .transactionRevoked:
      .server(
        "15T10:00:00", #""transaction":"2000000206""#,
        data: #""revokedAt":"2026-03-15T10:00:00Z","signedAt":"2026-03-15T10:00:01Z""#)
    case .subscriptionRenewed:
      .server(
        "16T10:00:00", #""account":"hiker-1","# + plus + "," + period,
        data: #""purchasedAt":"2026-03-16T10:00:00Z","expiresAt":"2026-04-16T10:00:00Z","#
          + #""price":"2.99","currency":"EUR","signedAt":"2026-03-16T10:00:01Z""#)
    case .subscriptionExpired:
      .server(
        "27T10:00:00", period, data: #""expiresAt":"2026-03-27T10:00:00Z","reason":"billing""#)
    case .subscriptionGracePeriodEntered:
      .server("20T10:00:00", period, data: #""gracePeriodExpiresAt":"2026-03-26T10:00:00Z""#)
    case .subscriptionBillingFailed: .server("26T10:00:00", period)
    case .subscriptionBillingRecovered:
      .server("28T10:00:00", period, data: #""expiresAt":"2026-04-28T10:00:00Z""#)
    case .subscriptionRenewalExtended:
      .server("17T10:00:00", period, data: #""expiresAt":"2026-04-23T10:00:00Z""#)
    case .subscriptionAutoRenewChanged: .server("18T10:00:00", period, data: #""autoRenew":false"#)
    case .subscriptionPlanChanged:
      .server("18T11:00:00", period, data: #""toProduct":"com.example.trails.plus.yearly""#)
    case .subscriptionPriceIncreased: .server("19T10:00:00", period, data: #""consented":false"#)
    case .subscriptionOfferRedeemed: .server("16T09:59:00", period, data: #""offer":"spring""#)
    case .consumableConsumed:
      .app(
        "21T10:00:00", #""product":"com.example.trails.routes10""#,
        data: #""unit":"routes","amount":1"#)
    case .entitlementGranted:
      .operator(
        "22T10:00:00", #""account":"hiker-1""#,
        data: #""entitlement":"plus","until":"2026-04-22T00:00:00Z","reason":"ticket 4711","#
          + #""operator":"kim""#)
    case .entitlementWithdrawn:
      .operator(
        "23T10:00:00", #""account":"hiker-1""#,
        data: #""entitlement":"plus","reason":"ticket 4711","operator":"kim""#)
    case .accountLinked:
      .operator("24T10:00:00", #""account":"hiker-1""#, data: #""to":"hiker-1-web""#)
    case .accountTransferred:
      .operator(
        "25T10:00:00", #""account":"hiker-2""#,
        data: #""to":"hiker-3","reason":"ticket 4712","operator":"kim""#)
    case .accountErased:
      .operator(
        "29T10:00:00", #""account":"hiker-4""#, data: #""reason":"request 88","operator":"kim""#)
    case .productPageRequested: .app("04T10:00:00", data: #""storeItem":"364147881""#)
    case .productPagePresented: .app("04T10:00:01", data: #""storeItem":"364147881""#)
    case .productPageFailed:
      .app("04T10:05:01", data: #""storeItem":"364147881","error":\#(offline)"#)
    case .productPageDismissed: .app("04T10:00:30", data: #""storeItem":"364147881""#)
    case .storefrontChanged: .phone("04T11:00:00", data: #""storefront":"AUT""#)
    case .notificationReceived: .server("04T12:00:00", data: #""notificationType":"TEST""#)
    case .importReceived:
      .operator(
        "04T13:00:00",
        data: #""format":"verify-receipt","file":"receipt.json","events":11,"verified":false"#)
    case .operatorActed:
      .operator(
        "04T14:00:00", data: #""action":"export","operator":"kim","reason":"books of March""#)
    case .noteAdded:
      .operator(
        "04T15:00:00", #""account":"hiker-1""#,
        data: #""text":"Called about the Alps map.","operator":"kim""#)
    }
  }
}
