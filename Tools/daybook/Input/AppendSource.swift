import Foundation

/// A file of lines, or standard input.
struct AppendSource {
  let name: String
  /// The size of a file in bytes; `nil` if the end is not known.
  let byteCount: UInt64?

  var isPipe: Bool { name == "-" }

  /// Checks that the file can be read. It is opened when its turn comes, so that any number of
  /// files can be named.
  ///
  /// - Throws: `InputProblem` (exit 66) if there is no such file.
  init(checking name: String) throws {
    self.name = name
    if name == "-" {
      byteCount = nil
      return
    }
    let handle = try Self.handle(name)
    do {
      byteCount = try handle.seekToEnd()
      try handle.close()
    } catch {
      throw InputProblem(
        "\(name) cannot be read: \(error.systemReason)", exitCode: ExitStatus.inputOutput)
    }
  }

  /// Starts reading.
  func open() throws -> ByteSource {
    isPipe
      ? ByteSource(try .readableStandardInput(as: Self.expected), isPipe: true)
      : ByteSource(try Self.handle(name), isPipe: false)
  }

  private static func handle(_ name: String) throws -> FileHandle {
    try FileHandle(readingInput: name, as: Self.expected)
  }

  private static let expected = "JSON Lines, one event a line"
}
