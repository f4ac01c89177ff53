import Foundation
import LedgerExport
import PackageFiles

/// The one way in which commands write files: only the owner may read them, and they appear as a
/// whole or not at all.
///
/// An existing file is kept unless it is to be replaced (`OutputDestination`). A device or a pipe
/// is written to directly.
final class OutputFile {
  /// When the contents become visible.
  enum Appearance {
    /// All at once, by `publish()`.
    case whole
    /// As they are written: for output that people watch, and output that must survive if the
    /// program is killed.
    case asWritten
  }

  private let path: String
  private let replaces: Bool
  /// `nil` once it has its name.
  private var file: ExportFile?
  private let handle: FileHandle

  /// - Throws: `InputProblem` (exit 73) if there is a file that is to be kept, or if none can be
  ///   created.
  init(_ destination: OutputDestination, _ appearance: Appearance = .whole) throws {
    path = destination.path
    replaces = destination.replaces
    let status = try destination.check()
    if status?.kind == .stream, appearance == .asWritten {
      handle = try Self.open(destination.path, for: destination.path)
      return
    }
    let file: ExportFile
    do throws(ExportError) { file = try ExportFile(destination.path) } catch {
      throw InputProblem(error.message, exitCode: ExitStatus.code(for: error))
    }
    self.file = file
    do { handle = try Self.open(file.partial, for: destination.path) } catch {
      file.discard()
      throw error
    }
    if appearance == .asWritten { try giveName() }
  }

  private static func open(_ path: String, for name: String) throws -> FileHandle {
    do { return try FileHandle(forWritingTo: URL(fileURLWithPath: path)) } catch {
      throw InputProblem(
        "\(name) cannot be written: \(error.systemReason)",
        exitCode: ExitStatus.cannotCreate)
    }
  }

  /// - Throws: `InputProblem` (exit 74).
  func write(_ bytes: [UInt8]) throws {
    do { try handle.write(contentsOf: Data(bytes)) } catch { throw failure(error) }
  }

  /// Makes the file durable and gives it its name.
  ///
  /// - Throws: `InputProblem` if a file exists by now (exit 73), or if the disk fails (74).
  func publish() throws {
    do { try handle.close() } catch { throw failure(error) }
    if file != nil { try giveName() }
  }

  /// Removes what was written, if it has no name yet.
  func discard() { file?.discard() }

  private func giveName() throws {
    guard let file else { return }
    do throws(ExportError) {
      try file.synchronize()
      try file.publish(replacing: replaces)
    } catch {
      file.discard()
      throw InputProblem(error.message, exitCode: ExitStatus.code(for: error))
    }
    self.file = nil
  }

  private func failure(_ error: any Error) -> InputProblem {
    InputProblem(
      "\(path) cannot be written: \(error.systemReason)", exitCode: ExitStatus.inputOutput)
  }
}
