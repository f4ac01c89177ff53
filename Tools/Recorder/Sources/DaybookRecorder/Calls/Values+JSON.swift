extension HostedContent {
  var json: JSON {
    var members = EventData()
    members.set("download", .string(identifier))
    members.set("contentVersion", version)
    members.set("contentLength", length)
    return .object(members.members)
  }
}

extension OfferedProduct {
  var json: JSON {
    var members = EventData()
    members.set("product", .string(product))
    members.set("title", title)
    members.set("description", description)
    members.set("price", amount: price)
    members.set("currency", currency)
    members.set("priceLocale", priceLocale)
    members.set("storefront", storefront)
    members.set("downloadable", isDownloadable)
    members.set("contentVersion", contentVersion)
    if !contentLengths.isEmpty {
      members.set("contentLengths", .array(contentLengths.map { .number(String($0)) }))
    }
    return .object(members.members)
  }
}

extension JSON {
  /// From 0 to 1 with the digits of a `Float`; nil for what is no number. The store has reported
  /// values beyond 1, which the ledger does not accept.
  static func progress(_ value: Float) -> JSON? {
    guard value.isFinite else { return nil }
    let bounded = min(max(value, 0), 1)
    return .number(bounded == 0 ? "0" : bounded == 1 ? "1" : "\(bounded)")
  }

  /// Seconds with their fraction; −1 is the constant for a time that is not known.
  static func seconds(_ value: Double) -> JSON? {
    guard value.isFinite else { return nil }
    return .number(value == -1 ? "-1" : "\(value)")
  }
}
