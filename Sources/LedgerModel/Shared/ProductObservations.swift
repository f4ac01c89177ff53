public import LedgerEvents

/// What units have observed of one product in one environment: the versions that events named and
/// the digests that were installed.
public struct ProductObservations: Sendable {
  /// A version and a path, whose content has one digest if nothing went wrong. Versions that are
  /// written differently can be the same.
  private struct Place: Hashable {
    var version: [UInt8]
    var pathHash: UInt64?

    init(_ install: InstalledDigest) {
      version = VersionOrder.canonical(install.version)
      pathHash = install.pathHash
    }
  }

  private struct PlacedDigest: Hashable {
    var place: Place
    var digest: Name
  }

  /// A digest, at the earliest event that states it.
  private struct Digest: Sendable {
    var digest: Name
    var key: FoldKey
  }

  /// The first digest of a place, and the first one that is different.
  private struct FirstDigests: Sendable {
    var first: Digest
    var other: Digest?

    mutating func add(_ new: Digest, _ texts: any FactTexts) {
      let isFirst = new.key.precedes(first.key, texts)
      if new.digest == first.digest {
        if isFirst { first = new }
      } else if isFirst {
        other = first
        first = new
      } else if other.map({ new.key.precedes($0.key, texts) }) ?? true {
        other = new
      }
    }
  }

  /// Each version once, at the earliest event that names it.
  private(set) var versions: [VersionObservation] = []
  private var versionIndices: [Name: Int] = [:]
  /// The earliest event that states each digest.
  private var digests: [PlacedDigest: FoldKey] = [:]
  private var firstDigests: [Place: FirstDigests] = [:]
  /// Content of the product that nobody holds was installed on some device. All such content counts
  /// as that of one holder (`model.md`, *Whose it is*).
  public internal(set) var isInstalledByNobody = false
  /// The versions in the fold order, each as the highest one up to then; `nil` if it is not known.
  private var highest: [(key: FoldKey, version: Name)]? = []

  public init() {}

  public var isEmpty: Bool { versions.isEmpty && digests.isEmpty && !isInstalledByNobody }

  /// The positions of the events that the observations depend on: one for each version, and one for
  /// each digest of a version and path.
  public var positions: [UInt64] {
    versions.map(\.key.position) + digests.values.map(\.position)
  }

  /// Adds a version. Returns whether that changes anything.
  ///
  /// - Complexity: O(1).
  mutating func add(_ version: VersionObservation, _ texts: any FactTexts) -> Bool {
    if let known = versionIndices[version.version] {
      guard version.key.precedes(versions[known].key, texts) else { return false }
      versions[known] = version
      highest = nil
      return true
    }
    versionIndices[version.version] = versions.count
    versions.append(version)
    if let last = highest?.last, !last.key.precedes(version.key, texts) {
      highest = nil
    } else if highest != nil {
      appendHighest(version)
    }
    return true
  }

  /// Adds the digest of an install. Returns whether that changes anything.
  ///
  /// - Complexity: O(1).
  mutating func add(_ install: InstalledDigest, _ texts: any FactTexts) -> Bool {
    let place = Place(install)
    let placed = PlacedDigest(place: place, digest: install.digest)
    if let known = digests[placed], !install.key.precedes(known, texts) { return false }
    digests[placed] = install.key
    let digest = Digest(digest: install.digest, key: install.key)
    firstDigests[place, default: FirstDigests(first: digest)].add(digest, texts)
    return true
  }

  /// The version on offer, and the first event that named it (`model.md` 18).
  ///
  /// - Complexity: O(*n*) in the versions.
  public func onOffer(_ texts: any FactTexts) -> VersionObservation? {
    versions.max { $1.isOffered(over: $0, texts) }
  }
}

// MARK: - What observations decide

/// An event that is judged by what all units observed of its product.
enum JudgedEvent {
  case published(PublishedVersion)
  case installed(InstalledDigest)
}

extension ProductObservations {
  /// The finding about an event if it breaks a rule.
  mutating func finding(at event: JudgedEvent, _ texts: any FactTexts) -> Finding? {
    switch event {
    case .published(let published): isNotIncreased(published, texts) ? published.finding : nil
    case .installed(let install): isMismatch(install, texts) ? install.finding : nil
    }
  }

  /// Whether `version-not-increased` is broken.
  ///
  /// - Complexity: O(log *n*) in the versions; O(*n* log *n*) if some were added since the last
  ///   time that are not the last ones in the fold order.
  mutating func isNotIncreased(_ published: PublishedVersion, _ texts: any FactTexts) -> Bool {
    if highest == nil {
      highest = []
      for version in versions.sorted(by: { $0.key.precedes($1.key, texts) }) {
        appendHighest(version)
      }
    }
    let before = highest ?? []
    let count = before.partitionPoint { $0.key.precedes(published.key, texts) }
    return VersionNotIncreased.breaks(
      published.version, highest: count == 0 ? nil : before[count - 1].version)
  }

  private mutating func appendHighest(_ version: VersionObservation) {
    var top = version.version
    if let before = highest?.last?.version, VersionOrder.compare(before, top) > 0 { top = before }
    highest?.append((version.key, top))
  }

  /// Whether `digest-mismatch` is broken.
  ///
  /// - Complexity: O(1).
  func isMismatch(_ install: InstalledDigest, _ texts: any FactTexts) -> Bool {
    guard let known = firstDigests[Place(install)] else { return false }
    let earlier = [known.first, known.other].compactMap { $0 }
      .filter { $0.key.precedes(install.key, texts) }
    return DigestMismatch.breaks(install.digest, earlier: earlier.map(\.digest))
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
    var observations = ProductObservations()
    addObservations(of: observed, to: &observations, texts: texts)
    return observations
  }

  /// Whether content of the product that nobody holds was installed.
  package func hasContentOfNobody(_ observed: ObservedProduct) -> Bool {
    guard let index = index(of: observed.environment) else { return false }
    return environments[index].contents.contains {
      $0.holder == .nobody && $0.product == observed.product
    }
  }

  /// Adds what the unit observed of one product since the marks were set to what others observed of
  /// it. Returns whether that changes a version or a digest.
  ///
  /// - Complexity: O(*n*) in the unit's content, and in its versions and digests since then.
  @discardableResult
  package func addObservations(
    of observed: ObservedProduct, since marks: ObservationMarks = ObservationMarks(),
    to all: inout ProductObservations, texts: any FactTexts
  ) -> Bool {
    guard let index = index(of: observed.environment) else { return false }
    let known = marks.lengths(in: observed.environment)
    all.isInstalledByNobody = all.isInstalledByNobody || hasContentOfNobody(observed)
    var isChanged = false
    for version in environments[index].versions[known.versions...]
    where version.product == observed.product && all.add(version, texts) {
      isChanged = true
    }
    for install in environments[index].digests[known.digests...]
    where install.product == observed.product && all.add(install, texts) {
      isChanged = true
    }
    return isChanged
  }

  /// `version-not-increased` and `digest-mismatch` among the unit's events since the marks were
  /// set, judged by what all units observed of that product.
  package func findings(
    of observed: ObservedProduct, against all: inout ProductObservations,
    since marks: ObservationMarks, texts: any FactTexts
  ) -> [Finding] {
    var findings: [Finding] = []
    eachJudged(since: marks) { product, event in
      guard product == observed, let finding = all.finding(at: event, texts) else { return }
      findings.append(finding)
    }
    return findings
  }

  /// Passes each event since the marks to `body` that is judged by what all units observed of its
  /// product.
  func eachJudged<Failure: Error>(
    since marks: ObservationMarks = ObservationMarks(),
    _ body: (ObservedProduct, JudgedEvent) throws(Failure) -> Void
  ) throws(Failure) {
    for state in environments {
      let known = marks.lengths(in: state.environment)
      for published in state.published[known.published...] {
        try body(
          ObservedProduct(environment: state.environment, product: published.product),
          .published(published))
      }
      for install in state.digests[known.digests...] {
        try body(
          ObservedProduct(environment: state.environment, product: install.product),
          .installed(install))
      }
    }
  }
}
