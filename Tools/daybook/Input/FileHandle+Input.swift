import Foundation

extension FileHandle {
  /// Opens a file for reading.
  ///
  /// - Parameter expected: What the file should contain, for the message.
  /// - Throws: `InputProblem` (exit 66) if there is no such file.
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
        "\(name) cannot be read: \(error.systemReason)", exitCode: ExitStatus.noInput)
    }
  }

  /// Reads the bytes of a file or of standard input into memory.
  ///
  /// - Parameters:
  ///   - name: The file; `-` is standard input.
  ///   - expected: What the file should contain, for the message.
  ///   - bytesMax: The maximum number of bytes that it may have. At most one more is read.
  /// - Throws: `InputProblem`: exit 66 if there is no such file, 65 if it is too large, 74 if
  ///   reading fails.
  static func readInput(
    _ name: String, as expected: String, bytesMax: Int
  ) throws -> [UInt8] {
    let handle =
      name == "-"
      ? try readableStandardInput(as: expected)
      : try FileHandle(readingInput: name, as: expected)
    var bytes: [UInt8] = []
    do {
      // One read may return less than was requested.
      while bytes.count <= bytesMax {
        let wanted = min(bytesMax + 1 - bytes.count, readBytesMax)
        guard let piece = try handle.read(upToCount: wanted), !piece.isEmpty else { break }
        bytes += piece
      }
      try handle.close()
    } catch {
      throw InputProblem(
        "\(name) cannot be read: \(error.systemReason)", exitCode: ExitStatus.inputOutput)
    }
    guard bytes.count <= bytesMax else {
      throw InputProblem("\(name) has over \(bytesMax) bytes: expected \(expected)")
    }
    return bytes
  }

  /// The number of bytes that are read at once: enough to keep calls few.
  private static let readBytesMax = 1 << 20

  /// Standard input, for reading a pipe or a file.
  ///
  /// - Throws: `InputProblem` (exit 66) if it is a folder, which cannot be read and would stop the
  ///   program.
  static func readableStandardInput(as expected: String) throws -> FileHandle {
    let path = URL(fileURLWithPath: "/dev/stdin").resolvingSymlinksInPath().path
    // A pipe has no path, and is not a folder.
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
