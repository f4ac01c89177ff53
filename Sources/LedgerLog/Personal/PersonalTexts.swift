internal import LMDB
internal import LedgerEvents
internal import Synchronization

/// Reads and writes the rows about people: what is sealed under the slots of the key file.
package final class PersonalTexts: Sendable {
  package let keys: PersonalKeys?
  private let opened = Mutex(Opened())

  /// Names that were opened of late: opening one takes some two microseconds.
  private struct Opened {
    var names: [Key: Name] = [:]
    /// How many slots had been destroyed when they were opened.
    var erasures = 0
  }

  /// What was sealed: a slot that a refused batch gave back may hold another name later.
  private struct Key: Hashable {
    let slot: UInt32
    let commitment: UInt64

    init(_ name: borrowing SealedName) {
      slot = name.slot.taken
      commitment = name.commitment.bigEndianWord(at: 0)
    }
  }

  /// Names that are remembered before all of them are forgotten.
  private static let namesMax = 1 << 14

  init(keys: PersonalKeys) { self.keys = keys }

  /// Reads none: of a log whose identity is not known yet.
  init() {
    keys = nil
  }

  /// What hashes and seals the names of people.
  ///
  /// - Throws: ``LedgerError``: `keysMissing` without the key file, `corrupt`, `io`.
  package func seal() throws(LedgerError) -> NameSeal {
    guard let head = try keys?.head() else { throw .namesUnknown }
    return head.people
  }

  /// The text of a name that was opened before.
  ///
  /// - Parameter erasures: How many slots the log says were destroyed: what was opened before the
  ///   last of them is not shown any more.
  func opened(_ name: borrowing SealedName, erasures: Int) -> Name? {
    let key = Key(name)
    return opened.withLock { opened in
      if opened.erasures != erasures { opened = Opened(erasures: erasures) }
      return opened.names[key]
    }
  }

  /// The text of a name; nil where its key is gone.
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
