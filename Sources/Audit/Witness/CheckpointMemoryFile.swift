internal import Foundation
internal import LMDB
public import LedgerStore

/// A ``CheckpointMemory`` in a file, for one process at a time.
///
/// A change is written to another file, synced, and renamed, so that the file is always whole. The
/// lock is an empty file beside it, whose name ends in `.lock` and which stays.
public struct CheckpointMemoryFile: Sendable {
  /// The path as it was given.
  public let path: String

  /// The permissions: its owner reads and writes it.
  private static let mode: UInt32 = 0o600

  /// Names a file. It is not opened yet.
  ///
  /// - Parameter path: The file.
  public init(_ path: String) { self.path = path }

  /// The file itself, so that every link to it takes the same lock.
  private var target: String {
    URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }

  private var folder: String { URL(fileURLWithPath: target).deletingLastPathComponent().path }

  /// Reads the memory; nil if there is no file.
  ///
  /// - Throws: ``ProofError``: `malformed` if the file is damaged, `file` if it cannot be read.
  public func read() throws(ProofError) -> CheckpointMemory? {
    let bytes: [UInt8]
    do throws(LMDBError) {
      guard let file = try FlatFile.open(target, isWritable: false) else { return nil }
      bytes = try file.read(at: 0, count: min(try file.size(), CheckpointMemory.bytesMax + 1))
    } catch {
      throw ProofError(.file, "\(path) cannot be read: \(error.message)")
    }
    do throws(ProofError) { return try CheckpointMemory(bytes) } catch {
      throw ProofError(error.code, "\(path): \(error.message)")
    }
  }

  /// Judges a checkpoint by what was seen before, and remembers it if it is the first of its log or
  /// a proven extension.
  ///
  /// - Parameters:
  ///   - checkpoint: The checkpoint.
  ///   - keys: The keys of its log that are trusted.
  ///   - consistency: A proof between the newest checkpoint that was seen and this one.
  /// - Throws: ``ProofError``: `notProven` if none of the keys signed the checkpoint; `malformed`
  ///   if the file is damaged; `file` if it cannot be read or written.
  public func remember(
    _ checkpoint: SignedCheckpoint, signedBy keys: [NoteVerifier],
    consistency: ConsistencyProof? = nil
  ) throws(ProofError) -> CheckpointMemory.Verdict {
    try update(mustExist: false) { (memory) throws(ProofError) in
      try memory.remember(checkpoint, signedBy: keys, consistency: consistency)
    }
  }

  /// Makes the file, of a memory that has seen nothing.
  ///
  /// - Throws: ``ProofError``: `exists` if there is a file, `file` if it cannot be written.
  public func create() throws(ProofError) {
    try locked { () throws(ProofError) in
      guard try read() == nil else {
        throw ProofError(.exists, "\(path) exists already: nothing in it was changed")
      }
      try write(CheckpointMemory())
    }
  }

  /// Reads the memory, lets `change` change it, and makes the change durable before it returns.
  /// Other processes wait. If `change` throws, nothing is written.
  ///
  /// - Parameters:
  ///   - mustExist: Whether to throw `noFile` if there is no file, instead of making it.
  ///   - change: Changes the memory.
  /// - Throws: ``ProofError``: what `change` throws; `malformed`, `file`, `noFile`.
  func update<Result>(
    mustExist: Bool, _ change: (inout CheckpointMemory) throws(ProofError) -> Result
  ) throws(ProofError) -> Result {
    try locked { () throws(ProofError) in
      let known = try read()
      if mustExist, known == nil { throw ProofError(.noFile, "\(path) does not exist") }
      var memory = known ?? CheckpointMemory()
      let result = try change(&memory)
      if known?.document != memory.document { try write(memory) }
      return result
    }
  }

  private func locked<Result>(
    _ body: () throws(ProofError) -> Result
  ) throws(ProofError) -> Result {
    let lock: FileLock
    do throws(LMDBError) { lock = try FileLock.lock(target + ".lock", mode: Self.mode) } catch {
      throw ProofError(.file, "\(path) cannot be locked: \(error.message)")
    }
    // Released by its destruction if the body throws.
    let result = try body()
    lock.unlock()
    return result
  }

  private func write(_ memory: CheckpointMemory) throws(ProofError) {
    let name = URL(fileURLWithPath: target).lastPathComponent
    let partial = folder + "/." + name + ".partial"
    let bytes = Array(memory.document.utf8)
    // What could not be read again must not take the place of what can.
    do throws(ProofError) { _ = try CheckpointMemory(bytes) } catch {
      throw ProofError(error.code, "\(path) was not changed: \(error.message)")
    }
    do throws(LMDBError) {
      // Left behind by a process that was killed. Whoever has the lock may remove it.
      if try FlatFile.open(partial, isWritable: false) != nil { try Self.remove(partial) }
      let file = try FlatFile.create(partial, in: folder, mode: Self.mode)
      try file.write(bytes, at: 0)
      try file.sync()
      try replaceFile(target, by: partial, in: folder)
    } catch {
      throw ProofError(.file, "\(path) cannot be written: \(error.message)")
    }
  }

  private static func remove(_ path: String) throws(LMDBError) {
    do { try FileManager.default.removeItem(atPath: path) } catch {
      throw LMDBError(
        .system(Int32((error as NSError).code)), operation: "remove",
        message: "\(path) cannot be removed: \(error.localizedDescription)")
    }
  }
}
