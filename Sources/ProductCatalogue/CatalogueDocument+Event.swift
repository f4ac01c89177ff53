public import LedgerEvents
internal import LedgerStore
internal import StoreImport

extension CatalogueDocument {
  /// The `catalog.set` of the document.
  public func event(id: Name, at time: Instant, operator: String? = nil) -> Event {
    var data = EventData.Builder()
    data.set("products", .array(products))
    data.set("operator", `operator`)
    return Event(
      id: id, type: EventType(.catalogSet), occurredAt: time, source: EventSource(.operator),
      environment: scope.environment, app: scope.app, data: data.build())
  }

  /// The id that the document's `catalog.set` has: made of all that it says and of the time from
  /// which it counts, so that one catalogue set twice from one time is one event.
  public func identifier(at time: Instant, operator: String?) -> Name {
    // Names are not empty, so that an empty text is one that is absent.
    let parts = [
      scope.app?.text, scope.environment?.text, String(time.microseconds), `operator`,
      String(decoding: JSONValue.array(products).json, as: UTF8.self),
    ]
    return Name("catalog:" + Digest.hex(parts.map { $0 ?? "" }))
  }

  /// Reads a `.storekit` file: what it says of products, by the importer of such files.
  static func storekit(_ bytes: [UInt8], name: String) throws(CatalogueError) -> Self {
    do throws(ImportError) {
      let events = try StoreKitConfiguration.events(
        from: bytes, options: ImportOptions(fileName: name),
        effective: .stated(Instant(microseconds: 0)))
      let products = events.lazy.compactMap { $0.data.array("products") }.first ?? []
      guard !products.isEmpty else {
        throw ImportError(
          .missing, reason: "expected at least one product, found none",
          remedy: "Add the products in Xcode and save the file")
      }
      return Self(format: .storekit, products: products)
    } catch {
      throw CatalogueError(path: error.path, reason: "\(error.reason). \(error.remedy)")
    }
  }

  private init(format: Format, products: [JSONValue]) {
    self.format = format
    self.products = products
    scope = CatalogueScope()
  }

  /// The document with what its format cannot say taken from the entries in force: a `.storekit`
  /// file knows no entitlements, grants and delivery, and setting it must not take them away.
  func completed(by known: (Name) throws(LedgerError) -> CatalogueAnswer?) throws(LedgerError)
    -> Self
  {
    guard format == .storekit else { return self }
    var document = self
    for place in products.indices {
      guard let name = products[place]["product"]?.string,
        let entry = try known(Name(name))?.entry, var members = products[place].object
      else { continue }
      for member in Self.sellersOwnMembers where products[place][member] == nil {
        // What a product of another kind granted is not this one's.
        if member == "grants", products[place]["kind"]?.string != "consumable" { continue }
        if let value = entry[member] { members.append((member, value)) }
      }
      document.products[place] = .object(members)
    }
    return document
  }
}
