internal import LMDB
internal import LedgerEvents
internal import Synchronization

/// The keys of what identifies people, in a flat file of fixed slots beside the log: overwriting a
/// slot destroys what was sealed under it, which deleting from LMDB would not (its old pages keep
/// 86 % of what was deleted).
///
/// A slot is 32 random bytes, made ahead in blocks that are synced before the first of their slots
/// is used, so that an append costs no second sync. Slot 0 is the file's head: a mark and the id of
/// its ledger. A slot of zeros was destroyed. Backups of the log carry no keys.
///
/// Safe from any thread. Slots are made under the log's write lock.
package final class PersonalKeys: Sendable {
  /// The name of the file in the ledger's folder.
  package static let fileName = "keys"

  /// Slots of one block: 128 KiB that are written and synced at a time.
  static let blockSlots = 4_096

  /// The highest slot: its number takes 31 bits in rows.
  static let slotMax: UInt32 = 0x7FFF_FFFF

  private static let mark = Array("daybook keys 1\n\0".utf8)

  package let path: String
  private let folder: String
  private let head: [UInt8]
  private let mode: UInt32
  private let isWritable: Bool
  private let state = Mutex(State())

  private struct State {
    var file: FlatFile?
    /// Slots up to this one are on the disk for good.
    var synced: UInt32 = 0
  }

  package init(folder: String, ledger: [UInt8], mode: UInt32, isWritable: Bool) {
    self.folder = folder
    path = "\(folder)/\(PersonalKeys.fileName)"
    head = PersonalKeys.mark + ledger
    self.mode = mode
    self.isWritable = isWritable
  }

  /// What a slot holds; nil where it was destroyed, or the file is missing or too short.
  ///
  /// - Complexity: one read of 32 bytes.
  /// - Throws: ``LedgerError``: `corrupt` where the file is another ledger's, `io`.
  func secret(_ slot: UInt32) throws(LedgerError) -> Secret? {
    guard slot > 0, let file = try file() else { return nil }
    return try PersonalKeys.secret(slot, in: file)
  }

  /// Whether there is a key file.
  package func isPresent() throws(LedgerError) -> Bool { try file() != nil }

  /// The highest slot that the key file has room for; 0 if there is no file.
  package func lastSlot() throws(LedgerError) -> UInt32 {
    guard let file = try file() else { return 0 }
    do throws(LMDBError) {
      return UInt32(clamping: try file.size() / Secret.byteCount - 1)
    } catch { throw LedgerError(error) }
  }

  /// Makes sure that slots which nothing is sealed under yet are there and on the disk for good.
  ///
  /// To be called under the log's write lock.
  ///
  /// - Parameter slots: From the first one that is free; below it nothing is made, or what is
  ///   missing of a key file that was put back would not be told from what is there.
  /// - Throws: ``LedgerError``: `keysMissing` where earlier slots are gone with their file,
  ///   `limitReached`, `full`, `io`.
  /// - Returns: The key file.
  @discardableResult
  func reserve(_ slots: ClosedRange<UInt32>) throws(LedgerError) -> FlatFile {
    guard slots.upperBound <= PersonalKeys.slotMax else {
      throw LedgerError(
        .limitReached,
        "A ledger seals at most \(PersonalKeys.slotMax) personal texts: begin another one.")
    }
    let file = try fileToWrite(slots.lowerBound)
    if state.withLock({ $0.synced }) >= slots.upperBound { return file }
    do throws(LMDBError) { try extend(file, slots) } catch { throw LedgerError(error) }
    return file
  }

  /// The secret of a slot that nothing is sealed under yet, on the disk for good.
  ///
  /// To be called under the log's write lock.
  ///
  /// - Throws: ``LedgerError``, as ``reserve(_:)``.
  func newSecret(_ slot: UInt32) throws(LedgerError) -> Secret {
    let file = try reserve(slot...slot)
    let secret: Secret?
    do throws(LMDBError) {
      if let found = try PersonalKeys.found(slot, in: file) { return found }
      // Zeros where nothing was sealed: a block that a crash cut off, or a slot that was destroyed
      // in a ledger from whose backup this one was restored. A key of zeros would be none.
      try PersonalKeys.fill(file, from: slot)
      secret = try PersonalKeys.found(slot, in: file)
    } catch {
      // What the failed sync was to make durable is no longer trusted.
      state.withLock { $0.synced = min($0.synced, slot - 1) }
      throw LedgerError(error)
    }
    guard let secret else { throw LedgerError(.io, "\(path): a slot was written and is empty.") }
    return secret
  }

  /// Overwrites slots with zeros, for good: what was sealed under them is nowhere any more.
  ///
  /// Slots that read as zeros are overwritten, too. They may come from a sync that failed, and then
  /// the disk still holds the keys.
  ///
  /// - Returns: Whether there is a key file.
  /// - Complexity: one write a slot, one sync.
  package func destroy(_ slots: some Sequence<UInt32>) throws(LedgerError) -> Bool {
    guard let file = try file() else { return false }
    let zeros = [UInt8](repeating: 0, count: Secret.byteCount)
    do throws(LMDBError) {
      let end = try file.size()
      // What a shorter copy lacks stays missing.
      for slot in slots where PersonalKeys.offset(slot) + Secret.byteCount <= end {
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
      start = try found?.read(at: 0, count: Secret.byteCount) ?? []
    } catch {
      throw LedgerError(error)
    }
    // One that is being made, or whose making was cut short, has no head yet.
    guard let found, start.contains(where: { $0 != 0 }) else { return nil }
    guard start == head else {
      throw LedgerError(
        .corrupt,
        """
        \(path) is no key file of this ledger: put the ledger's own back from where its keys are \
        backed up.
        """)
    }
    state.withLock { $0.file = found }
    return found
  }

  private func fileToWrite(_ slot: UInt32) throws(LedgerError) -> FlatFile {
    if let file = try file() { return file }
    guard slot == 1 else { throw .keysMissing(path) }
    do throws(LMDBError) {
      let file =
        if let cutOff = try FlatFile.open(path, isWritable: true) {
          cutOff
        } else {
          try FlatFile.create(path, in: folder, mode: mode)
        }
      try PersonalKeys.fill(file, from: 1)
      // The head goes last: a file that has one has its first block.
      try file.write(head, at: 0)
      try file.sync()
      state.withLock { $0 = State(file: file, synced: UInt32(PersonalKeys.blockSlots)) }
      return file
    } catch {
      throw LedgerError(error)
    }
  }

  /// Makes a key file of which the slots up to `taken` are empty, as they are after an erasure.
  package func makeAnew(taken: UInt32) throws(LedgerError) {
    do throws(LMDBError) {
      let file = try FlatFile.create(path, in: folder, mode: mode)
      try PersonalKeys.fill(file, from: taken + 1)
      try file.write(head, at: 0)
      try file.sync()
    } catch {
      throw LedgerError(error)
    }
  }

  /// Makes sure that slots that are free are there and on the disk.
  ///
  /// Slots that this process has not synced itself are written again. After a sync that failed, in
  /// this process or another, the system takes what was not written for written, and the next sync
  /// succeeds without writing it (fsync(2), `EIO`).
  private func extend(_ file: FlatFile, _ slots: ClosedRange<UInt32>) throws(LMDBError) {
    let end = try file.size() / Secret.byteCount
    let first = max(state.withLock { Int($0.synced) } + 1, Int(slots.lowerBound))
    let last = min(end - 1, PersonalKeys.blockEnd(slots.upperBound))
    if first <= last {
      let start = first * Secret.byteCount
      let bytes = try file.read(at: start, count: (last + 1 - first) * Secret.byteCount)
      try file.write(bytes, at: start)
    }
    if slots.upperBound >= end {
      let start = max(UInt32(clamping: end), slots.lowerBound)
      try PersonalKeys.fill(file, from: start, through: slots.upperBound)
    }
    try file.sync()
    try syncFolder(folder)
    let held = try file.size() / Secret.byteCount - 1
    let synced = min(held, PersonalKeys.blockEnd(slots.upperBound))
    state.withLock { $0.synced = UInt32(clamping: synced) }
  }

  /// The last slot of the block that holds `slot`.
  private static func blockEnd(_ slot: UInt32) -> Int { (Int(slot) / blockSlots + 1) * blockSlots }

  /// Writes random slots from `start` to the end of the block that holds `last`, and syncs them.
  ///
  /// - Parameter last: `start` where it is left out.
  private static func fill(
    _ file: FlatFile, from start: UInt32, through last: UInt32? = nil
  ) throws(LMDBError) {
    let end = blockEnd(last ?? start)
    var random = SystemRandomNumberGenerator()
    let bytes = [UInt8](random: (end + 1 - Int(start)) * Secret.byteCount, using: &random)
    try file.write(bytes, at: offset(start))
    try file.sync()
  }

  private static func offset(_ slot: UInt32) -> Int { Int(slot) * Secret.byteCount }

  private static func secret(_ slot: UInt32, in file: FlatFile) throws(LedgerError) -> Secret? {
    do throws(LMDBError) { return try found(slot, in: file) } catch { throw LedgerError(error) }
  }

  private static func found(_ slot: UInt32, in file: FlatFile) throws(LMDBError) -> Secret? {
    let bytes = try file.read(at: offset(slot), count: Secret.byteCount)
    guard bytes.count == Secret.byteCount, bytes.contains(where: { $0 != 0 }) else { return nil }
    return Secret(bytes)
  }
}

extension LedgerError {
  /// The key file is gone while texts are sealed under its slots.
  package static func keysMissing(_ path: String) -> LedgerError {
    LedgerError(
      .keysMissing,
      """
      The key file \(path) is missing: put it back from where the keys are backed up, or restore \
      the ledger with `daybook restore --without-keys`, which gives up the names and texts of \
      people.
      """)
  }
}
