public import LedgerEvents

/// Reads StoreKit configuration files (`.storekit`, as written by Xcode).
///
/// It reads `products`, `nonRenewingSubscriptions` and the `subscriptions` of each of the
/// `subscriptionGroups`: product, kind, title, duration and group. All file versions up to 5 have
/// these; other members and future versions do not matter. A file does not say which entitlements
/// or grants a product gives, how content is delivered, or how long a non-renewing subscription
/// lasts. It states no environment: products are the same in all environments.
///
/// A `catalog.set` replaces whole entries. The products read here must therefore be merged with the
/// entries in force before they are appended, as `CatalogueDocument` does.
public enum StoreKitConfiguration {
  /// The name of this format, as stated by `import.received`.
  public static let format = ImportFormat.storekitConfig.rawValue

  /// Returns the products of a file, each as an entry of `catalog.set`; none if the file has no
  /// products.
  ///
  /// - Throws: `ImportError`.
  /// - Complexity: O(*n*) in the number of bytes.
  public static func products(
    in bytes: [UInt8], fileName: String
  ) throws(ImportError) -> [JSONValue] {
    do throws(ImportError) {
      let document = try StoreJSONReader.document(bytes)
      guard document.isObject else { throw notAConfiguration(document.described) }
      return try products(of: try StoreObject(document, path: "")).map(\.entry)
    } catch {
      throw error.of(file: ImportOptions.baseName(of: fileName))
    }
  }

  /// Returns the `import.received` event that precedes the `catalog.set` of a file.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - options: The file's name, and the app and environment that it is for.
  ///   - effective: When the catalogue takes effect.
  /// - Complexity: O(*n*) in the number of bytes.
  public static func received(
    _ bytes: [UInt8], options: ImportOptions, effective: Instant
  ) -> Event {
    ImportBatch.received(
      format: format, bytes: bytes, events: 1, options: options, occurredAt: effective,
      app: options.app, environment: options.environment)
  }

  private static func notAConfiguration(_ found: String) -> ImportError {
    ImportError(
      .otherFormat, reason: "expected a StoreKit configuration with products, found \(found)",
      remedy: "Import the .storekit file of the Xcode project")
  }

  private static func products(
    of configuration: StoreObject
  ) throws(ImportError) -> [ConfiguredProduct] {
    let lists = ["products", "nonRenewingSubscriptions", "subscriptionGroups"]
    guard lists.contains(where: { configuration.members[$0] != nil }) else {
      let isReceipt = configuration.members["status"] != nil
      throw ImportError(
        .otherFormat,
        reason: "expected at least one of \(lists.joined(separator: ", ")), found none of them",
        remedy: isReceipt
          ? "This looks like an answer of verifyReceipt: import it as verify-receipt"
          : "Import the .storekit file of the Xcode project")
    }
    let locale = try configuration.object("settings")?.text("_locale") ?? "en_US"
    var products: [ConfiguredProduct] = []
    for list in lists.prefix(2) {
      for entry in try configuration.objects(list) {
        products.append(try ConfiguredProduct(entry, group: nil, locale: locale))
      }
    }
    for group in try configuration.objects("subscriptionGroups") {
      let name = try group.text("id")
      for entry in try group.objects("subscriptions") {
        products.append(try ConfiguredProduct(entry, group: name, locale: locale))
      }
    }
    try checkNoneTwice(products)
    return products
  }

  private static func checkNoneTwice(_ products: [ConfiguredProduct]) throws(ImportError) {
    var paths: [Name: String] = [:]
    for product in products {
      guard let first = paths.updateValue(product.path, forKey: product.name) else { continue }
      throw ImportError(
        .contradiction, path: product.path,
        reason: "the product \"\(product.name)\" is already in \(first)",
        remedy: "Give each product only one entry")
    }
  }
}
