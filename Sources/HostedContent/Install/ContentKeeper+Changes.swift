public import LedgerEvents
internal import LedgerModel
internal import PackageFiles

extension ContentKeeper {
  /// Makes an installed version the current one.
  ///
  /// - Returns: The version that was current before; nil if there was none.
  /// - Throws: ``ContentError``: `missing` if the version is not installed.
  @discardableResult
  public func activate(_ product: Name, _ version: Name) throws(ContentError) -> Name? {
    try activate(product, version, in: try open())
  }

  func activate(
    _ product: Name, _ version: Name, in root: borrowing ContentRoot
  ) throws(ContentError) -> Name? {
    try root.refuseAbsence(of: product, version)
    let before = try root.currentVersion(of: product)
    if before == version { return before }
    let attempt = try Attempt(new: root)
    var maker = ContentEventMaker(attempt: attempt.id, base: base(product), clock: clock)
    let journal = try AttemptJournal(
      begin: AttemptIntent(.activate, product: product, version: version),
      [maker.event(.contentActivated, Self.stated(version))], in: attempt.folder,
      path: attempt.path)
    try finishActivation(attempt, journal, in: root)
    return before
  }

  /// This can be run again after an interruption at any point.
  func finishActivation(
    _ attempt: borrowing Attempt, _ journal: borrowing AttemptJournal,
    in root: borrowing ContentRoot
  ) throws(ContentError) {
    if let version = journal.intent.version {
      try root.makeCurrent(journal.intent.product, version, attempt)
    }
    try ledger.append(journal.events)
    try attempt.remove(from: root)
  }

  /// Removes a version that is not current; or, if no version is named, a product with all of its
  /// versions.
  ///
  /// - Throws: ``ContentError``: `missing` if it is not installed, `refused` for the current
  ///   version.
  public func remove(_ product: Name, _ version: Name? = nil) throws(ContentError) {
    try remove(product, version, in: try open())
  }

  private func remove(
    _ product: Name, _ version: Name?, in root: borrowing ContentRoot
  ) throws(ContentError) {
    try root.refuseAbsence(of: product, version)
    let current = try root.currentVersion(of: product)
    if let version, version == current {
      throw ContentError(
        .refused, path: root.path(of: product, version),
        "it is the current version: switch to another one first, or remove the whole "
          + "product.")
    }
    let attempt = try Attempt(new: root)
    var maker = ContentEventMaker(attempt: attempt.id, base: base(product), clock: clock)
    let events = try removalEvents(product, version, current: current, &maker, in: root)
    let journal = try AttemptJournal(
      begin: AttemptIntent(.remove, product: product, version: version), events,
      in: attempt.folder, path: attempt.path)
    try finishRemoval(attempt, journal, in: root)
  }

  /// Removes old versions. The newest versions of each product and the current one are kept.
  ///
  /// - Parameters:
  ///   - keep: How many of the newest versions of each product to keep; at least 1.
  ///   - product: The product whose versions to prune; nil for all.
  /// - Returns: The removed versions, in order.
  /// - Throws: ``ContentError``. Versions that were removed before the failure stay removed.
  public func prune(
    keep: Int, _ product: Name? = nil
  ) throws(ContentError) -> [(product: Name, version: Name)] {
    precondition(keep >= 1, "the newest version must be kept")
    let root = try open()
    if let product { try root.refuseAbsence(of: product, nil) }
    var removed: [(product: Name, version: Name)] = []
    let products = if let product { [product] } else { try root.products() }
    for product in products {
      let current = try root.currentVersion(of: product)
      let versions = try root.versions(of: product).sorted {
        VersionOrder.compare($0, $1) > 0
      }
      for version in versions.dropFirst(keep) where version != current {
        try remove(product, version, in: root)
        removed.append((product, version))
      }
    }
    return removed
  }

  /// This can be run again after an interruption at any point: a version that was moved aside is
  /// not moved again.
  func finishRemoval(
    _ attempt: borrowing Attempt, _ journal: borrowing AttemptJournal,
    in root: borrowing ContentRoot
  ) throws(ContentError) {
    let (product, version) = (journal.intent.product, journal.intent.version)
    try telling(root.path(of: product)) { () throws(FolderError) in
      guard try attempt.folder.kind(of: Attempt.treeName) == nil else { return }
      guard let version else {
        guard try root.folder.kind(of: product.text) == .folder else { return }
        try root.folder.move(product.text, to: attempt.folder, as: Attempt.treeName)
        return try root.folder.sync()
      }
      let versions = try root.folder.folder(product.text)
      guard try versions.kind(of: version.text) == .folder else { return }
      try versions.move(version.text, to: attempt.folder, as: Attempt.treeName)
      try versions.sync()
    }
    try ledger.append(journal.events)
    try attempt.remove(from: root)
  }

  /// Returns the events for what a removal changes in the ledger's installed versions.
  ///
  /// `content.removed` removes the product's installed version, whichever version it names
  /// (`model.md` 17). It is therefore recorded for a whole product, and for the version that the
  /// ledger has as installed. If another version stays current, it is recorded as installed in the
  /// same append, so that the customer never appears to have nothing. Removing an older version is
  /// only recorded as a note in the customer's history, because it does not change any answer of
  /// the ledger.
  private func removalEvents(
    _ product: Name, _ version: Name?, current: Name?, _ maker: inout ContentEventMaker,
    in root: borrowing ContentRoot
  ) throws(ContentError) -> [Event] {
    let known = try ledger.installed(of: owner).first { $0.product == product }
    let going = version ?? current ?? known?.version
    guard let known, version == nil || version == known.version else {
      return [maker.event(.noteAdded, Self.note(product, going))]
    }
    var data = EventData.Builder()
    data.set("contentVersion", version ?? current ?? known.version)
    let removed = maker.event(.contentRemoved, data.build())
    guard version != nil, let current else { return [removed] }
    let report = try root.judge(product, current)
    let identity = PackageIdentity(product: product, version: current)
    return [
      removed,
      maker.event(
        .contentInstalled, Self.stated(identity, report, excluded: Self.isExcludedFromBackup)),
    ]
  }

  private static func note(_ product: Name, _ version: Name?) -> EventData {
    var data = EventData.Builder()
    let what = version.map { "version \($0.text)" } ?? "all versions"
    data.set("text", "content of \(product.text) removed: \(what)")
    data.set("contentVersion", version)
    return data.build()
  }
}
