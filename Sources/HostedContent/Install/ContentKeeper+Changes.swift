public import LedgerEvents
internal import LedgerModel
internal import PackageFiles

extension ContentKeeper {
  /// Makes a version that is installed the current one.
  ///
  /// - Returns: the version that was current before; nil where none was.
  /// - Throws: ``ContentError``: `missing` where the version is not there.
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

  /// Can be run again from any point on.
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

  /// Removes a version that is not current, or, where none is named, a product with all of its
  /// versions.
  ///
  /// - Throws: ``ContentError``: `missing` where it is not there, `refused` for the current
  /// version.
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
        "it is the current version: switch to another one first, or remove the product as a "
          + "whole.")
    }
    let attempt = try Attempt(new: root)
    var maker = ContentEventMaker(attempt: attempt.id, base: base(product), clock: clock)
    let events = try removalEvents(product, version, current: current, &maker, in: root)
    let journal = try AttemptJournal(
      begin: AttemptIntent(.remove, product: product, version: version), events,
      in: attempt.folder, path: attempt.path)
    try finishRemoval(attempt, journal, in: root)
  }

  /// Removes old versions: of each product the newest stay, and the current one.
  ///
  /// - Parameters:
  ///   - keep: how many of the newest versions of each product stay; at least 1.
  ///   - product: the product whose versions are looked at; nil for all.
  /// - Returns: what was removed, in its order.
  /// - Throws: ``ContentError``; what went before is removed then.
  public func prune(
    keep: Int, _ product: Name? = nil
  ) throws(ContentError) -> [(product: Name, version: Name)] {
    precondition(keep >= 1, "the newest version stays")
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

  /// Can be run again from any point on: what was moved aside is not moved again.
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

  /// What a removal changes in what the ledger says is installed.
  ///
  /// `content.removed` takes the product's installed version away, whichever was named (`model.md`
  /// 17). It is therefore said of a product that goes as a whole, and of the very version that the
  /// ledger has as installed; where another one stays current, that one is said to be installed in
  /// the same append, so that at no position the customer has nothing. An older version that goes
  /// is a note in the customer's history: nothing that the ledger answers has changed.
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
    let report = try PackageInspection.judge(path: root.path(of: product, current))
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
