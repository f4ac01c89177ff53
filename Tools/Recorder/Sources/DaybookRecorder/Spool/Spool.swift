/// Lines on a disk, until they were acknowledged.
///
/// When ``append(_:isRoutine:)`` returns, the lines are on the disk, and survive a kill and a power
/// cut; routine ones survive a kill, and a power cut only after the next line that is none. They
/// stay until ``forget(_:)``. The spool is a folder of files, each a sequence of records with
/// checksums (`Frame`), which are only ever appended to, and deleted as a whole.
///
/// One process at a time may have it open: a second one is refused. All methods can be called from
/// any thread; they wait for the disk.
public final class Spool: Sendable {
  struct Entry {
    var serial: UInt64
    var offset: Int
    var bytes: Int
  }

  struct Segment {
    var path: String
    /// Open only while it gets records: an app may have few files open.
    var file: (any SpoolFile)?
    /// Up to where it holds records; behind it may be what a failed write left.
    var size: Int
    /// What is still to be uploaded.
    var entries: [Entry]
    /// Whether routine lines in it may not be on the disk yet.
    var isUnsynced = false
    /// Where it holds what does not check. That is kept before the file goes.
    var damage: [Range<Int>] = []
  }

  struct State {
    var segments: [Segment]
    var nextSerial: UInt64
    /// Bytes that were found damaged after the opening.
    var damagedBytes = 0

    var bytes: Int { segments.reduce(0) { $0 + $1.size } }
  }

  /// What was found at the opening.
  public let report: SpoolReport

  let folder: String
  let files: any SpoolFiles
  let limits: SpoolLimits
  let state: Locked<State>
  /// Held until the spool is released.
  private let lock: any SpoolFile

  /// Opens the spool in a folder, which is created if it is missing.
  ///
  /// Use a folder of the app alone: a lock in a folder of an app group makes iOS end an app that
  /// holds it while it is suspended.
  public init(
    folder: String, limits: SpoolLimits = SpoolLimits(), files: any SpoolFiles = SystemFiles()
  ) throws(SpoolError) {
    do {
      try files.makeFolder(folder)
      try files.syncFolder(Self.parent(of: folder))
      lock = try files.lock(folder + "/lock")
      let opened = try Self.load(folder, files)
      report = opened.report
      state = Locked(opened.state)
    } catch {
      if error.isLocked { throw .inUse(folder: folder) }
      throw .failed(error)
    }
    self.folder = folder
    self.files = files
    self.limits = limits
  }

  static func parent(of folder: String) -> String {
    let parts = folder.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let parent = parts.joined(separator: "/")
    return parent.isEmpty ? (folder.hasPrefix("/") ? "/" : ".") : parent
  }

  // MARK: - Writing

  /// Writes lines, and returns when they are on the disk.
  ///
  /// - Parameter isRoutine: Whether they are refused already when three quarters are used.
  /// - Throws: ``SpoolError``. Then none of the lines was acknowledged.
  public func append(_ lines: [[UInt8]], isRoutine: Bool = false) throws(SpoolError) {
    guard !lines.isEmpty else { return }
    try state.withLock { state throws(SpoolError) in
      try append(lines, isRoutine: isRoutine, to: &state)
    }
  }

  func append(_ lines: [[UInt8]], isRoutine: Bool, to state: inout State) throws(SpoolError) {
    let bytesMax = isRoutine ? limits.routineBytesMax : limits.bytesMax
    var room = bytesMax - state.bytes
    try checkLengths(lines)
    for line in lines { room -= Frame.headerBytes + line.count }
    guard room >= 0 else { throw .full(bytes: state.bytes, bytesMax: bytesMax) }
    do throws(FileError) {
      try write(lines, syncs: !isRoutine, to: &state)
    } catch {
      throw .failed(error)
    }
  }

  /// Throws ``SpoolError/tooLong(bytes:bytesMax:)`` if a ledger accepts one of these lines never.
  func checkLengths(_ lines: [[UInt8]]) throws(SpoolError) {
    for line in lines where line.count > limits.lineBytesMax {
      throw .tooLong(bytes: line.count, bytesMax: limits.lineBytesMax)
    }
  }

  private func write(
    _ lines: [[UInt8]], syncs: Bool, to state: inout State
  ) throws(FileError) {
    let file = try openSegment(&state)
    let index = state.segments.count - 1
    let segment = state.segments[index]
    var bytes: [UInt8] = []
    var entries: [Entry] = []
    for line in lines {
      let frame = Frame.encode(line, serial: state.nextSerial)
      entries.append(
        Entry(serial: state.nextSerial, offset: segment.size + bytes.count, bytes: frame.count))
      // Numbers are not used again, not even if the write fails: parts of it may be on the disk.
      state.nextSerial += 1
      bytes += frame
    }
    do {
      try file.write(bytes, at: segment.size)
      // One sync covers everything in the file that was written before it.
      if syncs { try file.sync() }
    } catch {
      // After a failed sync nobody knows what is on the disk, and the next sync may not say it
      // again. So this file gets no more records. What was acknowledged in it was synced before.
      state.segments[index].file = nil
      Self.truncate(file, to: segment.size)
      // A disk that is full for days would leave a file at each attempt.
      if segment.size == 0, Self.discard(segment.path, files) { state.segments.remove(at: index) }
      throw error
    }
    state.segments[index].isUnsynced = !syncs
    state.segments[index].size += bytes.count
    state.segments[index].entries += entries
  }

  /// Removes what a failed write left, if the disk still can.
  private static func truncate(_ file: any SpoolFile, to size: Int) {
    do {
      try file.truncate(to: size)
      try file.sync()
    } catch {
      // What is left there is skipped at the next opening, or found whole: then it is uploaded,
      // too.
      return
    }
  }

  /// The file of the last segment, which takes the next record.
  private func openSegment(_ state: inout State) throws(FileError) -> any SpoolFile {
    if let last = state.segments.last, let file = last.file, last.size < limits.segmentBytesMax {
      return file
    }
    if let index = state.segments.indices.last {
      let full = state.segments[index]
      (state.segments[index].file, state.segments[index].isUnsynced) = (nil, false)
      // No later sync covers the routine lines in it, and those before it must not be missing.
      if full.isUnsynced { try full.file?.sync() }
    }
    let path = folder + "/" + Self.name(state.nextSerial)
    // Whatever goes wrong from here on, the next attempt takes another name.
    state.nextSerial += 1
    let file = try files.open(path)
    do throws(FileError) {
      try files.syncFolder(folder)
    } catch {
      Self.discard(path, files)
      throw error
    }
    state.segments.append(Segment(path: path, file: file, size: 0, entries: []))
    return file
  }

  static let suffix = ".spool"

  /// Names sort as their numbers do.
  static func name(_ serial: UInt64) -> String {
    let digits = String(serial, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits + suffix
  }

  // MARK: - Reading

  /// The number of events that are still to be uploaded.
  public var count: Int {
    state.withLock { state in state.segments.reduce(0) { $0 + $1.entries.count } }
  }

  /// The bytes of all files.
  public var bytes: Int { state.withLock { $0.bytes } }

  /// Bytes that were skipped since the opening, because they did not check when they were read.
  public var damagedBytes: Int { state.withLock { $0.damagedBytes } }

  /// The oldest lines, in their order, that are still to be uploaded. Those in a file that the disk
  /// does not read now are left out, and stay.
  ///
  /// - Parameters:
  ///   - skipped: Lines that are left out.
  ///   - bytesMax: The most bytes of all lines together. A longer line comes alone.
  /// - Throws: ``SpoolError/failed(_:)`` if nothing else is left than what the disk does not read.
  public func oldest(
    linesMax: Int, bytesMax: Int, without skipped: Set<UInt64> = []
  ) throws(SpoolError) -> [SpooledLine] {
    try state.withLock { state throws(SpoolError) in
      var found: [SpooledLine] = []
      var bytes = 0
      var damaged: Set<UInt64> = []
      var failure: SpoolError?
      search: for index in state.segments.indices {
        let segment = state.segments[index]
        // Opened at most once for all of its lines.
        var file = segment.file
        for entry in segment.entries where !skipped.contains(entry.serial) {
          guard found.count < linesMax, found.isEmpty || bytes + entry.bytes <= bytesMax else {
            break search
          }
          let read: [UInt8]?
          do throws(SpoolError) {
            read = try self.read(entry, of: segment, &file)
          } catch {
            // Another time, perhaps. The lines of other files do not wait for it.
            failure = error
            continue search
          }
          guard let line = read else {
            damaged.insert(entry.serial)
            state.segments[index].damage.append(entry.offset..<entry.offset + entry.bytes)
            state.damagedBytes += entry.bytes
            continue
          }
          bytes += entry.bytes
          found.append(SpooledLine(serial: entry.serial, line: line))
        }
      }
      Self.take(damaged, from: &state)
      if let failure, found.isEmpty { throw failure }
      return found
    }
  }

  private func read(
    _ entry: Entry, of segment: Segment, _ file: inout (any SpoolFile)?
  ) throws(SpoolError) -> [UInt8]? {
    do throws(FileError) {
      if file == nil { file = try files.open(segment.path) }
      guard let open = file else { return nil }
      let bytes = try open.read(at: entry.offset, count: entry.bytes)
      guard let found = Frame.decode(bytes, at: 0), found.serial == entry.serial else { return nil }
      return Array(bytes[found.line])
    } catch {
      throw .failed(error)
    }
  }

  // MARK: - Forgetting

  /// Forgets lines that were acknowledged. A file goes when none of its lines is left, so after a
  /// crash some are uploaded again; their ids make them count once.
  public func forget(_ serials: Set<UInt64>) throws(SpoolError) {
    try state.withLock { state throws(SpoolError) in
      Self.take(serials, from: &state)
      var failure: FileError?
      state.segments.removeAll { segment in
        guard segment.entries.isEmpty else { return false }
        do throws(FileError) {
          try keepDamage(of: segment)
          try files.remove(segment.path)
          return true
        } catch {
          // The next call tries again; the other files do not wait for it.
          failure = error
          return false
        }
      }
      if let failure { throw .failed(failure) }
    }
  }

  private static func take(_ serials: Set<UInt64>, from state: inout State) {
    for index in state.segments.indices {
      state.segments[index].entries.removeAll { serials.contains($0.serial) }
    }
  }
}
