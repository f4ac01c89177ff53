internal import PackageFiles
internal import Synchronization

/// The keys of a ledger's signed answers in memory, for a service. Each question looks whether the
/// file is still the one that was read, so that a new key signs from the next request on.
package final class AnswerKeyKeeper: Sendable {
  private struct Known {
    let file: HeldFile
    let keys: [StoredKey]
  }

  private let store: AnswerKeyStore
  private let known = Mutex<Known?>(nil)

  package init(_ store: AnswerKeyStore) { self.store = store }

  /// The public halves of all keys.
  ///
  /// - Throws: ``TokenError``: `noLedger`, `damaged`, `unknownVersion`, `disk`.
  package func published() throws(TokenError) -> [AnswerKey] { try current().map(\.key) }

  /// The key that signs; nil if there is none.
  ///
  /// - Throws: ``TokenError``: `noLedger`, `damaged`, `unknownVersion`, `disk`.
  package func signer() throws(TokenError) -> AnswerSigner? {
    try current().lazy.compactMap(\.signer).first
  }

  private func current() throws(TokenError) -> [StoredKey] {
    try known.withLock { (known) throws(TokenError) -> [StoredKey] in
      if let there = known {
        do throws(FolderError) {
          if try there.file.isUnchanged(at: store.path) { return there.keys }
        } catch {
          known = nil
          throw store.unreadable(error)
        }
      }
      known = nil
      guard let (file, keys) = try store.opened() else { return [] }
      known = Known(file: file, keys: keys)
      return keys
    }
  }
}
