internal import LMDB
internal import LedgerEvents

/// The content of a key slot, as far as it can be read.
enum KeyReading {
  case secret(Secret)
  /// There is no key in the slot.
  case missing
  /// The file cannot be used, which has been reported.
  case unreadable
}

/// The slots whose keys an erasure was destroying when the log was read.
struct KeysInErasure {
  private let slots: Set<UInt32>
  /// Whether the mark of the erasure does not name its slots, so that it may be about any.
  private let mayBeAny: Bool

  init(_ log: LogView) throws(LedgerError) {
    let mark = try ErasureMark(log.view, log.tables)
    slots = Set(mark?.slots ?? [])
    mayBeAny = mark?.slots.isEmpty ?? false
  }

  func contains(_ slot: UInt32) -> Bool { mayBeAny || slots.contains(slot) }
}

extension LogVerifier {
  /// Reads the head of the key file. If it is damaged, the log is verified without keys.
  mutating func verifyKeyFile(_ log: LogView) {
    do throws(LedgerError) { _ = try log.tables.texts.keys?.head() } catch { reportKeyFile(error) }
  }

  /// Returns the content of a key slot.
  mutating func key(of slot: UInt32, _ log: LogView) -> KeyReading {
    guard isKeyFileUsable else { return .unreadable }
    do throws(LedgerError) {
      return try log.tables.texts.keys?.secret(slot).map(KeyReading.secret) ?? .missing
    } catch {
      reportKeyFile(error)
      return .unreadable
    }
  }

  /// Counts a key that exists although it was erased, unless an erasure is destroying it.
  mutating func verifyDestroyed(_ slot: Slot, _ log: LogView) throws(LedgerError) {
    guard !slot.isForgotten, case .secret = key(of: slot.taken, log) else { return }
    let known: KeysInErasure
    if let keysInErasure { known = keysInErasure } else { known = try KeysInErasure(log) }
    keysInErasure = known
    if !known.contains(slot.taken) { keysLeft += 1 }
  }

  /// Returns the number of keys that are missing although no erasure has destroyed them up to now.
  func countKeysMissing(_ erasedSince: () throws(LedgerError) -> Set<UInt32>) -> Int {
    if slotsWithoutKey.isEmpty { return 0 }
    do throws(LedgerError) {
      let erased = try erasedSince()
      return slotsWithoutKey.count { !erased.contains($0) }
    } catch {
      // The list was read before, and damage to it has been reported.
      return slotsWithoutKey.count
    }
  }

  /// Reports, once, that the key file cannot be used. The log itself is not damaged by that.
  private mutating func reportKeyFile(_ error: LedgerError) {
    isKeyFileUsable = false
    report(LogFault(.keyFile, "the key file cannot be used: \(error)"))
  }
}
