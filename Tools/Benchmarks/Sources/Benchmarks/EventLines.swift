import Foundation
import LedgerEvents

/// Lines of bytes, cut from what a file or a socket hands over piece by piece.
struct LineReader {
  private static let lineFeed = UInt8(ascii: "\n")

  private let handle: FileHandle
  private var bytes: [UInt8] = []
  /// Where the next line begins.
  private var start = 0
  private var isAtEnd = false

  init(_ handle: FileHandle) { self.handle = handle }

  /// The next line without its line feed; `nil` at the end.
  mutating func next() throws -> [UInt8]? {
    var searched = start
    while true {
      if let end = bytes[searched...].firstIndex(of: Self.lineFeed) {
        defer { start = end + 1 }
        return Array(bytes[start..<end])
      }
      if isAtEnd { return nil }
      bytes.removeSubrange(..<start)
      (start, searched) = (0, bytes.count)
      // What is there, and not more: a socket's other side waits for the answer.
      let read = handle.availableData
      if read.isEmpty { isAtEnd = true } else { bytes += read }
    }
  }
}

/// The events of a file of JSON Lines, piece by piece, so that any number of them can be read.
struct EventFile {
  private var lines: LineReader
  private let decoder = EventDecoder()

  init(_ path: String) throws {
    lines = LineReader(try FileHandle(forReadingFrom: URL(filePath: path)))
  }

  /// Up to `count` further events; none at the end.
  mutating func next(_ count: Int) throws -> [EventInput] {
    var events: [EventInput] = []
    events.reserveCapacity(count)
    while events.count < count, let line = try lines.next() {
      events.append(try decoder.decode(line: line))
    }
    return events
  }
}
