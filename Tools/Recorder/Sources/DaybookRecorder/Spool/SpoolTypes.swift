/// How large a spool may get.
public struct SpoolLimits: Sendable {
  /// All files of the spool, in bytes. 16 MiB are about 30,000 events: years of a customer who
  /// buys, and weeks of one who downloads all day.
  public var bytesMax = 16 << 20
  /// From here on, events that say little are refused, so that the others find room: a quarter is
  /// left to them.
  public var routineBytesMax: Int { bytesMax / 4 * 3 }
  /// A file that has this size gets no more records, in bytes. It is deleted when all of its
  /// records were acknowledged, so what is sent again after a crash is at most one file.
  public var segmentBytesMax = 128 << 10
  /// A line, in bytes: the ledger accepts no longer one.
  public var lineBytesMax = 1 << 20
  /// The file of refused lines, in bytes.
  public var refusedBytesMax = 2 << 20

  public init() {}
}

/// Why a line was not spooled. Nothing is dropped silently: what is not spooled was refused.
public enum SpoolError: Error, Equatable, CustomStringConvertible {
  /// The spool has no room. Upload, or delete nothing and finish nothing: the queue delivers again
  /// what was not finished.
  case full(bytes: Int, bytesMax: Int)
  /// A line is longer than the ledger accepts.
  case tooLong(bytes: Int, bytesMax: Int)
  /// Another process, or another spool in this one, uses the folder.
  case inUse(folder: String)
  /// The file system refused a call. The line may be there after all; recording it again is safe,
  /// and appears as a second event.
  case failed(FileError)

  /// Whether it is the line's own fault, and no later attempt will succeed.
  var isTooLong: Bool { if case .tooLong = self { true } else { false } }

  public var description: String {
    switch self {
    case .full(let bytes, let bytesMax):
      "the spool has \(bytes) of at most \(bytesMax) bytes: upload what is in it"
    case .tooLong(let bytes, let bytesMax):
      "an event has \(bytes) bytes, and the ledger accepts \(bytesMax)"
    case .inUse(let folder):
      "\(folder) is in use by another process: open one spool, and keep it"
    case .failed(let error): "\(error). The event may or may not have been written"
    }
  }
}

/// What the spool found when it was opened.
public struct SpoolReport: Sendable, Equatable {
  /// Events of earlier launches that are still to be uploaded.
  public var events = 0
  /// Bytes at the end of the newest file that are no whole record: what a kill in the middle of a
  /// write leaves, before it is acknowledged. They were cut off. If the disk damaged the length of
  /// an acknowledged record there, it looks the same.
  public var cutBytes = 0
  /// Bytes elsewhere that do not check, and were skipped: events that the disk lost, or what a
  /// write left that failed. They are kept, those at the end of a file at once and others before
  /// the file goes, in up to 16 files whose names end in `.damaged`: nothing removes them but you.
  public var damagedBytes = 0
  /// Files that the disk did not read, or that are too large to be read. They stay, and the next
  /// opening tries again.
  public var unreadableFiles = 0

  public init() {}
}

/// A line of the spool, and its number.
public struct SpooledLine: Sendable, Equatable {
  public var serial: UInt64
  public var line: [UInt8]
}

/// A line that the ledger refused for good, and why.
public struct RefusedLine: Sendable, Equatable {
  public var line: [UInt8]
  public var reason: String
}
