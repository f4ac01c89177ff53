public import LedgerEvents

/// Compares a folder of content with what the ledger says about its owner.
public struct ContentAudit: Sendable {
  /// A difference between the folder and the ledger.
  public struct Difference: Sendable, Hashable {
    /// How the two differ.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// The ledger has a version as installed, but it is not in the folder.
      case missing
      /// The ledger has the version as installed at another path.
      case otherPath
      /// The digest of the version in the folder differs from that of the installed version.
      case otherContent
      /// The version in the folder is no longer a valid package.
      case broken
      /// The folder has a version that the ledger does not know.
      case unrecorded
      /// The folder has a product that the ledger says was removed or never installed.
      case notInstalled
      /// The current version differs from the one that was last reported to the ledger.
      case otherCurrent
      /// The link `current` leads to a version that does not exist.
      case currentMissing
      /// The folder contains something that is neither a product nor a version.
      case stray
      /// A change was interrupted, or is in progress.
      case unfinished
    }

    public var kind: Kind
    public var product: Name?
    public var version: Name?
    /// What was expected, what was found, and what to do.
    public var message: String
  }

  /// The number of versions that were compared by digest.
  public private(set) var versions = 0
  /// The differences; empty if both agree.
  public private(set) var differences: [Difference] = []

  /// Compares the contents of a folder with what its owner has according to the ledger, in both
  /// directions and by digest.
  ///
  /// - Complexity: O(*n*) in the bytes of all versions in the folder.
  /// - Throws: ``ContentError``: `missing` if there is no such folder, `refused` if it belongs to
  ///   another owner.
  public init(
    of path: String, owner: ContentOwner, ledger: any ContentLedger
  ) throws(ContentError) {
    let root = try ContentRoot(reading: path)
    if let known = try root.owner(), known != owner {
      throw ContentError(
        .refused, path: path,
        "this folder belongs to account \(known.account.text) on device \(known.device.text): use "
          + "that account and device.")
    }
    let listing = try ContentListing(of: path, readsContent: true)
    let reported = ReportedContent(
      installed: try ledger.installed(of: owner), events: try ledger.contentEvents(of: owner))
    for product in listing.products {
      compare(product, reported)
    }
    for install in reported.installed {
      let there = listing.products.first { $0.product == install.product }
      guard there?.versions.contains(where: { $0.version == install.version }) != true else {
        continue
      }
      add(
        .missing, install.product, install.version,
        "the ledger has it as installed, but it is not here: install it again, or record its "
          + "removal (content.removed).")
    }
    for stray in listing.strays {
      add(
        .stray, nil, nil,
        "\(stray) is neither a product nor a version, and daybook did not create it: move it away.")
    }
    if listing.unfinished > 0 {
      add(
        .unfinished, nil, nil,
        "unfinished changes: \(listing.unfinished). Any command that changes the folder finishes "
          + "them, unless one is still running.")
    }
  }

  private mutating func compare(_ there: ContentListing.Product, _ reported: ReportedContent) {
    let product = there.product
    let installed = reported.installed.first { $0.product == product }
    if installed == nil {
      add(
        .notInstalled, product, nil,
        "it is here, but the ledger does not have it as installed: install its package again, or "
          + "remove it.")
    }
    for version in there.versions { compare(version, of: product, reported) }
    if let path = installed?.path, let version = installed?.version,
      path.text != ContentRoot.relativePath(of: product, version)
    {
      add(
        .otherPath, product, version,
        "the ledger has it at \(path.text), but its path here is "
          + "\(ContentRoot.relativePath(of: product, version)).")
    }
    if let current = there.current, !there.versions.contains(where: { $0.version == current }) {
      add(
        .currentMissing, product, current,
        "it is the current version, but it is not here: switch to another, or install it again.")
    }
    if installed != nil, reported.current[product] != there.current {
      let expected = reported.current[product].map { "version \($0.text)" } ?? "none"
      let found = there.current.map { "version \($0.text)" } ?? "none"
      add(
        .otherCurrent, product, there.current,
        "the last version reported to the ledger as current is \(expected), but the folder has "
          + "\(found): switch to the right one.")
    }
  }

  private mutating func compare(
    _ there: ContentListing.Version, of product: Name, _ reported: ReportedContent
  ) {
    versions += 1
    if let fault = there.faults.first {
      add(
        .broken, product, there.version,
        "it is no longer a valid package (\(fault)): remove it and install it again.")
    }
    guard let event = reported.installs[product]?[there.version] else {
      add(
        .unrecorded, product, there.version,
        "it is here, but unknown to the ledger: install its package again, or remove it.")
      return
    }
    guard let digest = event.data.string("digest"), let found = there.digest,
      digest != found.description
    else { return }
    add(
      .otherContent, product, there.version,
      "it was installed as \(digest), but is now \(found): remove it and install it again.")
  }

  private mutating func add(
    _ kind: Difference.Kind, _ product: Name?, _ version: Name?, _ message: String
  ) {
    differences.append(
      Difference(kind: kind, product: product, version: version, message: message))
  }
}

/// The events that reported one owner's content to the ledger.
private struct ReportedContent {
  let installed: [LedgerInstall]
  /// The newest `content.installed` of each version.
  private(set) var installs: [Name: [Name: Event]] = [:]
  /// The version that was activated last, by product. There is none after the product was removed.
  private(set) var current: [Name: Name] = [:]

  init(installed: [LedgerInstall], events: [Event]) {
    self.installed = installed
    for event in events {
      guard let product = event.product else { continue }
      switch event.type.kind {
      case .contentInstalled:
        guard let version = event.data.name("contentVersion") else { continue }
        installs[product, default: [:]][version] = event
      case .contentActivated:
        current[product] = event.data.name("contentVersion")
      case .contentRemoved:
        // If only an old version was removed, another one is still current.
        let version = event.data.name("contentVersion")
        if version == nil || version == current[product] { current[product] = nil }
      default: continue
      }
    }
  }
}
