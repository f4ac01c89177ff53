import Foundation

@testable import DaybookRecorder

/// A disk in memory: it forgets at a power cut what was not synced, and fails where a test wants
/// it.
final class MemoryDisk: SpoolFiles {
  struct State {
    var bytes: [Int: [UInt8]] = [:]
    var synced: [Int: [UInt8]] = [:]
    var names: [String: Int] = [:]
    var syncedNames: [String: Int] = [:]
    var locked: Set<String> = []
    var calls = 0
    /// The bytes that it was told to write, whether it did or not.
    var offeredBytes = 0
    /// Which call fails, from 1; 0 for none.
    var failing = 0
    /// Whether all later calls fail, too.
    var staysFull = false
    /// Calls that fail, by their name and the end of the path.
    var broken: [(call: String, suffix: String)] = []
  }

  let state = Locked(State())
  /// Whether a sync does what it should. Without, the tests of power cuts have to fail.
  private let syncs: Bool

  init(syncs: Bool = true) { self.syncs = syncs }

  func makeFolder(_ path: String) throws(FileError) { try count("mkdir", path) }

  func names(in folder: String) throws(FileError) -> [String] {
    try count("readdir", folder)
    return state.withLock { state in
      state.names.keys.filter { $0.hasPrefix(folder + "/") }
        .map { String($0.dropFirst(folder.count + 1)) }
    }
  }

  func open(_ path: String) throws(FileError) -> any SpoolFile {
    try count("open", path)
    let number = state.withLock { state in
      if let number = state.names[path] { return number }
      let number = state.bytes.count + 1
      state.names[path] = number
      state.bytes[number] = []
      state.synced[number] = []
      return number
    }
    return MemoryFileHandle(self, number, path)
  }

  func remove(_ path: String) throws(FileError) {
    try count("unlink", path)
    state.withLock { $0.names[path] = nil }
  }

  func rename(_ path: String, to other: String) throws(FileError) {
    try count("rename", path)
    state.withLock { state in
      state.names[other] = state.names[path]
      state.names[path] = nil
    }
  }

  func syncFolder(_ path: String) throws(FileError) {
    try count("fsync", path)
    guard syncs else { return }
    state.withLock { $0.syncedNames = $0.names }
  }

  func lock(_ path: String) throws(FileError) -> any SpoolFile {
    let isFree = state.withLock { $0.locked.insert(path).inserted }
    guard isFree else { throw FileError(call: "flock", path: path, code: 11, isLocked: true) }
    return MemoryLock(self, path)
  }

  /// Counts a call, and throws if it is the one to fail.
  func count(_ call: String, _ path: String) throws(FileError) {
    let fails = state.withLock { state in
      state.calls += 1
      return state.calls == state.failing
        || state.broken.contains { $0.call == call && path.hasSuffix($0.suffix) }
        || (state.staysFull && state.failing > 0 && state.calls > state.failing)
    }
    if fails { throw FileError(call: call, path: path, code: ENOSPC) }
  }

  /// What is left after the power was cut: what was synced, and of each file as many of the bytes
  /// behind as `torn` says.
  func cutPower(keeping torn: Int = 0) {
    state.withLock { state in
      state.names = state.syncedNames
      state.locked = []
      for (number, synced) in state.synced {
        let written = state.bytes[number] ?? []
        state.bytes[number] =
          written.count > synced.count && written.starts(with: synced)
          ? Array(written.prefix(synced.count + torn)) : synced
      }
    }
  }

  /// What is left after the power was cut, if the disk writes pages of 64 bytes in any order: of
  /// what was not synced those that a bit of `pages` says, and zeros in the place of the others.
  func cutPower(keepingPages pages: UInt64) {
    state.withLock { state in
      for (number, synced) in state.synced {
        var bytes = state.bytes[number] ?? []
        for at in bytes.indices.dropFirst(synced.count)
        where pages >> UInt64((at - synced.count) / 64 % 64) & 1 == 0 {
          bytes[at] = 0
        }
        state.synced[number] = bytes
      }
    }
    cutPower()
  }

  func sync(_ number: Int) {
    guard syncs else { return }
    state.withLock { $0.synced[number] = $0.bytes[number] }
  }
}

private final class MemoryFileHandle: SpoolFile {
  private let disk: MemoryDisk
  private let number: Int
  private let path: String

  init(_ disk: MemoryDisk, _ number: Int, _ path: String) {
    (self.disk, self.number, self.path) = (disk, number, path)
  }

  private var bytes: [UInt8] { disk.state.withLock { $0.bytes[number] ?? [] } }

  func size() throws(FileError) -> Int { bytes.count }

  func read(at offset: Int, count: Int) throws(FileError) -> [UInt8] {
    try disk.count("pread", path)
    return Array(bytes.dropFirst(offset).prefix(count))
  }

  func write(_ new: [UInt8], at offset: Int) throws(FileError) {
    disk.state.withLock { $0.offeredBytes += new.count }
    do throws(FileError) {
      try disk.count("pwrite", path)
    } catch {
      // A full disk takes a part.
      put(Array(new.prefix(new.count / 2)), at: offset)
      throw error
    }
    put(new, at: offset)
  }

  private func put(_ new: [UInt8], at offset: Int) {
    disk.state.withLock { state in
      var old = state.bytes[number] ?? []
      if old.count < offset { old += [UInt8](repeating: 0, count: offset - old.count) }
      state.bytes[number] = Array(old.prefix(offset)) + new + old.dropFirst(offset + new.count)
    }
  }

  func truncate(to size: Int) throws(FileError) {
    try disk.count("ftruncate", path)
    disk.state.withLock { $0.bytes[number] = Array(($0.bytes[number] ?? []).prefix(size)) }
  }

  func sync() throws(FileError) {
    try disk.count("fsync", path)
    disk.sync(number)
  }
}

private final class MemoryLock: SpoolFile {
  private let disk: MemoryDisk
  private let path: String

  init(_ disk: MemoryDisk, _ path: String) { (self.disk, self.path) = (disk, path) }

  deinit { disk.state.withLock { _ = $0.locked.remove(path) } }

  func size() -> Int { 0 }
  func read(at offset: Int, count: Int) -> [UInt8] { [] }
  func write(_ bytes: [UInt8], at offset: Int) {}
  func truncate(to size: Int) {}
  func sync() {}
}

extension Spool {
  /// All lines that are still to be uploaded, as text.
  func allLines() throws -> [String] {
    try oldest(linesMax: .max, bytesMax: .max).map { String(decoding: $0.line, as: UTF8.self) }
  }

  func append(_ lines: String...) throws { try append(lines.map { [UInt8]($0.utf8) }) }
}

/// A folder of its own, which is removed at the end.
final class TemporaryFolder {
  let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("daybook-recorder-\(UUID().uuidString)")

  var path: String { url.path }

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      print("left behind: \(url.path)")
    }
  }
}
