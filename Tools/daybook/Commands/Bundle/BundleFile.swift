import Foundation
import LedgerExport

/// The file of a bundle: there whole or not at all, and nobody else's to read.
final class BundleFile {
  private let path: String
  private let file: ExportFile
  private let overwrites: Bool
  private let handle: FileHandle

  /// - Throws: `InputProblem` (exit 73) where there is a file that is not to be overwritten, or
  ///   where none can be made.
  init(_ path: String, overwrites: Bool) throws {
    guard overwrites || !FileManager.default.fileExists(atPath: path) else {
      throw InputProblem(ExportFile.existsMessage(path), exitCode: ExitStatus.cannotCreate)
    }
    self.path = path
    self.overwrites = overwrites
    do throws(ExportError) { file = try ExportFile(path) } catch {
      throw InputProblem(error.message, exitCode: ExitStatus.cannotCreate)
    }
    handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file.partial))
  }

  func write(_ bytes: [UInt8]) throws { try handle.write(contentsOf: Data(bytes)) }

  /// Makes the file durable and gives it its name.
  ///
  /// - Throws: `InputProblem` where there is a file by now (exit 73), or the disk fails.
  func publish() throws {
    try handle.close()
    do throws(ExportError) {
      try file.synchronize()
      try file.publish(replacing: overwrites)
    } catch {
      throw InputProblem(error.message, exitCode: ExitStatus.code(for: error))
    }
  }

  /// Leaves nothing behind.
  func discard() { file.discard() }
}
