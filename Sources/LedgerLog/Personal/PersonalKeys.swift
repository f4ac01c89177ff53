internal import LMDB
internal import LedgerEvents
internal import Synchronization

/// The keys of data that identifies people, in a flat file of fixed slots beside the log.
/// Overwriting a slot destroys what was encrypted under it. Deleting rows from LMDB would not,
/// because its old pages keep 86 % of what was deleted.
///
/// A slot is 32 random bytes. Slots are created in advance, in blocks that are synced before their
/// first slot is used, so that an append needs no second sync. They follow the file's head, which
/// contains the ledger's secrets (``KeyFileHead``). A slot of zeros was destroyed. Backups of the
/// log contain no keys.
///
/// Any thread can use it. Slots are created under the log's write lock.
package final class PersonalKeys: Sendable {
  /// The name of the file in the ledger's folder.
  package static let fileName = "keys"

  /// The number of slots in a block: 128 KiB that are written and synced at a time.
  static let blockSlots = 4_096

  /// The highest slot, because rows store its number in 31 bits.
  static let slotMax: UInt32 = 0x7FFF_FFFF

  package let path: String
  private let folder: String
  private let ledger: [UInt8]
  private let digest: [UInt8]
  private let isWritable: Bool
  private let state = Mutex(State())

  private struct State {
    var file: FlatFile?
    var head: KeyFileHead?
    /// Slots up to this one are durable.
    var synced: UInt32 = 0
  }

  package init(folder: String, _ identity: LogIdentity, isWritable: Bool) {
    self.folder = folder
    path = PersonalKeys.path(in: folder)
    ledger = identity.ledger
    digest = identity.keysDigest
    self.isWritable = isWritable
  }

  private static func path(in folder: String) -> String { "\(folder)/\(fileName)" }

  /// Returns the head with the ledger's secrets, or `nil` if there is no file.
  ///
  /// - Complexity: O(1). It is read only once.
  /// - Throws: ``LedgerError``: `corrupt` if the head is damaged or of another ledger, `io`.
  package func head() throws(LedgerError) -> KeyFileHead? {
    if let head = state.withLock({ $0.head }) { return head }
    _ = try file()
    return state.withLock { $0.head }
  }

  /// Returns the secret in a slot, or `nil` if it was destroyed or the file is missing or too
  /// short.
  ///
  /// - Complexity: One read of 32 bytes.
  /// - Throws: ``LedgerError``: `corrupt` if the file is of another ledger, `io`.
  func secret(_ slot: UInt32) throws(LedgerError) -> Secret? {
    guard slot > 0, let file = try file() else { return nil }
    return try PersonalKeys.secret(slot, in: file)
  }

  /// Returns whether there is a key file.
  package func isPresent() throws(LedgerError) -> Bool { try file() != nil }

  /// Returns the highest slot in the key file, or 0 if there is no file.
  package func lastSlot() throws(LedgerError) -> UInt32 {
    guard let file = try file() else { return 0 }
    do throws(LMDBError) {
      return try PersonalKeys.slotEnd(of: file) - 1
    } catch { throw LedgerError(error) }
  }

  /// Makes sure that free slots exist and are durable.
  ///
  /// Call this under the log's write lock.
  ///
  /// - Parameter slots: The slots, from the first free one. No slot below it is created. Otherwise,
  ///   slots that are missing because an older key file was put back would look as if they existed.
  /// - Throws: ``LedgerError``: `keysMissing` if there is no key file, `limitReached`, `full`,
  ///   `io`.
  /// - Returns: The slots.
  /// - Complexity: Three system calls. For slots that are not durable yet, also at most one read,
  ///   two writes, two syncs of the file and one of the folder.
  func reserve(_ slots: ClosedRange<UInt32>) throws(LedgerError) -> KeySlots {
    guard slots.upperBound <= PersonalKeys.slotMax else {
      throw LedgerError(
        .limitReached,
        "A ledger seals at most \(PersonalKeys.slotMax) personal texts: begin another one.")
    }
    try leaveReplacedFile()
    let file = try ready(slots)
    do throws(LMDBError) { return try KeySlots(slots, in: file) } catch {
      throw LedgerError(error)
    }
  }

  /// Closes a key file that was removed or replaced after it was opened. What is encrypted under
  /// keys in a removed file could never be decrypted again.
  private func leaveReplacedFile() throws(LedgerError) {
    guard let file = state.withLock({ $0.file }) else { return }
    do throws(LMDBError) {
      if try file.isAtItsPath() { return }
    } catch { throw LedgerError(error) }
    state.withLock { $0 = State() }
  }

  private func ready(_ slots: ClosedRange<UInt32>) throws(LedgerError) -> FlatFile {
    guard let file = try file() else { throw .keysMissing(path) }
    if state.withLock({ $0.synced }) >= slots.upperBound { return file }
    do throws(LMDBError) { try extend(file, slots) } catch { throw LedgerError(error) }
    return file
  }

  /// Returns the secret of a free slot, which is durable.
  ///
  /// Call this under the log's write lock.
  ///
  /// - Throws: ``LedgerError``, as ``reserve(_:)``.
  func newSecret(_ slot: UInt32) throws(LedgerError) -> Secret {
    let file = try ready(slot...slot)
    let secret: Secret?
    do throws(LMDBError) {
      if let found = try PersonalKeys.found(slot, in: file) { return found }
      // A free slot can be zero if a crash cut its block off, or if this ledger was restored from a
      // backup of one in which the slot was destroyed. Zeros must not be used as a key.
      try PersonalKeys.fill(file, from: slot)
      secret = try PersonalKeys.found(slot, in: file)
    } catch {
      // Slots that the failed sync should have made durable are no longer trusted.
      state.withLock { $0.synced = min($0.synced, slot - 1) }
      throw LedgerError(error)
    }
    guard let secret else { throw LedgerError(.io, "\(path): a slot was written and is empty.") }
    return secret
  }

  /// Overwrites slots with zeros, durably. What was encrypted under them can never be decrypted
  /// again.
  ///
  /// Slots that read as zeros are overwritten, too. The zeros may come from a sync that failed, and
  /// then the keys are still on the disk.
  ///
  /// - Returns: Whether there is a key file.
  /// - Complexity: One write per slot, and one sync.
  package func destroy(_ slots: some Sequence<UInt32>) throws(LedgerError) -> Bool {
    guard let file = try file() else { return false }
    let zeros = [UInt8](repeating: 0, count: Secret.byteCount)
    do throws(LMDBError) {
      let end = try file.size()
      // Slots that a shorter copy lacks stay missing.
      for slot in slots where slot > 0 && PersonalKeys.offset(slot) + Secret.byteCount <= end {
        try file.write(zeros, at: PersonalKeys.offset(slot))
      }
      try file.sync()
    } catch {
      throw LedgerError(error)
    }
    return true
  }

  // MARK: - The file

  private func file() throws(LedgerError) -> FlatFile? {
    if let file = state.withLock({ $0.file }) { return file }
    let found: FlatFile?
    let start: [UInt8]
    do throws(LMDBError) {
      found = try FlatFile.open(path, isWritable: isWritable)
      start = try found?.read(at: 0, count: KeyFileHead.byteCount) ?? []
    } catch {
      throw LedgerError(error)
    }
    guard let found, start.contains(where: { $0 != 0 }) else { return nil }
    guard let head = try KeyFileHead(start, at: path), head.ledger == ledger else {
      throw LedgerError(
        .corrupt,
        """
        \(path) is the key file of another ledger: restore this ledger's own key file from its \
        backup.
        """)
    }
    guard head.digest == digest else {
      throw LedgerError(
        .corrupt,
        """
        \(path) is the key file from before this ledger was restored without keys: put back the \
        key file that was created by that restore.
        """)
    }
    state.withLock {
      $0.file = found
      $0.head = head
    }
    return found
  }

  /// Creates the key file of a new ledger, with only a head.
  ///
  /// An existing file that contains no more than a head is left over from an interrupted creation,
  /// and is overwritten.
  ///
  /// - Throws: ``LedgerError``: `exists` if there are keys of another ledger, `full`, `io`.
  static func create(
    in folder: String, _ head: KeyFileHead, mode: UInt32
  ) throws(LedgerError) {
    let path = path(in: folder)
    var isInTheWay = false
    do throws(LMDBError) {
      isInTheWay = try hasSlots(in: folder)
      if !isInTheWay {
        let left = try FlatFile.open(path, isWritable: true)
        let file =
          if let left { left } else { try FlatFile.create(path, in: folder, mode: mode) }
        try file.write(head.bytes, at: 0)
        try file.sync()
      }
    } catch { throw LedgerError(error) }
    guard isInTheWay else { return }
    throw LedgerError(
      .exists,
      "\(path) holds the keys of another ledger: move it away, or choose another path for this one."
    )
  }

  /// Returns whether the folder has a key file with slots, which some ledger's personal data needs.
  static func hasSlots(in folder: String) throws(LMDBError) -> Bool {
    guard let file = try FlatFile.open(path(in: folder), isWritable: false) else { return false }
    return try file.size() > KeyFileHead.byteCount
  }

  /// Creates a new key file in which the slots up to `taken` are empty, as after an erasure.
  ///
  /// - Returns: Its head, whose digest must be written to the ledger's identity.
  package static func makeAnew(
    in folder: String, ledger: [UInt8], taken: UInt32, mode: UInt32
  ) throws(LedgerError) -> KeyFileHead {
    var random = SystemRandom()
    let head = KeyFileHead(ledger: ledger, using: &random)
    do throws(LMDBError) {
      let file = try FlatFile.create(path(in: folder), in: folder, mode: mode)
      try fill(file, from: taken + 1)
      try file.write(head.bytes, at: 0)
      try file.sync()
    } catch {
      throw LedgerError(error)
    }
    return head
  }

  /// Makes sure that free slots exist and are durable.
  ///
  /// Slots that this process has not synced itself are written again. After a failed sync, in this
  /// process or another, the system considers unwritten data written, and the next sync succeeds
  /// without writing it (fsync(2), `EIO`).
  private func extend(_ file: FlatFile, _ slots: ClosedRange<UInt32>) throws(LMDBError) {
    let end = try PersonalKeys.slotEnd(of: file)
    let first = max(state.withLock { $0.synced } + 1, slots.lowerBound)
    let last = min(end - 1, PersonalKeys.blockEnd(slots.upperBound))
    if first <= last {
      let count = Int(last + 1 - first) * Secret.byteCount
      let bytes = try file.read(at: PersonalKeys.offset(first), count: count)
      try file.write(bytes, at: PersonalKeys.offset(first))
    }
    if slots.upperBound >= end {
      try PersonalKeys.fill(file, from: max(end, slots.lowerBound), through: slots.upperBound)
    }
    try file.sync()
    try syncFolder(folder)
    let held = try PersonalKeys.slotEnd(of: file) - 1
    let synced = min(held, PersonalKeys.blockEnd(slots.upperBound))
    state.withLock { $0.synced = synced }
  }

  /// Returns the last slot to write together with `slot`: the next multiple of the block size above
  /// it.
  private static func blockEnd(_ slot: UInt32) -> UInt32 {
    UInt32(clamping: (Int(slot) / blockSlots + 1) * blockSlots)
  }

  /// Writes random slots from `start` through the end of the block of `last`, and syncs them.
  ///
  /// - Parameter last: A slot that must be included; `start` by default.
  private static func fill(
    _ file: FlatFile, from start: UInt32, through last: UInt32? = nil
  ) throws(LMDBError) {
    let end = blockEnd(last ?? start)
    let secrets = try systemEntropy(byteCount: Int(end + 1 - start) * Secret.byteCount)
    try file.write(secrets, at: offset(start))
    try file.sync()
  }

  /// Where a slot is in the file.
  static func offset(_ slot: UInt32) -> Int {
    precondition(slot > 0, "slots are counted from 1")
    return KeyFileHead.byteCount + (Int(slot) - 1) * Secret.byteCount
  }

  /// The first slot that is not in the file.
  static func slotEnd(of file: FlatFile) throws(LMDBError) -> UInt32 {
    // Somebody may have cut the file short since it was opened.
    let slots = max(0, try file.size() - KeyFileHead.byteCount) / Secret.byteCount
    return UInt32(clamping: slots + 1)
  }

  private static func secret(_ slot: UInt32, in file: FlatFile) throws(LedgerError) -> Secret? {
    do throws(LMDBError) { return try found(slot, in: file) } catch { throw LedgerError(error) }
  }

  /// Returns the content of a slot; `nil` if it is empty, or not in the file.
  static func found(_ slot: UInt32, in file: FlatFile) throws(LMDBError) -> Secret? {
    try KeySlots(slot...slot, in: file).secret(slot)
  }
}

extension LedgerError {
  /// A question or an event names a person, and there is no key file.
  package static var namesUnknown: LedgerError {
    LedgerError(
      .keysMissing,
      """
      The ledger's key file `\(PersonalKeys.fileName)` is missing. Without it, no account, device \
      or session can be looked up, and no event that names one can be appended. Questions that \
      name no person still work. Restore the file from its backup, or restore the ledger with \
      `daybook restore --without-keys`, which gives up the names and texts of people.
      """)
  }

  /// The key file is missing, although texts are encrypted under its slots.
  package static func keysMissing(_ path: String) -> LedgerError {
    LedgerError(
      .keysMissing,
      """
      The key file \(path) is missing: restore it from its backup, or restore the ledger with \
      `daybook restore --without-keys`, which gives up the names and texts of people.
      """)
  }
}
