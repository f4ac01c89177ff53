import NIOCore
import NIOPosix
import Testing

/// A connection over which a test sends bytes as it likes, and sees those that come back.
enum RawConnection {
  /// Sends parts one after the other, and returns the answers as they came, in order.
  ///
  /// - Parameters:
  ///   - address: `http://127.0.0.1:8470`.
  ///   - parts: What is sent, each with a write of its own.
  ///   - most: After how many answers it is enough. Fewer are returned if the connection ends.
  static func exchange(
    _ address: String, _ parts: [String], answers most: Int
  ) async throws -> [String] {
    let port = try #require(address.split(separator: ":").last.flatMap { Int($0) })
    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          for part in parts { try await outbound.write(ByteBuffer(string: part)) }
        }
        var (answers, bytes) = ([String](), [UInt8]())
        for try await buffer in inbound {
          bytes += buffer.readableBytesView
          while let answer = try whole(&bytes) { answers.append(answer) }
          if answers.count >= most { break }
        }
        group.cancelAll()
        return answers
      }
    }
  }

  /// Takes a whole answer from the front; nil if there is none yet.
  private static func whole(_ bytes: inout [UInt8]) throws -> String? {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
    let stated = try #require(head.lowercased().firstMatch(of: /\r\ncontent-length: ([0-9]+)/))
    let count = end.upperBound + (Int(stated.output.1) ?? 0)
    guard bytes.count >= count else { return nil }
    defer { bytes.removeFirst(count) }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// A request as text, with lines for its headers.
  static func request(_ target: String, _ lines: [String] = [], method: String = "GET") -> String {
    (["\(method) \(target) HTTP/1.1", "Host: localhost"] + lines).joined(separator: "\r\n")
      + "\r\n\r\n"
  }
}
