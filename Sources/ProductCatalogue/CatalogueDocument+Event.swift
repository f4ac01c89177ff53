public import LedgerEvents
internal import LedgerQueries
public import StoreImport

extension CatalogueDocument {
  /// The document as a `catalog.set` event.
  public func event(id: Name, at time: Instant, operator: String? = nil) -> Event {
    var data = EventData.Builder()
    data.set("products", .array(products))
    data.set("operator", `operator`)
    return Event(
      id: id, type: EventType(.catalogSet), occurredAt: time, source: EventSource(.operator),
      environment: scope.environment, app: scope.app, data: data.build())
  }

  /// The id of the document's `catalog.set`. It depends on the document's whole content and on the
  /// time from which it applies, so setting the same catalogue twice from the same time gives one
  /// event.
  public func identifier(at time: Instant, operator: String?) -> Name {
    // A name is never empty, so an empty text means that the member is absent.
    let parts = [
      scope.app?.text, scope.environment?.text, String(time.microseconds), `operator`,
      String(decoding: JSONValue.array(products).json, as: UTF8.self),
    ]
    return Name("catalog:" + Digest.hex(parts.map { $0 ?? "" }))
  }

  /// Reads a `.storekit` file with StoreImport.
  static func storekit(_ bytes: [UInt8], name: String) throws(CatalogueError) -> Self {
    do throws(ImportError) {
      let document = try Self(storekit: bytes, name: name)
      guard !document.products.isEmpty else {
        throw ImportError(
          .missing, reason: "expected at least one product, found none",
          remedy: "Add the products in Xcode and save the file")
      }
      return document
    } catch {
      throw CatalogueError(path: error.path, reason: "\(error.reason). \(error.remedy)")
    }
  }

  /// Reads a StoreKit configuration from Xcode. It may be without products.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - name: The file's name.
  /// - Throws: `ImportError`.
  /// - Complexity: O(*n*) in the number of bytes.
  public init(storekit bytes: [UInt8], name: String) throws(ImportError) {
    self.init(
      format: .storekit, products: try StoreKitConfiguration.products(in: bytes, fileName: name))
  }

  private init(format: Format, products: [JSONValue]) {
    self.format = format
    self.products = products
    scope = CatalogueScope()
  }

  /// The document with the members that its format cannot state filled in from the entries in
  /// force. A `catalog.set` replaces whole entries, and a `.storekit` file says nothing about
  /// entitlements, grants, delivery or the duration of non-renewing products. Setting such a file
  /// must not remove them.
  func completed(by known: (Name) -> CatalogueAnswer?) -> Self {
    guard format == .storekit else { return self }
    var document = self
    for index in products.indices {
      guard let name = products[index]["product"]?.string,
        let entry = known(Name(name))?.entry, var members = products[index].object
      else { continue }
      let kind = products[index]["kind"]?.string ?? ""
      for member in entry.object ?? []
      where products[index][member.name] == nil && Self.stays(member.name, as: kind) {
        members.append(member)
      }
      document.products[index] = .object(members)
    }
    return document
  }

  /// Whether a member still applies to a product of this kind. For example, the grant or the
  /// duration of a product that had another kind does not.
  private static func stays(_ member: String, as kind: String) -> Bool {
    switch member {
    case "grants": kind == "consumable"
    case "duration": kind == "nonRenewing" || kind == "autoRenewable"
    case "subscriptionGroup": kind == "autoRenewable"
    default: true
    }
  }
}
