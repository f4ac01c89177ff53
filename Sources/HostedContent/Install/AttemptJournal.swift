internal import LedgerEvents
internal import PackageFiles

/// A write-ahead journal of an attempt. Each step is written and synced before it is taken.
///
/// The first line is the intent, and each other line is an event. An event is appended to the
/// ledger only after its line is durable. A run after an interruption therefore appends exactly the
/// same event. The ledger recognizes it by its id, so no event is lost or duplicated.
struct AttemptJournal: ~Copyable {
  static let fileName = "journal"
  /// The maximum size of a journal in bytes. It contains a few events of some hundred bytes each.
  private static let bytesMax = 1 << 20

  let intent: AttemptIntent
  private(set) var events: [Event]
  private let writer: FileWriter
  private var bytes: UInt64
  private let path: String

  /// Begins the journal of an attempt with its first events.
  init(
    begin intent: AttemptIntent, _ events: [Event], in folder: borrowing FolderHandle,
    path: String
  ) throws(ContentError) {
    self.intent = intent
    self.events = events
    self.path = path
    var lines = JournalLine.encode(intent.json)
    for event in events { lines += JournalLine.encode(EventEncoder().encode(event)) }
    bytes = UInt64(lines.count)
    writer = try telling(path) { () throws(FolderError) in
      let writer = try folder.makeFile(Self.fileName)
      try writer.write(lines.span)
      try writer.sync()
      try folder.sync()
      return writer
    }
  }

  private init(
    _ intent: AttemptIntent, _ events: [Event], _ writer: consuming FileWriter, bytes: UInt64,
    path: String
  ) {
    self.intent = intent
    self.events = events
    self.writer = writer
    self.bytes = bytes
    self.path = path
  }

  /// Opens the journal of an interrupted attempt; nil if the attempt had not written one.
  static func left(
    in folder: borrowing FolderHandle, path: String
  ) throws(ContentError) -> AttemptJournal? {
    let found = try telling(path) { () throws(FolderError) in
      try folder.contents(of: fileName, bytesMax: bytesMax)
    }
    let lines = found.map(JournalLine.whole) ?? []
    guard let intent = lines.first.flatMap(AttemptIntent.init(json:)) else { return nil }
    let events = try events(of: lines.dropFirst(), path)
    let bytes = lines.reduce(0) { $0 + UInt64(JournalLine.encode($1).count) }
    let writer = try telling(path) { () throws(FolderError) in
      let writer = try folder.fileThere(fileName)
      // Remove a line that was not completely written. The next line takes its place.
      try writer.cut(to: bytes)
      return writer
    }
    return AttemptJournal(intent, events, writer, bytes: bytes, path: path)
  }

  private static func events(
    of lines: ArraySlice<[UInt8]>, _ path: String
  ) throws(ContentError) -> [Event] {
    var events: [Event] = []
    for line in lines {
      do throws(EventError) {
        events.append(try EventDecoder().decode(line: line).event)
      } catch {
        throw ContentError(
          .malformed, path: path,
          "line \(events.count + 2) of the journal is complete but not an event "
            + "(\(error.reason)): another version of daybook wrote it; use that one to finish.")
      }
    }
    return events
  }

  /// Writes events durably.
  mutating func add(_ more: [Event]) throws(ContentError) {
    let lines = more.flatMap { JournalLine.encode(EventEncoder().encode($0)) }
    do throws(FolderError) {
      // What a failed write has left would precede this, and nobody would read on.
      try writer.cut(to: bytes)
      try writer.write(lines.span)
      try writer.sync()
    } catch {
      throw ContentError(error, at: path)
    }
    bytes += UInt64(lines.count)
    events += more
  }

  /// The newest event of a kind.
  func event(_ kind: EventKind) -> Event? { events.last { $0.type.kind == kind } }
}
