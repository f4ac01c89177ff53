import LedgerEvents

/// One line of a file or a pipe, without its line feed.
struct InputLine {
  let number: Int
  let bytes: [UInt8]
}

/// Cuts chunks of bytes into lines. A last line without a line feed counts; lines of nothing but
/// white space do not.
struct LineCutter {
  private var pending: [UInt8] = []
  private var number = 0

  /// The lines that `chunk` completes.
  mutating func add(_ chunk: some Sequence<UInt8>) -> [InputLine] {
    var lines: [InputLine] = []
    for byte in chunk {
      if byte == UInt8(ascii: "\n") {
        if let line = finish() { lines.append(line) }
      } else if pending.count <= eventSizeBytesMax {
        // One byte over the limit is enough for the decoder to refuse the line.
        pending.append(byte)
      }
    }
    return lines
  }

  /// The last line, where it has no line feed.
  mutating func end() -> InputLine? { pending.isEmpty ? nil : finish() }

  private mutating func finish() -> InputLine? {
    number += 1
    defer { pending.removeAll(keepingCapacity: true) }
    let isBlank = pending.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    return isBlank ? nil : InputLine(number: number, bytes: pending)
  }
}
