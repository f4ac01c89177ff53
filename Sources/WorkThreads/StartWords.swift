#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The arguments and variables that the process was started with, as the bytes that they are.
///
/// The standard library reads them as UTF-8 and puts U+FFFD in the place of whatever is not,
/// without a word. So two customers or files with different names in Latin-1 would be one.
package enum StartWords {
  /// What is wrong with the arguments and with some variables: the first one that is not UTF-8;
  /// `nil` if all of them are.
  ///
  /// - Parameter variables: The names of the variables that the program reads.
  /// - Complexity: O(*n*) in the number of bytes.
  package static func problem(variables: some Sequence<String>) -> String? {
    problem(
      arguments: arguments.dropFirst(),
      variables: variables.sorted().compactMap { name in variable(name).map { (name, $0) } })
  }

  static func problem(
    arguments: some Sequence<[UInt8]>, variables: [(name: String, value: [UInt8])]
  ) -> String? {
    let advice = "Write it in UTF-8; a file with such a name has to be renamed."
    for (index, bytes) in arguments.enumerated() {
      guard let shown = shownIfNotText(bytes) else { continue }
      return "argument \(index + 1) is not in UTF-8: \(shown). \(advice)"
    }
    for (name, value) in variables {
      guard let shown = shownIfNotText(value) else { continue }
      return "the variable \(name) is not in UTF-8: \(shown). \(advice)"
    }
    return nil
  }

  /// Bytes that are not UTF-8, with each that is no part of a character as `\xNN`, as shells read
  /// it in `$'…'`; `nil` if they are UTF-8.
  static func shownIfNotText(_ bytes: [UInt8]) -> String? {
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    var shown = ""
    var rest = bytes[...]
    while let byte = rest.first {
      let character = (1...scalarBytesMax).lazy
        .compactMap { String(validating: rest.prefix($0), as: UTF8.self) }.first
      if let character {
        shown += character
        rest.removeFirst(character.utf8.count)
      } else {
        let digits = String(byte, radix: 16)
        shown += "\\x" + (digits.count == 1 ? "0" : "") + digits
        rest.removeFirst()
      }
    }
    return shown
  }

  /// The most bytes of a character in UTF-8 (RFC 3629).
  private static let scalarBytesMax = 4

  private static var arguments: [[UInt8]] {
    (0..<Int(CommandLine.argc)).compactMap { index in
      // SAFETY: the standard library keeps `argc` pointers to strings that end with a zero byte, or
      // nil, for as long as the process runs.
      unsafe bytes(CommandLine.unsafeArgv[index])
    }
  }

  private static func variable(_ name: String) -> [UInt8]? {
    // SAFETY: nothing changes the environment meanwhile: this is called before anything else runs.
    unsafe bytes(getenv(name))
  }

  private static func bytes(_ text: UnsafePointer<CChar>?) -> [UInt8]? {
    // SAFETY: both callers pass strings of C, which end with a zero byte.
    guard let text = unsafe text else { return nil }
    let characters = unsafe UnsafeBufferPointer(start: text, count: strlen(text))
    return unsafe characters.map { UInt8(bitPattern: $0) }
  }
}
