import Foundation

/// The conformance data beside the package, if it is there.
enum SharedMaterial {
  static let root: URL = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static let folder = root.deletingLastPathComponent().appending(path: "shared")

  static var isThere: Bool { FileManager.default.fileExists(atPath: folder.path) }

  /// Returns the lines of all recorded incidents.
  static func traceLines() throws -> [[UInt8]] {
    let traces = folder.appending(path: "traces")
    let files = try FileManager.default.contentsOfDirectory(atPath: traces.path)
    return try files.filter { $0.hasSuffix(".jsonl") }.sorted().flatMap {
      try lines(traces.appending(path: $0))
    }
  }

  /// Returns the events of the random histories, one per line.
  static func historyLines() throws -> [[UInt8]] {
    try lines(folder.appending(path: "histories-2.jsonl")).flatMap { line -> [[UInt8]] in
      // The events' own bytes are needed, so they are cut out and not parsed. No string in them
      // contains a brace.
      let text = String(decoding: line, as: UTF8.self)
      guard let start = text.range(of: "\"events\":["),
        let end = text.range(of: "],\"expected\"")
      else { return [] }
      var events: [[UInt8]] = []
      var depth = 0
      var event: [UInt8] = []
      for byte in text[start.upperBound..<end.lowerBound].utf8 {
        if byte == UInt8(ascii: "{") { depth += 1 }
        if depth > 0 { event.append(byte) }
        if byte == UInt8(ascii: "}") {
          depth -= 1
          if depth == 0 {
            events.append(event)
            event = []
          }
        }
      }
      return events
    }
  }

  static func lines(_ file: URL) throws -> [[UInt8]] {
    try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map { Array($0) }
  }
}
