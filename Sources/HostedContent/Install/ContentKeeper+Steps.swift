internal import Foundation
internal import LedgerEvents
internal import PackageFiles

// The steps of an install in order, and its two possible outcomes.

extension ContentKeeper {
  /// Copies the package into the attempt's tree and checks it, in one pass.
  func copy(
    _ package: String, _ expected: PackageExpectations, to attempt: borrowing Attempt,
    _ progress: @escaping (_ bytes: UInt64) -> Void
  ) throws(ContentError) -> PackageReport {
    let tree = try telling(attempt.path) { () throws(FolderError) in
      try attempt.folder.makeFolder(Attempt.treeName)
      return try attempt.folder.folder(Attempt.treeName)
    }
    var opened = try OpenedPackage(path: package, isolation: isolation)
    var sink = StagingSink(
      tree, path: attempt.path + "/" + Attempt.treeName, progress: progress)
    let report: PackageReport
    do throws(ContentError) {
      report = try PackageInspection.judge(
        &opened, packedBytes: opened.packedBytes, expecting: expected, into: &sink)
    } catch {
      sink.waitUntilIdle()
      throw error
    }
    try sink.wait()
    return report
  }

  /// Makes all staged content durable, with one wait for the disk regardless of the number of
  /// files.
  func sync(_ attempt: borrowing Attempt) throws(ContentError) {
    try telling(attempt.path) { () throws(FolderError) in
      let tree = try attempt.folder.folder(Attempt.treeName)
      if FolderHandle.syncsWholeFileSystems {
        try tree.syncFileSystem()
      } else {
        try tree.syncFolders()
      }
      try attempt.folder.sync()
    }
  }

  /// Moves the staged content into position. From then on, the version exists as a whole.
  func place(
    _ attempt: borrowing Attempt, _ identity: PackageIdentity, in root: borrowing ContentRoot
  ) throws(ContentError) {
    let versions = try telling(path) { () throws(FolderError) in
      let versions = try root.folder.folderMade(identity.product.text)
      try root.folder.sync()
      return versions
    }
    try telling(root.path(of: identity.product)) { () throws(FolderError) in
      try attempt.folder.move(Attempt.treeName, to: versions, as: identity.version.text)
      try versions.sync()
      try attempt.folder.sync()
    }
  }

  /// Reports a version that is in position to the ledger, and makes it current.
  ///
  /// This can be run again after an interruption at any point: the events come from the journal,
  /// and the link is checked before it is changed.
  func finishInstall(
    _ attempt: borrowing Attempt, _ journal: inout AttemptJournal,
    _ maker: inout ContentEventMaker, in root: borrowing ContentRoot
  ) throws(ContentError) {
    let intent = journal.intent
    try ledger.append(
      [.contentInstallStarted, .contentInstalled].compactMap { journal.event($0) })
    if intent.activates, let version = intent.version {
      let activated: Event
      if let known = journal.event(.contentActivated) {
        activated = known
      } else {
        activated = maker.event(.contentActivated, Self.stated(version))
        try journal.add([activated])
      }
      try root.makeCurrent(intent.product, version, attempt)
      try ledger.append([activated])
    }
    try attempt.remove(from: root)
  }

  /// Undoes an install, and reports the failure to the ledger.
  ///
  /// The staged content is removed first, so that a full disk has space for the rest. The attempt's
  /// folder stays until the failure is reported, because it shows that nothing was moved.
  func undo(
    _ attempt: borrowing Attempt, _ journal: inout AttemptJournal,
    _ maker: inout ContentEventMaker, _ failure: JSONValue, in root: borrowing ContentRoot
  ) throws(ContentError) {
    let product = journal.intent.product
    if try attempt.hasTree() {
      try telling(attempt.path) { () throws(FolderError) in
        try attempt.folder.folder(Attempt.treeName).removeContents()
      }
    }
    let failed: Event
    if let known = journal.event(.contentInstallFailed) {
      failed = known
    } else {
      var data = EventData.Builder()
      data.set("contentVersion", journal.intent.version)
      data.set("error", failure)
      failed = maker.event(.contentInstallFailed, data.build())
      try journal.add([failed])
    }
    try ledger.append([journal.event(.contentInstallStarted), failed].compactMap { $0 })
    try attempt.remove(from: root)
    try root.removeProductIfEmpty(product)
  }

  static func stated(_ version: Name) -> EventData {
    var data = EventData.Builder()
    data.set("contentVersion", version)
    return data.build()
  }
}

// MARK: - Backups

extension ContentKeeper {
  /// Whether versions are excluded from backups. Nil if the system has no such attribute.
  static var isExcludedFromBackup: Bool? {
    #if canImport(Darwin)
      true
    #else
      nil
    #endif
  }

  /// Excludes the staged content from backups, because it can be downloaded again. Without this,
  /// the store rejects an app (Apple, Technical Q&A QA1719).
  func excludeFromBackup(_ attempt: borrowing Attempt) throws(ContentError) -> Bool? {
    #if canImport(Darwin)
      let value: Data
      do {
        value = try PropertyListSerialization.data(
          fromPropertyList: "com.apple.backupd", format: .binary, options: 0)
      } catch {
        throw ContentError(.inputOutput, path: attempt.path, "\(error)")
      }
      try telling(attempt.path) { () throws(FolderError) in
        try attempt.folder.folder(Attempt.treeName).setAttribute(
          "com.apple.metadata:com_apple_backup_excludeItem", [UInt8](value))
      }
    #endif
    return Self.isExcludedFromBackup
  }
}
