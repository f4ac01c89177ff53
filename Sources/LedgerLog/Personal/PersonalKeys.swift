internal import LMDB
internal import LedgerEvents
internal import Synchronization

/// The keys of what identifies people, in a flat file of fixed slots beside the log: overwriting a
/// slot destroys what was sealed under it, which deleting from LMDB would not (its old pages keep
/// 86 % of what was deleted).
///
/// A slot is 32 random bytes, made ahead in blocks that are synced before the first of their slots
/// is used, so that an append costs no second sync. They follow the file's head, which holds the
/// ledger's secrets (``KeyFileHead``). A slot of zeros was destroyed. Backups of the log carry no
/// keys.
///
/// Safe from any thread. Slots are made under the log's write lock.
package final class PersonalKeys: Sendable {
  /// The name of the file in the ledger's folder.
  package static let fileName = "keys"

  /// Slots of one block: 128 KiB that are written and synced at a time.
  static let blockSlots = 4_096

  /// The highest slot: its number takes 31 bits in rows.
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
    /// Slots up to this one are on the disk for good.
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

  /// The ledger's secrets that the file begins with; nil where there is no file.
  ///
  /// - Complexity: O(1), read once.
  /// - Throws: ``LedgerError``: `corrupt` where the file is damaged or another one's, `io`.
  package func head() throws(LedgerError) -> KeyFileHead? {
    if let head = state.withLock({ $0.head }) { return head }
    _ = try file()
    return state.withLock { $0.head }
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
      return try PersonalKeys.slotEnd(of: file) - 1
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
  /// - Complexity: Two system calls, and one write and two syncs per block of slots.
  @discardableResult
  func reserve(_ slots: ClosedRange<UInt32>) throws(LedgerError) -> FlatFile {
    guard slots.upperBound <= PersonalKeys.slotMax else {
      throw LedgerError(
        .limitReached,
        "A ledger seals at most \(PersonalKeys.slotMax) personal texts: begin another one.")
    }
    try leaveReplacedFile()
    return try ready(slots)
  }

  /// Lets go of a key file that somebody removed or replaced since it was opened. What is sealed
  /// under keys in a file without a name could never be read again.
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

  /// The secret of a slot that nothing is sealed under yet, on the disk for good.
  ///
  /// To be called under the log's write lock.
  ///
  /// - Throws: ``LedgerError``, as ``reserve(_:)``.
  func newSecret(_ slot: UInt32) throws(LedgerError) -> Secret {
    let file = try ready(slot...slot)
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
        \(path) is no key file of this ledger: put the ledger's own back from where its keys are \
        backed up.
        """)
    }
    guard head.digest == digest else {
      throw LedgerError(
        .corrupt,
        """
        \(path) is a key file from before this ledger was restored without keys: put the one back \
        that was made then.
        """)
    }
    state.withLock {
      $0.file = found
      $0.head = head
    }
    return found
  }

  /// Makes the key file of a new ledger, of which only the head is there yet.
  ///
  /// A file that is no longer than that is what a creation left that was cut short.
  ///
  /// - Throws: ``LedgerError``: `exists` where there are keys of another ledger, `full`, `io`.
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

  /// Whether the folder has a key file with more than a head: some ledger's personal data needs it.
  static func hasSlots(in folder: String) throws(LMDBError) -> Bool {
    guard let file = try FlatFile.open(path(in: folder), isWritable: false) else { return false }
    return try file.size() > KeyFileHead.byteCount
  }

  /// Makes a key file of which the slots up to `taken` are empty, as they are after an erasure.
  ///
  /// - Returns: Its head, whose digest the ledger's identity has to hold.
  package static func makeAnew(
    in folder: String, ledger: [UInt8], taken: UInt32, mode: UInt32
  ) throws(LedgerError) -> KeyFileHead {
    var random = SystemRandomNumberGenerator()
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

  /// Makes sure that slots that are free are there and on the disk.
  ///
  /// Slots that this process has not synced itself are written again. After a sync that failed, in
  /// this process or another, the system takes what was not written for written, and the next sync
  /// succeeds without writing it (fsync(2), `EIO`).
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

  /// The last slot of the block that holds `slot`.
  private static func blockEnd(_ slot: UInt32) -> UInt32 {
    UInt32(clamping: (Int(slot) / blockSlots + 1) * blockSlots)
  }

  /// Writes random slots from `start` to the end of the block that holds `last`, and syncs them.
  ///
  /// - Parameter last: `start` where it is left out.
  private static func fill(
    _ file: FlatFile, from start: UInt32, through last: UInt32? = nil
  ) throws(LMDBError) {
    let end = blockEnd(last ?? start)
    var random = SystemRandomNumberGenerator()
    let wordCount = Int(end + 1 - start) * Secret.byteCount / MemoryLayout<UInt64>.size
    let words = (0..<wordCount).map { _ in random.next() }
    try file.write(words, at: offset(start))
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

  /// What a slot holds; nil if it is empty, or not in the file.
  static func found(_ slot: UInt32, in file: FlatFile) throws(LMDBError) -> Secret? {
    let bytes = try file.read(at: offset(slot), count: Secret.byteCount)
    guard bytes.count == Secret.byteCount, bytes.contains(where: { $0 != 0 }) else { return nil }
    return Secret(bytes)
  }
}

extension LedgerError {
  /// Something was asked or told of a person, and there is no key file.
  package static var namesUnknown: LedgerError {
    LedgerError(
      .keysMissing,
      """
      The ledger's key file `\(PersonalKeys.fileName)` is missing. Without it, no account, device \
      or session can be looked up, and nothing about one can be appended; what names nobody is \
      answered as ever. Put the file back from where the keys are backed up, or restore the ledger \
      with `daybook restore --without-keys`, which gives up the names and texts of people.
      """)
  }

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
