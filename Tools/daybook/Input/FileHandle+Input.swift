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
        "\(name) cannot be read: \(error.systemReason)", exitCode: ExitStatus.noInput)
    }
  }

  /// The bytes of a file, or of standard input, that fit in memory.
  ///
  /// - Parameters:
  ///   - name: The file; `-` is standard input.
  ///   - expected: What the file should hold, for the message.
  ///   - bytesMax: The most bytes that it may have; no more than one above it are read.
  /// - Throws: `InputProblem`: exit 66 where there is no such file, 65 where it is too large, 74
  ///   where reading fails.
  static func readInput(
    _ name: String, as expected: String, bytesMax: Int
  ) throws -> [UInt8] {
    let handle =
      name == "-"
      ? try readableStandardInput(as: expected)
      : try FileHandle(readingInput: name, as: expected)
    var bytes: [UInt8] = []
    do {
      // One read may return less than what was asked for.
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

  /// Bytes that are read at once: enough that calls are few.
  private static let readBytesMax = 1 << 20

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
