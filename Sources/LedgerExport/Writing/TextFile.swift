internal import Foundation
internal import Synchronization

/// A file to which lines are written in large pieces.
final class TextFile: Sendable {
  /// How many bytes are collected before they are written.
  private static let bufferBytesMax = 1 << 20

  private let path: String
  private let handle: FileHandle
  private let buffer = Mutex<[UInt8]>([])

  init(_ path: String) throws(ExportError) {
    self.path = path
    do { handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path)) } catch {
      throw ExportError(.file, "\(path) cannot be written: \(error.localizedDescription)")
    }
  }

  func write(_ bytes: [UInt8]) throws(ExportError) {
    try buffer.withLock { (buffer) throws(ExportError) in
      buffer += bytes
      if buffer.count >= Self.bufferBytesMax { try write(&buffer) }
    }
  }

  /// Writes the rest, waits until it is on disk, and closes the file.
  func end() throws(ExportError) {
    try buffer.withLock { (buffer) throws(ExportError) in try write(&buffer) }
    do {
      try handle.synchronize()
      try handle.close()
    } catch { throw failure(error) }
  }

  private func write(_ buffer: inout [UInt8]) throws(ExportError) {
    do { try handle.write(contentsOf: Data(buffer)) } catch { throw failure(error) }
    buffer.removeAll(keepingCapacity: true)
  }

  private func failure(_ error: any Error) -> ExportError {
    ExportError(.file, "\(path) cannot be written: \(error.localizedDescription)")
  }
}

/// The bytes of a file, in pieces.
struct FilePieces {
  /// How many bytes are read at once.
  private static let pieceBytes = 1 << 20

  private let path: String
  private let handle: FileHandle

  init(_ path: String) throws(ExportError) {
    self.path = path
    do { handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)) } catch {
      throw ExportError(.file, "\(path) cannot be read: \(error.localizedDescription)")
    }
  }

  /// Returns the next piece; empty at the end.
  func next() throws(ExportError) -> [UInt8] {
    do { return Array(try handle.read(upToCount: Self.pieceBytes) ?? Data()) } catch {
      throw ExportError(.file, "\(path) cannot be read: \(error.localizedDescription)")
    }
  }
}
