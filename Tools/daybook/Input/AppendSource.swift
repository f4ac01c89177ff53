import Dispatch
import Foundation

/// A file of lines, or standard input.
struct AppendSource {
  let name: String
  let isPipe: Bool
  let bytes: ByteSource

  /// - Throws: `InputProblem` (exit 66) where there is no such file.
  init(opening name: String) throws {
    self.name = name
    if name == "-" {
      isPipe = true
      bytes = ByteSource(FileHandle.standardInput, isPipe: true)
      return
    }
    isPipe = false
    let handle = try FileHandle(readingInput: name, as: "JSON Lines, one event a line")
    bytes = ByteSource(handle, isPipe: false)
  }
}
