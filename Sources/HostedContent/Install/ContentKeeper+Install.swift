public import LedgerEvents
internal import LedgerModel
internal import PackageFiles

/// What to install, in addition to the package itself.
public struct InstallRequest: Sendable {
  /// The transaction and download that delivered the package; nil for content from elsewhere.
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
  /// Bytes of all files.
  public var bytes: UInt64
  public var files: Int
  public var digest: ContentDigest
  /// False if it already existed, complete, and nothing was copied.
  public var isCopied: Bool
  public var isCurrent: Bool
  /// Nil if the system has no such mark.
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
  /// position as a whole, and makes it current last.
  ///
  /// Until the version is in position, nothing of it is visible, and the previous version stays
  /// current. An existing version is left as it is. If it has the same content, it counts as
  /// installed.
  ///
  /// - Parameters:
  ///   - package: the path of a folder, a xar or a zip.
  ///   - request: What it was downloaded for, and what to do with it.
  ///   - progress: Called with the number of bytes written so far.
  /// - Complexity: O(*n*) in the package's bytes; memory does not grow with them.
  /// - Throws: ``ContentError``: `exists` if the version is there with other content,
  ///   `diskFull`, `changed`, `busy`, and what the ledger throws.
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
    // Found out now, and not when the version is in its place already.
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
  /// what it does not know yet.
  private func confirm(
    _ package: String, _ identity: PackageIdentity, _ request: InstallRequest,
    in root: borrowing ContentRoot
  ) throws(ContentError) -> InstallOutcome {
    let report = try PackageInspection.judge(
      path: package, expecting: PackageExpectations(product: request.product),
      isolation: isolation)
    let there = try root.judge(identity.product, identity.version)
    let isSame = report.isValid && report.digest == there.digest
    if isSame, try isTold(identity, report, request) {
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
          "this version is there with other content (\(there.digest)) than the package's "
            + "(\(report.digest)), and is not overwritten: publish other content as a higher "
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

  /// Whether the ledger already has what an install would report.
  private func isTold(
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

  /// Rejects a version that equals another folder's version: 1 is 1.0 (`model.md` 18).
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
      "\(other.text) and \(identity.version.text) are one version, and it is there: publish the "
        + "content as a higher version, or remove this one first.")
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
  /// What the events of an install state about its version.
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
      // False would say that a backup takes it, and be a finding for each install.
      data.set("backupExclusion", "unknown to this system")
    }
    return data.build()
  }

  /// Rejects a package whose identity differs from that before the copy.
  static func refuseUnless(
    _ report: PackageReport, is identity: PackageIdentity, _ package: String
  ) throws(ContentError) {
    guard report.product == identity.product, report.version == identity.version else {
      throw ContentError(
        .changed, path: package,
        "it was another product or version when it was opened: install it again when nobody "
          + "writes to it.")
    }
  }

  /// What is wrong with a package, in one line.
  static func summary(of report: PackageReport) -> String {
    let count = report.faults.count + report.faultsLeftOff
    let first = report.faults.first.map { ", first: \($0)" } ?? ""
    return "\(count) \(count == 1 ? "fault" : "faults")\(first)"
  }
}
