import LedgerEvents

extension EnvironmentState {
  /// Notes that an event named a version of a product (`model.md` 18). `download` is the index of
  /// the download that states the version. It remembers the product, so that a burst of events is
  /// not noted again and again.
  mutating func observe(_ version: Name, of product: NameNumber, download: Int, _ step: Step) {
    if product == 0 { return }
    observe(version, of: product, step)
    downloads[download].observedProduct = product
  }

  private mutating func observe(_ version: Name, of product: NameNumber, _ step: Step) {
    if isObserved(version, of: product) { return }
    append(VersionObservation(product: product, version: version, key: step.key))
  }

  /// The versions that a `catalog.received` offers.
  mutating func observeOffered(_ fact: Fact, _ step: Step) {
    guard let offered = fact.detail?.fields.offered else { return }
    for one in offered {
      if let version = one.contentVersion { observe(version, of: one.product, step) }
    }
  }

  mutating func publish(_ fact: Fact, _ step: Step) {
    guard let version = fact.detail?.fields.contentVersion, fact.product != 0 else { return }
    published.append(
      PublishedVersion(
        product: fact.product, version: version, key: step.key,
        finding: finding(.versionNotIncreased, fact, step, detail: version)))
    observe(version, of: fact.product, step)
  }
}
