internal import LMDB
internal import LedgerEvents
internal import Synchronization

/// The root of the log's tree after the last commit, in a small file beside the log.
///
/// LMDB's pages do not show that the log went back: of two intact states, the older one looks as
/// good as the newer one. So the root is written outside of them after each commit, without waiting
/// for the disk, and synced when the log is quiet. The file is never ahead of the log, because it
/// is written after the commit is durable. A log that is behind it, or has another root at its
/// position, has lost or changed acknowledged events.
///
/// Two slots are written in turn, so that a write that is cut short leaves the other one intact.
///
/// ```
/// 0   16  mark
/// 16  16  the ledger's id
/// 32   8  position, big-endian
/// 40  32  root of the tree at that position
/// 72   8  XXH64 of the bytes before it, big-endian
/// ```
package final class RootKeeper: Sendable {
  /// The name of the file in the ledger's folder.
  package static let fileName = "root"

  /// The bytes from one slot to the next: a sector of the disk, which is written as a whole.
  private static let slotBytes = 512
  private static let slotCount = 2
  private static let contentBytes = 72
  private static let mark = Array("daybook root 1\n\0".utf8)

  package let path: String
  private let folder: String
  private let ledger: [UInt8]
  private let mode: UInt32
  private let state = Mutex(State())

  private struct State {
    var file: FlatFile?
    var next = 0
    var isSynced = true
    /// Why the newest root could not be kept.
    var failure: LedgerError?
  }

  package init(folder: String, ledger: [UInt8], mode: UInt32) {
    self.folder = folder
    path = "\(folder)/\(RootKeeper.fileName)"
    self.ledger = ledger
    self.mode = mode
  }

  /// Writes the root after a durable commit.
  ///
  /// If the root cannot be written, the commit remains valid, and the root that was kept before
  /// remains a root of the log. ``failure()`` reports the reason until a root can be kept again.
  ///
  /// - Complexity: One write of 80 bytes. The first time, the file is created and synced if it is
  ///   missing.
  func keep(_ root: TreeHash, at position: UInt64) {
    var failure: LedgerError?
    do throws(LedgerError) { try write(root, at: position) } catch { failure = error }
    state.withLock { $0.failure = failure }
  }

  /// Writes the root of a copy of a log into both slots, and waits until it is on the disk.
  ///
  /// - Throws: ``LedgerError``: `full`, `io`.
  package func keepDurably(_ kept: KeptRoot) throws(LedgerError) {
    for _ in 0..<RootKeeper.slotCount { try write(kept.root, at: kept.position) }
    try sync()
  }

  /// Why the root of the last commit could not be kept; `nil` if it was.
  func failure() -> LedgerError? { state.withLock { $0.failure } }

  private func write(_ root: TreeHash, at position: UInt64) throws(LedgerError) {
    var bytes = RootKeeper.mark + ledger
    bytes.append(bigEndianWord: position)
    root.append(to: &bytes)
    bytes.append(bigEndianWord: XXH64.hash(bytes.span))
    let slot = bytes
    do throws(LMDBError) {
      try state.withLock { (state: inout sending State) throws(LMDBError) in
        let file: FlatFile
        if let open = state.file {
          file = open
        } else if let found = try FlatFile.open(path, isWritable: true) {
          file = found
          state.file = file
          // The newest root is kept until the next one has been written.
          state.next = (try newestSlot(in: file) + 1) % RootKeeper.slotCount
        } else {
          state.file = try begin(slot)
          state.next = 0
          state.isSynced = true
          return
        }
        try file.write(slot, at: state.next * RootKeeper.slotBytes)
        state.next = (state.next + 1) % RootKeeper.slotCount
        state.isSynced = false
      }
    } catch { throw LedgerError(error) }
  }

  private func newestSlot(in file: FlatFile) throws(LMDBError) -> Int {
    let bytes = try file.read(at: 0, count: RootKeeper.slotCount * RootKeeper.slotBytes)
    let positions = (0..<RootKeeper.slotCount).map { kept(bytes, slot: $0)?.position ?? 0 }
    return positions.indices.max { positions[$0] < positions[$1] } ?? 0
  }

  /// Creates the file with a root in both slots, and syncs it. From then on, one slot is whole at
  /// any time: a power failure that leaves a part of what is written to one leaves the other as it
  /// was, or as it was synced before.
  private func begin(_ slot: [UInt8]) throws(LMDBError) -> FlatFile {
    let file = try FlatFile.create(path, in: folder, mode: mode)
    for number in 0..<RootKeeper.slotCount {
      try file.write(slot, at: number * RootKeeper.slotBytes)
    }
    try file.sync()
    return file
  }

  /// Waits until the kept root is on the disk.
  ///
  /// - Complexity: One sync if a root was written since the last one.
  /// - Throws: ``LedgerError``: `io`.
  package func sync() throws(LedgerError) {
    do throws(LMDBError) {
      try state.withLock { (state: inout sending State) throws(LMDBError) in
        guard !state.isSynced, let file = state.file else { return }
        try file.sync()
        state.isSynced = true
      }
    } catch { throw LedgerError(error) }
  }

  /// Returns the root that was kept last, or `nil` if there is none or this process may not read
  /// it.
  ///
  /// - Throws: ``LedgerError``: `corrupt` if the file does not read as it was written, `io`.
  package func kept() throws(LedgerError) -> KeptRoot? {
    let bytes: [UInt8]
    do throws(LMDBError) {
      guard let file = try FlatFile.open(path, isWritable: false) else { return nil }
      bytes = try file.read(at: 0, count: RootKeeper.slotCount * RootKeeper.slotBytes)
    } catch {
      let failure = LedgerError(error)
      if failure.code == .readOnly { return nil }
      throw failure
    }
    let found = (0..<RootKeeper.slotCount).compactMap { kept(bytes, slot: $0) }
    guard let last = found.max(by: { $0.position < $1.position }) else {
      // A file that was not written whole when it was begun says nothing.
      guard (0..<RootKeeper.slotCount).allSatisfy({ isWritten(bytes, slot: $0) }) else {
        return nil
      }
      throw LedgerError(
        .corrupt,
        "\(path) is damaged: it is not this ledger's last root. Run `daybook verify`; if the log "
          + "is intact, remove the file.")
    }
    return last
  }

  /// Whether anything was ever written to a slot.
  private func isWritten(_ bytes: [UInt8], slot: Int) -> Bool {
    bytes.dropFirst(slot * RootKeeper.slotBytes).prefix(RootKeeper.slotBytes).contains { $0 != 0 }
  }

  /// Returns the content of a slot, or `nil` if it is empty or damaged.
  private func kept(_ bytes: [UInt8], slot: Int) -> KeptRoot? {
    let start = slot * RootKeeper.slotBytes
    guard bytes.count >= start + RootKeeper.contentBytes + 8 else { return nil }
    let content = bytes.span.extracting(start..<start + RootKeeper.contentBytes)
    guard XXH64.hash(content) == bytes.span.bigEndianWord(at: start + RootKeeper.contentBytes),
      [UInt8](copying: content.extracting(0..<32)) == RootKeeper.mark + ledger,
      let root = TreeHash(content.extracting(40..<RootKeeper.contentBytes))
    else { return nil }
    return KeptRoot(position: content.bigEndianWord(at: 32), root: root)
  }
}

/// The root of the log's tree at a position, as it was kept outside of the log.
package struct KeptRoot: Hashable, Sendable {
  /// The position of the newest event at that time.
  package let position: UInt64
  /// The root at that position.
  package let root: TreeHash

  package init(position: UInt64, root: TreeHash) {
    self.position = position
    self.root = root
  }

  /// Whether a log is at least as long and has this root.
  ///
  /// - Complexity: O(log *n*).
  /// - Throws: ``LedgerError``: `corrupt` if the log is too damaged to tell, `io`.
  package func fits(_ log: LogView) throws(LedgerError) -> Bool {
    guard position <= log.lastPosition else { return false }
    return try log.root(at: position) == root
  }

  /// Checks that the log is at least as long and has this root.
  ///
  /// - Parameter file: The file that it was kept in.
  /// - Complexity: O(log *n*).
  /// - Throws: ``LedgerError``: `corrupt` if the log is shorter, or has another root there.
  func check(_ log: LogView, file: String) throws(LedgerError) {
    let advice = """
      If an older copy of the log was put back on purpose, remove \(file); otherwise restore the \
      ledger from its newest backup.
      """
    guard position <= log.lastPosition else {
      throw LedgerError(
        .corrupt,
        """
        The log went back: it should have \(position.counted("event")), and it has \
        \(log.lastPosition). \
        \(advice)
        """, position: position)
    }
    guard try fits(log) else {
      throw LedgerError(
        .corrupt,
        """
        The log is not the one that was written: its root at \(position) differs from the kept \
        one. \(advice)
        """, position: position)
    }
  }
}
