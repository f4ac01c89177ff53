import LedgerEvents

/// One product of a StoreKit configuration, as an entry of `catalog.set`.
struct ConfiguredProduct {
  let name: Name
  /// The location in the file.
  let path: String
  let entry: JSONValue

  init(_ entry: StoreObject, group: String?, locale: String) throws(ImportError) {
    guard let product = try entry.text("productID") else {
      throw ImportError(
        .missing, path: entry.path(of: "productID"), reason: "every product needs a productID",
        remedy: "Give the product an identifier in Xcode and save the file")
    }
    name = Name(product)
    path = entry.path
    var members = [("product", product), ("kind", try Self.kind(of: entry))]
    if let title = try Self.title(of: entry, locale: locale) { members.append(("title", title)) }
    if let duration = try Self.duration(of: entry) { members.append(("duration", duration)) }
    let stated = try entry.text("subscriptionGroupID")
    if let group = group ?? stated { members.append(("subscriptionGroup", group)) }
    self.entry = .object(members.map { (name: $0.0, value: .string($0.1)) })
  }

  private static func kind(of entry: StoreObject) throws(ImportError) -> String {
    switch try entry.text("type") {
    case "Consumable": return "consumable"
    case "NonConsumable": return "nonConsumable"
    case "NonRenewingSubscription": return "nonRenewing"
    case "RecurringSubscription": return "autoRenewable"
    case let type:
      throw ImportError(
        type == nil ? .missing : .badValue, path: entry.path(of: "type"),
        reason: "expected Consumable, NonConsumable, NonRenewingSubscription or "
          + "RecurringSubscription, found \(type.map { "\"\($0)\"" } ?? "none")",
        remedy: "Check that Xcode wrote the file")
    }
  }

  /// Returns the name in the configuration's own language, else the first name, else the reference
  /// name.
  private static func title(
    of entry: StoreObject, locale: String
  ) throws(ImportError) -> String? {
    var first: String?
    for localization in try entry.objects("localizations") {
      guard let name = try localization.text("displayName") else { continue }
      if try localization.text("locale") == locale { return name }
      first = first ?? name
    }
    if let first { return first }
    return try entry.text("referenceName")
  }

  private static func duration(of entry: StoreObject) throws(ImportError) -> String? {
    guard let text = try entry.text("recurringSubscriptionPeriod") else { return nil }
    guard CalendarDuration(iso8601: text) != nil else {
      throw ImportError(
        .badValue, path: entry.path(of: "recurringSubscriptionPeriod"),
        reason: "expected an ISO 8601 duration such as P1M, found \"\(text)\"",
        remedy: "Check that Xcode wrote the file")
    }
    return text
  }
}
