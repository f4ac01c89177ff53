internal import LedgerEvents
internal import LedgerModel

/// Details of facts that are the same in every run of a scenario, made once and shared.
struct SharedDetails: Sendable {
  /// For the `catalog.set` before all other events.
  let catalog: FactDetail
  /// For a failure.
  let error: FactDetail
  let allowed: FactDetail
  let notAllowed: FactDetail
  /// For an event that states only a content version, by the version's rank.
  let versions: [FactDetail]
  /// For an install that was excluded from the backup, by the version's rank.
  let installs: [FactDetail]
  /// What a delivery announces, by product and the version's rank.
  let downloads: [[[FactDetail.Announced]]]

  init(catalog: [ProductDefinition], products: [Cast.Product], versions: [Name]) {
    self.catalog = FactDetail { $0.definitions = catalog }
    error = FactDetail { $0.hasError = true }
    allowed = FactDetail { $0.allowed = true }
    notAllowed = FactDetail { $0.allowed = false }
    self.versions = versions.map { version in FactDetail { $0.contentVersion = version } }
    installs = versions.map { version in
      FactDetail {
        $0.contentVersion = version
        $0.excludedFromBackup = true
      }
    }
    downloads = products.map { product in
      versions.map { version in
        product.parts.indices.map { part in
          FactDetail.Announced(
            download: product.firstDownload + NameNumber(part), contentVersion: version, host: nil)
        }
      }
    }
  }
}

extension FactDetail {
  /// The default fields, changed by `change`.
  fileprivate convenience init(_ change: (inout Fields) -> Void) {
    var fields = Fields()
    change(&fields)
    self.init(fields)
  }
}
