#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Reads one archive for a parent process that has started this one as
/// ``ArchiveIsolation/child(command:limits:)``.
///
/// The parent passes its socket and the open archive as two descriptors. Nothing else is opened.
public enum ArchiveServer {
  static let socketDescriptor: Int32 = 3
  static let archiveDescriptor: Int32 = 4
  /// The maximum amount of data in one answer, in bytes.
  static let pieceBytesMax = 1 << 20

  /// Answers requests until the parent has no more of them.
  ///
  /// - Returns: False if this process was not started by a parent that reads an archive.
  public static func run() -> Bool {
    var status = stat()
    // SAFETY: fstat fills in the structure passed to it.
    guard unsafe fstat(socketDescriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK,
      unsafe fstat(archiveDescriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG
    else { return false }
    let socket = MessageSocket(descriptor: socketDescriptor)
    // The parent sets the limits before its first request, so nothing is parsed before that.
    guard let first = awaitRequest(socket) else { return true }
    do throws(PackageFileError) {
      let file = try ReadFile(descriptor: archiveDescriptor, path: "")
      guard let reader = try ArchiveReader(file) else {
        throw PackageFileError(.malformed, path: "", "is neither a xar nor a zip.")
      }
      serve(reader, socket, first)
    } catch {
      var payload = PayloadWriter()
      error.write(to: &payload)
      _ = answer(.failure, payload.bytes, socket)
    }
    return true
  }

  /// Answers `first` and all requests after it.
  private static func serve(
    _ reader: ArchiveReader, _ socket: MessageSocket, _ first: (ArchiveRequest, UInt32)
  ) {
    var buffer = [UInt8](repeating: 0, count: pieceBytesMax)
    var asked: (ArchiveRequest, UInt32)? = first
    while let (request, number) = asked {
      var payload = PayloadWriter()
      let isHeard: Bool
      do throws(PackageFileError) {
        switch request {
        case .summary:
          payload.write(UInt8(reader.format == .xar ? 0 : 1))
          for checksum in reader.checksums { checksum.write(to: &payload) }
          isHeard = answer(.summary, payload.bytes, socket)
        case .next:
          if let entry = try reader.next() {
            entry.write(to: &payload)
            isHeard = answer(.entry, payload.bytes, socket)
          } else {
            isHeard = answer(.end, [], socket)
          }
        case .read:
          let wanted = min(Int(number), pieceBytesMax)
          if buffer.count != wanted { buffer = [UInt8](repeating: 0, count: wanted) }
          let count = try reader.read(into: &buffer)
          isHeard = answer(.data, Array(buffer[..<count]), socket)
        }
      } catch {
        payload = PayloadWriter()
        error.write(to: &payload)
        isHeard = answer(.failure, payload.bytes, socket)
      }
      if !isHeard { return }
      asked = awaitRequest(socket)
    }
  }

  private static func awaitRequest(_ socket: MessageSocket) -> (ArchiveRequest, UInt32)? {
    var bytes = [UInt8](repeating: 0, count: ArchiveRequest.byteCount)
    guard socket.receive(bytes.count, into: &bytes),
      let request = ArchiveRequest(rawValue: bytes[0])
    else { return nil }
    var payload = PayloadReader(Array(bytes[1...]))
    return payload.number(UInt32.self).map { (request, $0) }
  }

  private static func answer(
    _ answer: ArchiveAnswer, _ payload: [UInt8], _ socket: MessageSocket
  ) -> Bool {
    var header = PayloadWriter()
    header.write(answer.rawValue)
    header.write(UInt32(payload.count))
    return socket.send(header.bytes) && socket.send(payload)
  }
}
