internal import LMDB
internal import LedgerEvents
internal import Synchronization

/// Reads and writes the rows about people: what is sealed under the slots of the key file.
final class PersonalTexts: Sendable {
  let keys: PersonalKeys?
  let seal: NameSeal
  private let opened = Mutex(Opened())

  /// Names that were opened of late, by their slot: opening one takes some two microseconds.
  private struct Opened {
    var names: [UInt32: Name] = [:]
    /// How many slots had been destroyed when they were opened.
    var erasures = 0
  }

  /// Names that are remembered before all of them are forgotten.
  private static let namesMax = 1 << 14

  init(keys: PersonalKeys, seal: NameSeal) {
    self.keys = keys
    self.seal = seal
  }

  /// Reads none: of a log whose identity is not known yet.
  init() {
    keys = nil
    seal = NameSeal(low: .zero, high: .zero)
  }

  /// The text of a name; nil where its key is gone.
  ///
  /// - Parameter erasures: How many slots the log says were destroyed: what was opened before the
  ///   last of them is not shown any more.
  /// - Throws: ``LedgerError``: `corrupt`, `io`.
  func text(of name: borrowing SealedName, erasures: Int) throws(LedgerError) -> Name? {
    guard !name.slot.isForgotten else { return nil }
    let slot = name.slot.taken
    if let known = known(slot, erasures) { return known }
    guard let secret = try keys?.secret(slot) else { return nil }
    guard let text = name.text(secret) else {
      throw .corrupt("The name that is sealed under slot \(slot) of the key file is damaged")
    }
    opened.withLock { opened in
      if opened.names.count >= PersonalTexts.namesMax { opened.names.removeAll() }
      if opened.erasures == erasures { opened.names[slot] = text }
    }
    return text
  }

  private func known(_ slot: UInt32, _ erasures: Int) -> Name? {
    opened.withLock { opened in
      if opened.erasures != erasures { opened = Opened(erasures: erasures) }
      return opened.names[slot]
    }
  }
}
