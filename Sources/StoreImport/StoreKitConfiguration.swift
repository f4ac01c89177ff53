public import LedgerEvents

/// StoreKit configuration files (`.storekit`, as Xcode writes them).
///
/// Read are `products`, `nonRenewingSubscriptions` and the `subscriptions` of each of the
/// `subscriptionGroups`: product, kind, title, duration and group. All file versions to 5 have
/// these; other members, and versions to come, do not matter. A file does not say what a product
/// entitles to or grants, how content is delivered, or how long a non-renewing subscription lasts.
/// It states no environment: products are the same in all.
///
/// A `catalog.set` replaces the entries that it names whole. What is read here must therefore be
/// merged with the entries in force before it is appended, as `CatalogueDocument` does.
public enum StoreKitConfiguration {
  /// The name of this format, as `import.received` states it.
  public static let format = ImportFormat.storekitConfig.rawValue

  /// The products of a file, each as an entry of `catalog.set`; none where it has no products.
  ///
  /// - Throws: `ImportError`.
  /// - Complexity: O(*n*) in the number of bytes.
  public static func products(
    in bytes: [UInt8], fileName: String
  ) throws(ImportError) -> [JSONValue] {
    do throws(ImportError) {
      let document = try StoreJSONReader.document(bytes)
      guard case .object = document else { throw notAConfiguration(document.described) }
      return try products(of: try StoreObject(document, path: "")).map(\.entry)
    } catch {
      throw error.of(file: ImportOptions(fileName: fileName).baseName)
    }
  }

  /// The `import.received` that goes before the `catalog.set` of a file.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - options: The file's name, and the app and environment that it is for.
  ///   - effective: From when the catalogue counts.
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
        reason: "the product \"\(product.name)\" stands in \(first) already",
        remedy: "Give each product one entry: which of the two counts is not to be guessed")
    }
  }
}
