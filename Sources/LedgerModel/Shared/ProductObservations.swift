public import LedgerEvents

/// What units have observed of one product in one environment: the versions that events named and
/// the digests that were installed. Observations of units merge into those of the ledger.
public struct ProductObservations: Sendable {
  /// A digest of one version and path, at the earliest event that states it.
  struct Digest: Sendable {
    var version: Name
    var pathHash: UInt64?
    var digest: Name
    var key: FoldKey
  }

  /// Each version once, at the earliest event that names it.
  var versions: [VersionObservation] = []
  var digests: [Digest] = []
  /// Content of the product that nobody holds was installed on some device. All such content counts
  /// as that of one holder (`model.md`, *Whose it is*).
  public internal(set) var isInstalledByNobody = false

  public init() {}

  public var isEmpty: Bool { versions.isEmpty && digests.isEmpty && !isInstalledByNobody }

  /// Merges what another unit observed of the same product and environment.
  ///
  /// - Complexity: O(*n* · *m*) in the versions and digests of both.
  public mutating func merge(_ other: ProductObservations, _ texts: any FactTexts) {
    for version in other.versions { add(version, texts) }
    for digest in other.digests { add(digest, texts) }
    if other.isInstalledByNobody { isInstalledByNobody = true }
  }

  /// The positions of the events that the observations depend on: one for each version, and one for
  /// each digest of a version and path.
  public var positions: [UInt64] {
    versions.map(\.key.position) + digests.map(\.key.position)
  }

  mutating func add(_ version: VersionObservation, _ texts: any FactTexts) {
    if let known = versions.firstIndex(where: { $0.version == version.version }) {
      if version.key.precedes(versions[known].key, texts) { versions[known] = version }
    } else {
      versions.append(version)
    }
  }

  mutating func add(_ digest: Digest, _ texts: any FactTexts) {
    let known = digests.firstIndex {
      $0.digest == digest.digest
        && $0.isOfTheSame(version: digest.version, pathHash: digest.pathHash)
    }
    if let known {
      if digest.key.precedes(digests[known].key, texts) { digests[known] = digest }
    } else {
      digests.append(digest)
    }
  }

  /// The version on offer, and the first event that named it (`model.md` 18).
  ///
  /// - Complexity: O(*n*) in the versions.
  public func onOffer(_ texts: any FactTexts) -> VersionObservation? {
    versions.max { $1.isOffered(over: $0, texts) }
  }

  func versionOnOffer(before key: FoldKey, _ texts: any FactTexts) -> Name? {
    versions.lazy.filter { $0.key.precedes(key, texts) }
      .max { $1.isOffered(over: $0, texts) }?.version
  }
}

extension ProductObservations.Digest {
  func isOfTheSame(version: Name, pathHash: UInt64?) -> Bool {
    self.pathHash == pathHash && VersionOrder.compare(self.version, version) == 0
  }
}

extension Unit {
  /// A product in an environment, for which observations are kept.
  public struct ObservedProduct: Hashable, Sendable {
    public var environment: StoreEnvironment
    public var product: NameNumber

    public init(environment: StoreEnvironment, product: NameNumber) {
      self.environment = environment
      self.product = product
    }
  }

  /// The products of which the unit observed a version or a digest, or content that nobody holds.
  public var observedProducts: [ObservedProduct] {
    environments.indices.flatMap { index in
      let environment = environments[index].environment
      var all = environments[index].versions.map(\.product)
      for digest in environments[index].digests { all.append(digest.product) }
      for content in environments[index].contents where content.holder == .nobody {
        all.append(content.product)
      }
      all.sort()
      var products: [ObservedProduct] = []
      for product in all where product != products.last?.product {
        products.append(ObservedProduct(environment: environment, product: product))
      }
      return products
    }
  }

  /// The products with events that are judged by what all units observed: published versions, and
  /// installs that state a digest.
  public var judgedProducts: Set<NameNumber> {
    var found: Set<NameNumber> = []
    for state in environments {
      found.formUnion(state.published.map(\.product))
      found.formUnion(state.digests.map(\.product))
    }
    return found
  }

  /// What the unit observed of one product.
  public func observations(
    of observed: ObservedProduct, texts: any FactTexts
  ) -> ProductObservations {
    observations(of: observed, since: ObservationMarks(), texts: texts)
  }

  /// What the unit observed of one product since the marks were set.
  package func observations(
    of observed: ObservedProduct, since marks: ObservationMarks, texts: any FactTexts
  ) -> ProductObservations {
    guard let index = index(of: observed.environment) else { return ProductObservations() }
    let known = marks.lengths(in: observed.environment)
    var observations = ProductObservations()
    observations.isInstalledByNobody = environments[index].contents.contains {
      $0.holder == .nobody && $0.product == observed.product
    }
    for version in environments[index].versions[known.versions...]
    where version.product == observed.product {
      observations.add(version, texts)
    }
    for install in environments[index].digests[known.digests...]
    where install.product == observed.product {
      observations.add(
        ProductObservations.Digest(
          version: install.version, pathHash: install.pathHash, digest: install.digest,
          key: install.key), texts)
    }
    return observations
  }

  /// `version-not-increased` and `digest-mismatch` among the unit's events, judged by what all
  /// units observed of that product.
  public func findings(
    of observed: ObservedProduct, against all: ProductObservations, texts: any FactTexts
  ) -> [Finding] {
    findings(of: observed, against: all, since: ObservationMarks(), texts: texts)
  }

  /// The same findings, but only among the events since the marks were set.
  package func findings(
    of observed: ObservedProduct, against all: ProductObservations, since marks: ObservationMarks,
    texts: any FactTexts
  ) -> [Finding] {
    guard let index = index(of: observed.environment) else { return [] }
    let known = marks.lengths(in: observed.environment)
    var findings: [Finding] = []
    for published in environments[index].published[known.published...]
    where published.product == observed.product {
      let onOffer = all.versionOnOffer(before: published.key, texts)
      if VersionNotIncreased.breaks(published.version, onOffer: onOffer) {
        findings.append(published.finding)
      }
    }
    for install in environments[index].digests[known.digests...]
    where install.product == observed.product {
      let earlier = all.digests.lazy.filter {
        $0.isOfTheSame(version: install.version, pathHash: install.pathHash)
          && $0.key.precedes(install.key, texts)
      }
      if DigestMismatch.breaks(install.digest, earlier: earlier.map(\.digest)) {
        findings.append(install.finding)
      }
    }
    return findings
  }
}
