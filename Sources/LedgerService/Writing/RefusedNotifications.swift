import LedgerStore
import PackageFiles
import StoreImport
import Synchronization

/// Keeps notifications that were not taken, in `service/refused`, as they came: `daybook import
/// notification` reads them when what was wrong is repaired.
///
/// What the store has signed is kept as long as nobody removes it. Anybody can post what nobody
/// signed, so of that only some are kept.
final class RefusedNotifications: Sendable {
  /// How many notifications of the store are kept.
  private static let signedMax = 10_000
  /// How many others are kept.
  private static let unsignedMax = 100

  private let ledger: String
  private let lock = Mutex(())

  init(ledger: String) { self.ledger = ledger }

  /// Keeps a body, durably. The same body is kept once, however often the store sends it.
  ///
  /// - Parameters:
  ///   - body: As it came.
  ///   - isSigned: Whether the store has signed it.
  /// - Returns: The name of its file, in the ledger's folder; nil if there are enough.
  /// - Throws: ``Problem``: `unavailable`.
  func keep(_ body: [UInt8], isSigned: Bool) throws(Problem) -> String? {
    let name = "\(isSigned ? "signed" : "unsigned")-\(Digest.hex(of: body)).json"
    let result = lock.withLock { _ in
      Result { () throws(FolderError) in try keep(body, name, isSigned) }
    }
    do throws(FolderError) {
      return try result.get() ? "service/refused/\(name)" : nil
    } catch {
      throw Problem(fault: "The notification cannot be kept: \(error)", retryAfterSeconds: 30)
    }
  }

  /// The names of the files of those that are kept, in their order.
  ///
  /// - Throws: ``Problem``: `unavailable`.
  func names() throws(Problem) -> [String] {
    do throws(FolderError) {
      let root = try FolderHandle(path: ledger)
      guard try root.kind(of: "service") == .folder else { return [] }
      let service = try root.folder("service")
      guard try service.kind(of: "refused") == .folder else { return [] }
      return try service.folder("refused").names().filter { $0.hasSuffix(".json") }.sorted()
    } catch {
      throw Problem(
        fault: "The refused notifications cannot be listed: \(error)", retryAfterSeconds: 30)
    }
  }

  private func keep(
    _ body: [UInt8], _ name: String, _ isSigned: Bool
  ) throws(FolderError) -> Bool {
    let root = try FolderHandle(path: ledger)
    let service = try root.folderMade("service", isPrivate: true)
    let folder = try service.folderMade("refused", isPrivate: true)
    let names = try folder.names()
    if names.contains(name) { return true }
    let kind = isSigned ? "signed-" : "unsigned-"
    guard
      names.count(where: { $0.hasPrefix(kind) }) < (isSigned ? Self.signedMax : Self.unsignedMax)
    else { return false }
    let partial = ".part-\(name)"
    if names.contains(partial) { try folder.removeFile(partial) }
    let file = try folder.makeFile(partial, isPrivate: true)
    try file.write(body.span)
    try file.sync()
    try file.finish()
    try folder.replace(name, by: partial)
    try folder.sync()
    try service.sync()
    try root.sync()
    return true
  }
}
