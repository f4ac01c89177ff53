public import LedgerEvents
internal import LedgerModel
internal import PackageFiles

/// The options of an install.
public struct InstallRequest: Sendable {
  /// The transaction and the download that delivered the package; nil for content from elsewhere.
  public var transaction: Name?
  public var download: Name?
  public var app: Name?
  public var environment: StoreEnvironment?
  /// The product to which the package must belong; nil for any.
  public var product: Name?
  /// Whether the version becomes the current one.
  public var activates = true

  public init() {}
}

/// A version that was installed.
public struct InstalledVersion: Sendable {
  public var product: Name
  public var version: Name
  /// The path from the root: `<product>/<version>`.
  public var path: String
  /// The total size of all files, in bytes.
  public var bytes: UInt64
  public var files: Int
  public var digest: ContentDigest
  /// False if the version already existed completely and nothing was copied.
  public var isCopied: Bool
  public var isCurrent: Bool
  /// Whether the version is excluded from backups; nil if the system has no such attribute.
  public var excludedFromBackup: Bool?
}

/// The outcome of an install without errors.
public enum InstallOutcome: Sendable {
  case installed(InstalledVersion)
  /// The package breaks rules, and the report lists every fault. Nothing was installed.
  case refused(PackageReport)
}

extension ContentKeeper {
  /// Installs a package: copies it into a work area, checks it in the same pass, moves it into
  /// position as a whole, and finally makes it current.
  ///
  /// Nothing of a version is visible until it is in position, and the previous version stays
  /// current until then. An existing version is not changed; if it has the same content, it counts
  /// as installed.
  ///
  /// - Parameters:
  ///   - package: The path of a folder, a xar or a zip.
  ///   - request: The origin of the package, and whether to make it current.
  ///   - progress: Called with the number of bytes written so far.
  /// - Complexity: O(*n*) in the package's bytes; memory does not grow with them.
  /// - Throws: ``ContentError``: `exists` if the version exists with other content, `diskFull`,
  ///   `changed`, `busy`, and any error of the ledger.
  public func install(
    _ package: String, _ request: InstallRequest = InstallRequest(),
    progress: @escaping (_ bytes: UInt64) -> Void = { _ in }
  ) throws(ContentError) -> InstallOutcome {
    let expected = PackageExpectations(product: request.product)
    guard
      let identity = try PackageIdentity(
        of: package, product: request.product, isolation)
    else {
      return .refused(
        try PackageInspection.judge(path: package, expecting: expected, isolation: isolation))
    }
    let root = try open(makes: true)
    try root.refuseName(identity.product, identity.version)
    // Detect an error here, before the version is in position.
    _ = try root.currentVersion(of: identity.product)
    if try root.hasVersion(identity.product, identity.version) {
      return try confirm(package, identity, request, in: root)
    }
    try refuseEqual(identity, in: root)
    let attempt = try Attempt(new: root)
    var maker = maker(attempt, identity, request)
    let started = maker.event(.contentInstallStarted, Self.stated(identity))
    var journal = try AttemptJournal(
      begin: intent(identity, activates: request.activates), [started], in: attempt.folder,
      path: attempt.path)
    let report = try undoing(attempt, &journal, &maker, in: root) {
      (journal, maker) throws(ContentError) in
      try ledger.append([started])
      let report = try copy(package, expected, to: attempt, progress)
      guard report.isValid else { return report }
      try Self.refuseUnless(report, is: identity, package)
      let excluded = try excludeFromBackup(attempt)
      try sync(attempt)
      try journal.add([
        maker.event(.contentInstalled, Self.stated(identity, report, excluded: excluded))
      ])
      try place(attempt, identity, in: root)
      return report
    }
    guard report.isValid else {
      let error = ContentError(.refused, path: package, Self.summary(of: report))
      try undo(attempt, &journal, &maker, ContentFailure.value(of: error), in: root)
      return .refused(report)
    }
    try finishInstall(attempt, &journal, &maker, in: root)
    return .installed(try installed(identity, report, isCopied: true, in: root))
  }

  /// Installs a version that already exists: compares it file by file, and reports to the ledger
  /// what it does not have yet.
  private func confirm(
    _ package: String, _ identity: PackageIdentity, _ request: InstallRequest,
    in root: borrowing ContentRoot
  ) throws(ContentError) -> InstallOutcome {
    let report = try PackageInspection.judge(
      path: package, expecting: PackageExpectations(product: request.product),
      isolation: isolation)
    let there = try root.judge(identity.product, identity.version)
    let isSame = report.isValid && report.digest == there.digest
    if isSame, try isReported(identity, report, request) {
      if request.activates { _ = try activate(identity.product, identity.version, in: root) }
      return .installed(try installed(identity, report, isCopied: false, in: root))
    }
    let attempt = try Attempt(new: root)
    var maker = maker(attempt, identity, request)
    let started = maker.event(.contentInstallStarted, Self.stated(identity))
    let isCurrent = try root.currentVersion(of: identity.product) == identity.version
    var journal = try AttemptJournal(
      begin: intent(identity, activates: request.activates && !isCurrent), [started],
      in: attempt.folder, path: attempt.path)
    try undoing(attempt, &journal, &maker, in: root) { (journal, maker) throws(ContentError) in
      try ledger.append([started])
      guard report.isValid else {
        throw ContentError(.refused, path: package, Self.summary(of: report))
      }
      try Self.refuseUnless(report, is: identity, package)
      guard isSame else {
        throw ContentError(
          .exists, path: root.path(of: identity.product, identity.version),
          "this version exists with other content (\(there.digest)) than the package "
            + "(\(report.digest)), and is not overwritten: publish the new content as a higher "
            + "version, or remove this one first.")
      }
      try journal.add([
        maker.event(
          .contentInstalled, Self.stated(identity, report, excluded: Self.isExcludedFromBackup))
      ])
    }
    try finishInstall(attempt, &journal, &maker, in: root)
    return .installed(try installed(identity, report, isCopied: false, in: root))
  }

  /// Returns whether the ledger already has what an install would report.
  private func isReported(
    _ identity: PackageIdentity, _ report: PackageReport, _ request: InstallRequest
  ) throws(ContentError) -> Bool {
    let isInstalled = try ledger.installed(of: owner).contains {
      $0.product == identity.product && $0.version == identity.version
    }
    guard isInstalled else { return false }
    return try ledger.contentEvents(of: owner).contains { event in
      event.type.kind == .contentInstalled && event.product == identity.product
        && event.data.name("contentVersion") == identity.version
        && event.data.string("digest") == report.digest.description
        && event.transaction == request.transaction && event.download == request.download
    }
  }

  /// Refuses a version that equals the version of another folder: 1 equals 1.0 (`model.md` 18).
  private func refuseEqual(
    _ identity: PackageIdentity, in root: borrowing ContentRoot
  ) throws(ContentError) {
    guard
      let other = try root.versions(of: identity.product).first(where: {
        VersionOrder.compare($0, identity.version) == 0
      })
    else { return }
    throw ContentError(
      .exists, path: root.path(of: identity.product, other),
      "\(other.text) and \(identity.version.text) are the same version, and \(other.text) is "
        + "installed: publish the content as a higher version, or remove that one first.")
  }

  private func maker(
    _ attempt: borrowing Attempt, _ identity: PackageIdentity, _ request: InstallRequest
  ) -> ContentEventMaker {
    ContentEventMaker(
      attempt: attempt.id,
      base: base(
        identity.product, transaction: request.transaction, download: request.download,
        app: request.app, environment: request.environment), clock: clock)
  }

  private func intent(_ identity: PackageIdentity, activates: Bool) -> AttemptIntent {
    AttemptIntent(
      .install, product: identity.product, version: identity.version, activates: activates)
  }

  private func installed(
    _ identity: PackageIdentity, _ report: PackageReport, isCopied: Bool,
    in root: borrowing ContentRoot
  ) throws(ContentError) -> InstalledVersion {
    InstalledVersion(
      product: identity.product, version: identity.version,
      path: ContentRoot.relativePath(of: identity.product, identity.version),
      bytes: report.bytes, files: report.files.count, digest: report.digest, isCopied: isCopied,
      isCurrent: try root.currentVersion(of: identity.product) == identity.version,
      excludedFromBackup: Self.isExcludedFromBackup)
  }
}

extension ContentKeeper {
  /// Returns the data about a version in the events of its install.
  static func stated(
    _ identity: PackageIdentity, _ report: PackageReport? = nil, excluded: Bool? = nil
  ) -> EventData {
    var data = EventData.Builder()
    data.set("contentVersion", identity.version)
    guard let report else { return data.build() }
    data.set("path", ContentRoot.relativePath(of: identity.product, identity.version))
    data.set("bytes", Int64(clamping: report.bytes))
    data.set("digest", report.digest.description)
    if let excluded {
      data.set("excludedFromBackup", excluded)
    } else {
      // False would mean that a backup includes it, and would cause a finding for each install.
      data.set("backupExclusion", "unknown to this system")
    }
    return data.build()
  }

  /// Refuses a package whose identity is not the one that was read before the copy.
  static func refuseUnless(
    _ report: PackageReport, is identity: PackageIdentity, _ package: String
  ) throws(ContentError) {
    guard report.product == identity.product, report.version == identity.version else {
      throw ContentError(
        .changed, path: package,
        "its product or version changed after it was opened: install it again when nothing "
          + "writes to it.")
    }
  }

  /// Returns the faults of a package in one line.
  static func summary(of report: PackageReport) -> String {
    let count = report.faults.count + report.faultsLeftOff
    let first = report.faults.first.map { ", first: \($0)" } ?? ""
    return count.counted("fault") + first
  }
}
