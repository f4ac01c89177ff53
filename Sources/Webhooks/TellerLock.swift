internal import LMDB
internal import ServiceAccess

/// The right to tell the changes of a ledger: two processes would send each message twice.
package struct TellerLock: ~Copyable {
  private let lock: FileLock

  private init(_ lock: consuming FileLock) { self.lock = lock }

  /// Takes the right; nil if another process has it.
  ///
  /// - Throws: ``WebhookError``: `disk`.
  package static func take(ledger: String) throws(WebhookError) -> TellerLock? {
    let path = "\(ledger)/\(ServiceFolder.name)/webhooks.lock"
    do throws(LMDBError) {
      guard let lock = try FileLock.tryLock(path) else { return nil }
      return TellerLock(lock)
    } catch { throw WebhookError(.disk, "\(path) cannot be locked: \(error)") }
  }

  package consuming func unlock() { lock.unlock() }
}
