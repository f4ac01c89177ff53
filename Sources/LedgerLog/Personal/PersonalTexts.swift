internal import LMDB
internal import LedgerEvents
internal import Synchronization

/// Reads and writes the rows about people, which are encrypted under the slots of the key file.
package final class PersonalTexts: Sendable {
  package let keys: PersonalKeys?
  private let opened = Mutex(Opened())

  /// Names that were decrypted recently. Decrypting one takes about two microseconds.
  private struct Opened {
    var names: [Key: Name] = [:]
    /// The number of slots that had been destroyed when they were decrypted.
    var erasures = 0
  }

  /// Identifies an encrypted name. A slot that a rejected batch gave back may contain another name
  /// later.
  private struct Key: Hashable {
    let slot: UInt32
    let commitment: UInt64

    init(_ name: borrowing SealedName) {
      slot = name.slot.taken
      commitment = name.commitment.bigEndianWord(at: 0)
    }
  }

  /// The number of names to keep before all of them are dropped.
  private static let namesMax = 1 << 14

  init(keys: PersonalKeys) { self.keys = keys }

  /// Creates an instance without keys, for a log whose identity is not known yet.
  init() {
    keys = nil
  }

  /// Returns the `NameSeal`, which hashes and encrypts the names of people.
  ///
  /// - Throws: ``LedgerError``: `keysMissing` without the key file, `corrupt`, `io`.
  package func seal() throws(LedgerError) -> NameSeal {
    guard let head = try keys?.head() else { throw .namesUnknown }
    return head.people
  }

  /// Returns the text of a name that was decrypted before.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - erasures: The number of destroyed slots according to the log. Names that were decrypted
  ///     before the last of them was destroyed are no longer returned.
  func opened(_ name: borrowing SealedName, erasures: Int) -> Name? {
    let key = Key(name)
    return opened.withLock { opened in
      if opened.erasures != erasures { opened = Opened(erasures: erasures) }
      return opened.names[key]
    }
  }

  /// Returns the text of a name, or `nil` if its key has been destroyed or is missing.
  ///
  /// - Throws: ``LedgerError``: `corrupt`, `io`.
  func open(_ name: borrowing SealedName, erasures: Int) throws(LedgerError) -> Name? {
    guard !name.slot.isForgotten, let secret = try keys?.secret(name.slot.taken) else {
      return nil
    }
    guard let text = name.text(secret) else {
      throw .corrupt(
        "The name that is sealed under slot \(name.slot.taken) of the key file is damaged")
    }
    let key = Key(name)
    opened.withLock { opened in
      if opened.names.count >= PersonalTexts.namesMax { opened.names.removeAll() }
      if opened.erasures == erasures { opened.names[key] = text }
    }
    return text
  }
}
