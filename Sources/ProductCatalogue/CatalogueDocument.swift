public import LedgerEvents
internal import LedgerQueries

/// A catalogue to be set, as a person writes it or as Xcode saves it.
///
/// `Schemas/catalogue.schema.json` describes the document.
public struct CatalogueDocument: Sendable {
  /// The format of the bytes.
  public enum Format: String, Sendable {
    /// The documented JSON format.
    case catalogue
    /// A StoreKit configuration from Xcode.
    case storekit
  }

  public var format: Format
  /// The app and environment that the document states.
  public var scope: CatalogueScope
  /// When the catalogue takes effect; `nil` if the document does not say.
  public var effective: Instant?
  /// The entries, each an object that a `catalog.set` may hold.
  public var products: [JSONValue]

  /// The most products in one document: the store allows 10,000 an app (App Store Connect Help,
  /// *Overview for configuring in-app purchases*).
  public static let productCountMax = 10_000

  private static let members = ["$schema", "app", "environment", "effective", "products"]
  private static let productMembers = [
    "product", "kind", "title", "entitlements", "grants", "duration", "subscriptionGroup",
    "delivery",
  ]

  /// Reads a document. A `.storekit` file is recognized by its name or its members.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - name: The file's name.
  /// - Throws: ``CatalogueError`` with the path in the document, or with the line and column if it
  ///   is not JSON.
  /// - Complexity: O(*n*) in the number of bytes.
  public init(_ bytes: [UInt8], name: String) throws(CatalogueError) {
    guard bytes.count <= eventSizeBytesMax else {
      throw CatalogueError(
        reason: "has \(bytes.count) bytes, more than the \(eventSizeBytesMax) of one catalogue")
    }
    if Self.isStoreKit(bytes, name: name) {
      self = try Self.storekit(bytes, name: name)
      return
    }
    let value: JSONValue
    do throws(EventError) { value = try JSONValue(document: bytes) } catch {
      throw CatalogueError(
        path: "line \(error.line), column \(error.column)", reason: error.reason)
    }
    guard value.object != nil else {
      throw CatalogueError(reason: "expected an object with products, found something else")
    }
    try Self.refuseUnknown(value, Self.members, path: "")
    format = .catalogue
    scope = CatalogueScope()
    products = []
    try readScope(value)
    try readProducts(value)
    try check()
  }

  /// Whether the file has the extension, or members that only a StoreKit configuration has.
  private static func isStoreKit(_ bytes: [UInt8], name: String) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    return name.hasSuffix(".storekit")
      || ["\"nonRenewingSubscriptions\"", "\"subscriptionGroups\""].contains { text.contains($0) }
  }

  private mutating func readScope(_ value: JSONValue) throws(CatalogueError) {
    if let app = value["app"] {
      guard let text = app.string, (1...nameBytesMax).contains(text.utf8.count) else {
        throw CatalogueError(
          path: "app", reason: "expected a bundle identifier of 1 to \(nameBytesMax) bytes")
      }
      scope.app = Name(text)
    }
    if let environment = value["environment"] {
      guard let found = environment.string.flatMap({ StoreEnvironment(text: $0) }) else {
        let known = StoreEnvironment.allCases.map(\.text).joined(separator: ", ")
        throw CatalogueError(
          path: "environment",
          reason: "expected one of \(known); leave it out where it counts in every one")
      }
      scope.environment = found
    }
    if let effective = value["effective"] {
      guard let time = effective.instant else {
        throw CatalogueError(
          path: "effective",
          reason: "expected a time of RFC 3339 with an offset, such as \"2026-03-01T09:00:00Z\"")
      }
      self.effective = time
    }
  }

  private mutating func readProducts(_ value: JSONValue) throws(CatalogueError) {
    guard let field = value["products"] else {
      throw CatalogueError(path: "products", reason: "expected an array of products, found nothing")
    }
    guard let found = field.array else {
      throw CatalogueError(path: "products", reason: "expected an array of products")
    }
    guard !found.isEmpty else {
      throw CatalogueError(
        path: "products", reason: "expected at least one product: an empty catalogue sets nothing")
    }
    guard found.count <= Self.productCountMax else {
      throw CatalogueError(
        path: "products",
        reason: "expected at most \(Self.productCountMax) products, found \(found.count)")
    }
    for (index, product) in found.enumerated() where product.object != nil {
      try Self.refuseUnknown(product, Self.productMembers, path: "products[\(index)]")
    }
    products = found
  }

  /// An unknown member is a typing mistake: the event would store it without any effect.
  private static func refuseUnknown(
    _ value: JSONValue, _ known: [String], path: String
  ) throws(CatalogueError) {
    for member in value.object ?? [] where !known.contains(member.name) {
      throw CatalogueError(
        path: path.isEmpty ? member.name : "\(path).\(member.name)",
        reason: "expected one of the members \(known.joined(separator: ", ")); no other is known "
          + "here")
    }
  }

  /// Checks the entries against the rules for events, and that each product has only one entry.
  func check() throws(CatalogueError) {
    do throws(EventError) {
      try event(id: "catalogue", at: effective ?? Instant(microseconds: 0)).validate()
    } catch {
      let field = error.field.hasPrefix("data.") ? String(error.field.dropFirst(5)) : error.field
      throw CatalogueError(path: field, reason: error.reason)
    }
    var firsts: [Name: Int] = [:]
    for (index, product) in products.enumerated() {
      guard let name = product["product"]?.string.map({ Name($0) }) else { continue }
      if let first = firsts.updateValue(index, forKey: name) {
        throw CatalogueError(
          path: "products[\(index)].product",
          reason: "expected each product once, found \"\(name)\" in products[\(first)] already")
      }
      if let duration = product["duration"]?.string, product["kind"]?.string == "consumable" {
        throw CatalogueError(
          path: "products[\(index)].duration",
          reason: "expected none: a consumable lasts for no time, found \"\(duration)\"")
      }
      if product["grants"] != nil, product["kind"]?.string != "consumable" {
        throw CatalogueError(
          path: "products[\(index)].grants",
          reason: "expected none: only a consumable credits a balance; give it entitlements")
      }
    }
  }
}
