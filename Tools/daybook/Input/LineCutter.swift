import Foundation
import LedgerEvents

/// One line of a file or a pipe, without its line feed.
struct InputLine {
  let number: Int
  let bytes: [UInt8]
}

/// Cuts chunks of bytes into lines. A last line without a line feed counts; lines that contain only
/// white space do not.
struct LineCutter {
  private var pending: [UInt8] = []
  private var number = 0
  private let lineBytesMax: Int

  /// - Parameter lineBytesMax: The maximum length of a line. The rest of a longer line is dropped,
  ///   and the decoder refuses the line.
  init(lineBytesMax: Int = eventSizeBytesMax) { self.lineBytesMax = lineBytesMax }

  /// Returns the lines that `chunk` completes.
  ///
  /// - Complexity: O(*n*) in the number of bytes.
  mutating func add(_ chunk: Data) -> [InputLine] {
    let bytes = [UInt8](chunk)
    var lines: [InputLine] = []
    var start = 0
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      if pending.isEmpty {
        // Nearly every line is whole in its chunk, and is copied once.
        if let line = finish(bytes[start..<end].prefix(lineBytesMax + 1)) { lines.append(line) }
      } else {
        keep(bytes[start..<end])
        if let line = finish(pending[...]) { lines.append(line) }
        pending.removeAll(keepingCapacity: true)
      }
      start = end + 1
    }
    keep(bytes[start...])
    return lines
  }

  /// Returns the last line, if it has no line feed.
  mutating func end() -> InputLine? {
    guard !pending.isEmpty else { return nil }
    defer { pending.removeAll() }
    return finish(pending[...])
  }

  /// One byte over the limit is enough for the decoder to refuse the line.
  private mutating func keep(_ bytes: ArraySlice<UInt8>) {
    pending += bytes.prefix(max(0, lineBytesMax + 1 - pending.count))
  }

  /// Returns a line, unless it is blank.
  private mutating func finish(_ line: ArraySlice<UInt8>) -> InputLine? {
    number += 1
    let isBlank = line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    return isBlank ? nil : InputLine(number: number, bytes: Array(line))
  }
}
