internal import LMDB
internal import LedgerEvents

/// What the key file holds for a slot, as far as it can be read.
enum KeyReading {
  case secret(Secret)
  /// The file has no key there.
  case missing
  /// The file cannot be used, which was reported once.
  case unreadable
}

extension LogVerifier {
  /// Reads the head of the key file. If it is damaged, the log is looked through without keys.
  mutating func verifyKeyFile(_ log: LogView) {
    do throws(LedgerError) { _ = try log.tables.texts.keys?.head() } catch { reportKeyFile(error) }
  }

  /// What the key file holds for a slot.
  mutating func key(of slot: UInt32, _ log: LogView) -> KeyReading {
    guard isKeyFileUsable else { return .unreadable }
    do throws(LedgerError) {
      return try log.tables.texts.keys?.secret(slot).map(KeyReading.secret) ?? .missing
    } catch {
      reportKeyFile(error)
      return .unreadable
    }
  }

  /// Counts a key that an erasure was to destroy and that is there, unless it goes on.
  mutating func verifyDestroyed(_ slot: Slot, _ log: LogView) throws(LedgerError) {
    guard !slot.isForgotten, case .secret = key(of: slot.taken, log),
      try LogIdentity.row(.erasing, log.view, log.tables) == nil
    else { return }
    keysLeft += 1
  }

  /// How many keys are gone that no erasure destroyed, up to now.
  func countKeysMissing(_ erasedSince: () throws(LedgerError) -> Set<UInt32>) -> Int {
    if slotsWithoutKey.isEmpty { return 0 }
    do throws(LedgerError) {
      let erased = try erasedSince()
      return slotsWithoutKey.count { !erased.contains($0) }
    } catch {
      // What cannot be read now was read before, and is reported where it is damaged.
      return slotsWithoutKey.count
    }
  }

  /// Reports, once, that the key file cannot be used. That is no damage to the log.
  private mutating func reportKeyFile(_ error: LedgerError) {
    isKeyFileUsable = false
    report(LogFault(.keyFile, "the key file cannot be used: \(error)"))
  }
}
