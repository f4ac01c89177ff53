import Foundation

extension Spool {
  /// The file of lines that the ledger refused: one JSON object a line, with `reason` and `event`.
  public var refusedPath: String { folder + "/" + Self.refusedName }
  private static let refusedName = "refused.jsonl"

  /// Keeps refused lines aside, and returns when they are on the disk. A line that is there already
  /// is not written again.
  ///
  /// - Throws: ``SpoolError/full(bytes:bytesMax:)`` if the file has no room. The lines stay in the
  ///   spool then: nothing is lost, and nothing else has to wait for them.
  public func setAside(_ lines: [RefusedLine]) throws(SpoolError) {
    // Under the lock of the state, so that two callers do not write to one position.
    try state.withLock { _ throws(SpoolError) in
      do throws(FileError) {
        let file = try files.open(refusedPath)
        try files.syncFolder(folder)
        let known = try file.whole(refusedPath, bytesMax: Self.fileBytesMax)
        // A kill can have left part of a line. It is completed by a line feed.
        let needsFeed = known.last.map { $0 != UInt8(ascii: "\n") } ?? false
        var added: [UInt8] = needsFeed ? [UInt8(ascii: "\n")] : []
        let kept = Set(known.split(separator: UInt8(ascii: "\n")).map { Self.event(of: $0) })
        for line in lines where !kept.contains(line.line) {
          added += Self.text(of: line)
        }
        guard known.count + added.count <= limits.refusedBytesMax else {
          throw FileError(call: "room", path: refusedPath, code: 0)
        }
        try file.write(added, at: known.count)
        try file.sync()
      } catch {
        if error.call == "room" {
          throw .full(bytes: limits.refusedBytesMax, bytesMax: limits.refusedBytesMax)
        }
        throw .failed(error)
      }
    }
  }

  /// Puts the lines that were set aside back into the spool, to be uploaded again: after the server
  /// learned to take them. Returns how many there were.
  ///
  /// What of the file cannot be read stays in it. After a crash in the middle a line may be in
  /// both; its id makes it count once.
  ///
  /// - Throws: ``SpoolError/full(bytes:bytesMax:)`` if the spool has no room for all of them.
  ///   They stay aside then.
  @discardableResult public func retryRefused() throws(SpoolError) -> Int {
    try state.withLock { state throws(SpoolError) in
      let aside: (events: [[UInt8]], unreadable: [UInt8])
      do throws(FileError) {
        aside = try readRefused()
      } catch {
        throw .failed(error)
      }
      if aside.events.isEmpty { return 0 }
      try append(aside.events, isRoutine: false, to: &state)
      do throws(FileError) {
        try replaceRefused(by: aside.unreadable)
      } catch {
        throw .failed(error)
      }
      return aside.events.count
    }
  }

  private func readRefused() throws(FileError) -> (events: [[UInt8]], unreadable: [UInt8]) {
    guard try files.names(in: folder).contains(Self.refusedName) else { return ([], []) }
    let file = try files.open(refusedPath)
    let known = try file.whole(refusedPath, bytesMax: Self.fileBytesMax)
    var events: [[UInt8]] = []
    var unreadable: [UInt8] = []
    for line in known.split(separator: UInt8(ascii: "\n")) {
      let event = Self.event(of: line)
      if Self.isObject(line), Self.isObject(event[...]) {
        events.append(event)
      } else {
        unreadable += line + [UInt8(ascii: "\n")]
      }
    }
    return (events, unreadable)
  }

  private func replaceRefused(by left: [UInt8]) throws(FileError) {
    if left.isEmpty {
      try files.remove(refusedPath)
    } else {
      let file = try files.open(refusedPath + ".new")
      try file.truncate(to: 0)
      try file.write(left, at: 0)
      try file.sync()
      try files.rename(refusedPath + ".new", to: refusedPath)
    }
    try files.syncFolder(folder)
  }

  private static func isObject(_ text: ArraySlice<UInt8>) -> Bool {
    do {
      return try JSONSerialization.jsonObject(with: Data(text)) is [String: Any]
    } catch {
      return false
    }
  }

  /// The event is the last member, so that its bytes can be found without reading JSON.
  private static func text(of refused: RefusedLine) -> [UInt8] {
    var bytes = [UInt8](#"{"reason":"#.utf8)
    JSON.string(refused.reason).append(to: &bytes)
    bytes += [UInt8](eventMember.utf8) + refused.line + [UInt8]("}\n".utf8)
    return bytes
  }

  private static let eventMember = #","event":"#

  private static func event(of line: ArraySlice<UInt8>) -> [UInt8] {
    // A reason cannot contain the member's name: its quotes are escaped in it.
    let name = [UInt8](eventMember.utf8)
    guard let start = line.indices.first(where: { line[$0...].starts(with: name) }) else {
      return []
    }
    return Array(line[(start + name.count)...].dropLast())
  }
}
