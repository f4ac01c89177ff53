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
}
