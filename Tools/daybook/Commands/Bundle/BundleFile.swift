import Foundation

/// A file that is there whole or not at all: it is written beside its place and moved there.
final class BundleFile {
  private let path: String
  private let beside: String
  private let overwrites: Bool
  private let handle: FileHandle

  /// - Throws: `InputProblem` (exit 73) where there is a file that is not to be overwritten, or
  ///   where none can be made.
  init(_ path: String, overwrites: Bool) throws {
    let isThere = FileManager.default.fileExists(atPath: path)
    guard overwrites || !isThere else {
      throw InputProblem(
        "\(path) is there already: name another file, or say --force.",
        exitCode: ExitStatus.cannotCreate)
    }
    self.path = path
    self.overwrites = overwrites
    beside = path + ".\(ProcessInfo.processInfo.processIdentifier).part"
    let owner: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
    guard FileManager.default.createFile(atPath: beside, contents: nil, attributes: owner) else {
      throw InputProblem(
        "\(path) cannot be made: look whether its folder is there and may be written to.",
        exitCode: ExitStatus.cannotCreate)
    }
    handle = try FileHandle(forWritingTo: URL(fileURLWithPath: beside))
  }

  func write(_ bytes: [UInt8]) throws { try handle.write(contentsOf: Data(bytes)) }

  /// Makes the file durable and puts it into its place.
  ///
  /// - Throws: `InputProblem` (exit 73) where there is a file by now, or none can be made.
  func publish() throws {
    try handle.synchronize()
    try handle.close()
    let files = FileManager.default
    do {
      if overwrites && files.fileExists(atPath: path) {
        _ = try files.replaceItemAt(
          URL(fileURLWithPath: path), withItemAt: URL(fileURLWithPath: beside))
      } else {
        // A second name fails where there is one already, however late it came.
        try files.linkItem(atPath: beside, toPath: path)
        try files.removeItem(atPath: beside)
      }
    } catch {
      throw InputProblem(
        "\(path) cannot be made: \(error.localizedDescription)", exitCode: ExitStatus.cannotCreate)
    }
  }

  /// Leaves nothing behind.
  func discard() {
    do { try FileManager.default.removeItem(atPath: beside) } catch {
      return  // It has its name already.
    }
  }
}
