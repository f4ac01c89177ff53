import Foundation

extension FileHandle {
  /// Opens a file to read.
  ///
  /// - Parameter expected: What the file should hold, for the message.
  /// - Throws: `InputProblem` (exit 66) where there is no such file.
  convenience init(readingInput name: String, as expected: String) throws {
    let reason: String
    do {
      let type = try FileManager.default.attributesOfItem(atPath: name)[.type]
      reason = type as? FileAttributeType == .typeDirectory ? "is a folder" : ""
    } catch {
      reason = "does not exist"
    }
    guard reason.isEmpty else {
      throw InputProblem(
        "\(name) \(reason): name a file of \(expected).", exitCode: ExitStatus.noInput)
    }
    do { try self.init(forReadingFrom: URL(fileURLWithPath: name)) } catch {
      throw InputProblem(
        "\(name) cannot be read: \(error.localizedDescription)", exitCode: ExitStatus.noInput)
    }
  }

  /// Standard input, to read a pipe or a file from.
  ///
  /// - Throws: `InputProblem` (exit 66) where a folder stands behind it, which cannot be read and
  ///   would stop the program.
  static func readableStandardInput(as expected: String) throws -> FileHandle {
    let path = URL(fileURLWithPath: "/dev/stdin").resolvingSymlinksInPath().path
    // A pipe's other end has no path, and is no folder.
    if FileManager.default.fileExists(atPath: path) {
      let type = try FileManager.default.attributesOfItem(atPath: path)[.type]
      guard type as? FileAttributeType != .typeDirectory else {
        throw InputProblem(
          "standard input is a folder: pipe in a file of \(expected).",
          exitCode: ExitStatus.noInput)
      }
    }
    return .standardInput
  }
}
