internal import Foundation

/// The arguments and variables that the process was started with, as the bytes that they are.
///
/// The standard library reads them as UTF-8 and puts U+FFFD in the place of whatever is not,
/// without a word. So two customers or files with different names in Latin-1 would be one.
package enum StartWords {
  /// What is wrong with the arguments and Daybook's variables: the first one that is not UTF-8;
  /// `nil` if all of them are, and where the system does not show them (proc(5)).
  ///
  /// - Complexity: O(*n*) in the number of bytes.
  package static func problem() -> String? {
    problem(arguments: shown(in: "cmdline").dropFirst(), variables: shown(in: "environ"))
  }

  /// - Parameter variables: Each as a name, `=` and a value. Those of others are not looked at.
  static func problem(
    arguments: some Sequence<ArraySlice<UInt8>>, variables: some Sequence<ArraySlice<UInt8>>
  ) -> String? {
    let advice = "Write it in UTF-8; a file with such a name has to be renamed."
    for (index, bytes) in arguments.enumerated() {
      guard let shown = shownIfNotText(bytes) else { continue }
      return "argument \(index + 1) is not in UTF-8: \(shown). \(advice)"
    }
    for bytes in variables where bytes.starts(with: "DAYBOOK_".utf8) {
      guard let shown = shownIfNotText(bytes) else { continue }
      return "a variable is not in UTF-8: \(shown). \(advice)"
    }
    return nil
  }

  /// Bytes that are not UTF-8, with each that is no part of a character as `\xNN`, as shells read
  /// it in `$'…'`; `nil` if they are UTF-8.
  static func shownIfNotText(_ bytes: ArraySlice<UInt8>) -> String? {
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    var shown = ""
    var rest = bytes
    while let byte = rest.first {
      let character = (1...scalarBytesMax).lazy
        .compactMap { String(validating: rest.prefix($0), as: UTF8.self) }.first
      // A byte that is no part of a character has its highest bit, and so two digits.
      shown += character ?? "\\x" + String(byte, radix: 16)
      rest.removeFirst(character?.utf8.count ?? 1)
    }
    return shown
  }

  /// The most bytes of a character in UTF-8 (RFC 3629).
  private static let scalarBytesMax = 4

  /// What a file of proc(5) has of this process: words that each end with a zero byte.
  static func shown(in file: String) -> [ArraySlice<UInt8>] {
    let bytes = FileManager.default.contents(atPath: "/proc/self/\(file)").map { [UInt8]($0) } ?? []
    return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
  }
}
