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
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: name, isDirectory: &isFolder)
    guard exists, !isFolder.boolValue, let handle = FileHandle(forReadingAtPath: name) else {
      let reason = isFolder.boolValue ? "is a folder" : exists ? "cannot be read" : "does not exist"
      throw InputProblem(
        "\(name) \(reason): name a file of JSON Lines, one event a line.",
        exitCode: ExitStatus.noInput)
    }
    bytes = ByteSource(handle, isPipe: false)
  }
}
