/// No swallowed errors and no traps without a reason: forced and optional tries, forced casts and
/// unwraps, empty catches and `fatalError` are not allowed in shipped code.
struct TrapRule: TidyRule {
  func breaches(in file: SourceFile) -> [Breach] {
    guard file.isProductCode else { return [] }
    var found: [Breach] = []
    for (index, line) in file.code.enumerated() {
      for message in Self.traps(on: line) {
        found.append(Breach(path: file.path, line: index + 1, message: message))
      }
      if line.hasWord([UInt8]("catch".utf8)), Self.isEmptyBlock(after: index, in: file.code) {
        found.append(
          Breach(path: file.path, line: index + 1, message: "an empty catch swallows an error"))
      }
    }
    return found
  }

  private static let forbidden: [(text: [UInt8], message: String)] = [
    ([UInt8]("try!".utf8), "a forced try"),
    ([UInt8]("try?".utf8), "an optional try swallows an error"),
    ([UInt8]("as!".utf8), "a forced cast"),
    ([UInt8]("fatalError(".utf8), "fatalError: throw an error, or state a precondition"),
  ]

  private static func traps(on line: ArraySlice<UInt8>) -> [String] {
    var messages: [String] = []
    for (text, message) in forbidden {
      let stands = line.offsets(of: text).contains {
        $0 == line.startIndex || !ArraySlice.isWordByte(line[$0 - 1])
      }
      if stands { messages.append(message) }
    }
    if messages.isEmpty, hasForcedUnwrap(line) { messages.append("a forced unwrap") }
    return messages
  }

  /// Returns whether there is an exclamation mark directly after a name or a closing bracket that
  /// is not part of `!=`.
  private static func hasForcedUnwrap(_ line: ArraySlice<UInt8>) -> Bool {
    line.indices.contains { index in
      guard line[index] == UInt8(ascii: "!"), index > line.startIndex else { return false }
      let before = line[index - 1]
      let isBehindValue = ArraySlice.isWordByte(before) || [UInt8](")]}?\"".utf8).contains(before)
      let isInequality = index + 1 < line.endIndex && line[index + 1] == UInt8(ascii: "=")
      return isBehindValue && !isInequality
    }
  }

  /// Returns whether the first block after a `catch` contains no code.
  private static func isEmptyBlock(after index: Int, in code: [ArraySlice<UInt8>]) -> Bool {
    var rest: [UInt8] = []
    for line in code[index...].prefix(8) { rest += line + [UInt8(ascii: "\n")] }
    guard let keyword = rest[...].offsets(of: [UInt8]("catch".utf8)).first,
      let open = rest[keyword...].firstIndex(of: UInt8(ascii: "{"))
    else { return false }
    let space = [UInt8](" \n\t".utf8)
    return rest[(open + 1)...].first { !space.contains($0) } == UInt8(ascii: "}")
  }
}
