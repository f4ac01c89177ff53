import Foundation
import Testing

@testable import PackageFiles

/// Standard output and files have this in common: they get all of the bytes, or there is an error.
@Suite("Writing all of the bytes") struct WriteAllTests {
  /// More bytes than a pipe holds.
  private let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

  private func noBlocking(_ pipe: Pipe) {
    let number = pipe.fileHandleForWriting.fileDescriptor
    #expect(fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) == 0)
  }

  @Test("goes on where a pipe took a part and then had no room") func partial() throws {
    let pipe = Pipe()
    noBlocking(pipe)
    var read: [UInt8] = []
    var waits = 0
    try writeAll(bytes.span, to: pipe.fileHandleForWriting.fileDescriptor, called: "pipe") {
      waits += 1
      read += pipe.fileHandleForReading.availableData
      return true
    }
    try pipe.fileHandleForWriting.close()
    read += pipe.fileHandleForReading.readDataToEndOfFile()
    #expect(waits > 0)
    #expect(read == bytes)
  }

  @Test("fails where nobody waits for room") func noRoom() throws {
    let pipe = Pipe()
    noBlocking(pipe)
    let number = pipe.fileHandleForWriting.fileDescriptor
    let error = #expect(throws: FolderError.self) {
      try writeAll(bytes.span, to: number, called: "pipe") { false }
    }
    #expect(error?.number == EAGAIN)
  }

  @Test("says that the reader is gone, and does not end the program") func readerGone() throws {
    StandardOutput.reportGoneReaders()
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    let number = pipe.fileHandleForWriting.fileDescriptor
    let error = #expect(throws: FolderError.self) {
      try writeAll(bytes.span, to: number, called: "pipe") { false }
    }
    #expect(error?.kind == .readerGone)
  }

  @Test("a call that a signal interrupts is made again, and any other failure is thrown")
  func retries() throws {
    var calls = 0
    let result = try retrying("open", "a") {
      calls += 1
      errno = EINTR
      return calls < 4 ? -1 : 7
    }
    #expect(result == 7 && calls == 4)
    let error = #expect(throws: FolderError.self) {
      try retrying("open", "a") {
        errno = EIO
        return -1
      }
    }
    #expect(error?.number == EIO)
  }
}
