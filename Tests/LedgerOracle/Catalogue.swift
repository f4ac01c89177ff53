import LedgerEvents

/// The entry of a product in `catalog.set` at one instant.
struct CatalogueEntry {
  var at: Int64
  var app: Name?
  var kind: String
  var entitlements: [Name]
  var grants: [(unit: Name, amount: Int64)]
  var duration: String?
}

/// The entries of one environment's products, in the fold order.
struct Catalogue {
  private var entries: [Name: [CatalogueEntry]] = [:]

  init(_ events: [Seen]) {
    for seen in events where seen.kind == .catalogSet {
      var named: [Name: CatalogueEntry] = [:]
      for text in seen.value("products")?.elements ?? [] {
        guard let product = text["product"]?.string, let kind = text["kind"]?.string else {
          continue
        }
        let entry = CatalogueEntry(
          at: seen.at, app: seen.event.app, kind: kind,
          entitlements: text["entitlements"]?.elements.compactMap { $0.string.map { Name($0) } }
            ?? [],
          grants: text["grants"]?.members.map { (Name($0.name), $0.value.integer ?? 0) } ?? [],
          duration: text["duration"]?.string)
        named[Name(product)] = entry
      }
      for (product, entry) in named { entries[product, default: []].append(entry) }
    }
  }

  /// Returns the entry that a fact about `product` uses: the one in force at its instant, else the
  /// first one after it.
  func entry(of product: Name, usedBy seen: Seen) -> CatalogueEntry? {
    let matching = (entries[product] ?? []).filter {
      $0.app == nil || seen.event.app == nil || $0.app == seen.event.app
    }
    return matching.last { $0.at <= seen.at } ?? matching.first
  }

  /// Returns the entry in force at a moment, of any app.
  func entry(of product: Name, at moment: Int64) -> CatalogueEntry? {
    (entries[product] ?? []).last { $0.at <= moment }
  }
}
