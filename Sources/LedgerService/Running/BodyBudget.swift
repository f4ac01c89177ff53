import Hummingbird
import NIOCore
import Synchronization

/// How many bytes of bodies are held at the same time.
final class BodyBudget: Sendable {
  private let held = Atomic(0)
  private let bytesMax: Int
  private let requestBytes: Int

  /// - Parameters:
  ///   - bytesMax: How many bytes are held.
  ///   - requestBytes: What each request takes at least, whatever its body.
  init(
    bytesMax: Int = ServiceLimits.heldBytesMax, requestBytes: Int = ServiceLimits.requestBytes
  ) {
    self.bytesMax = bytesMax
    self.requestBytes = requestBytes
  }

  /// Reads the body of a request, and calls `use` with it while its bytes are reserved.
  ///
  /// - Parameters:
  ///   - request: What has the body.
  ///   - loop: Where the time is measured in which it has to arrive.
  ///   - most: The largest body, in bytes.
  ///   - use: What is done with it.
  /// - Throws: ``Problem``: `tooLarge`, `tooManyRequests`, `badRequest` if the body does not arrive
  ///   or the connection ends before it; and what `use` throws.
  func read<Value: Sendable>(
    _ request: Request, on loop: any EventLoop, upTo most: Int = ServiceLimits.bodyBytesMax,
    _ use: (ByteBuffer) async throws(Problem) -> Value
  ) async throws(Problem) -> Value {
    let stated = try StatedLength.of(request)
    guard (stated ?? 0) <= most else { throw Self.tooLarge(most) }
    // A body of unstated size is given what the largest may need.
    let reserved = max(stated ?? most, requestBytes)
    defer { held.subtract(reserved, ordering: .relaxed) }
    guard held.add(reserved, ordering: .relaxed).newValue <= bytesMax else {
      var problem = Problem(
        .tooManyRequests,
        "Requests of \(bytesMax >> 20) MiB are being read: send this one again later.")
      problem.retryAfterSeconds = 1
      throw problem
    }
    return try await use(try await Self.collected(request.body, upTo: most, on: loop))
  }

  private static func tooLarge(_ most: Int) -> Problem {
    Problem(.tooLarge, "The body has more than \(most) bytes: send it in parts.")
  }

  private enum Outcome {
    case body(ByteBuffer)
    case late
  }

  /// The body, if it arrives in time: a client that sends a byte a minute must not hold its room.
  private static func collected(
    _ body: RequestBody, upTo most: Int, on loop: any EventLoop
  ) async throws(Problem) -> ByteBuffer {
    do {
      let outcome = try await withThrowingTaskGroup(of: Outcome.self) { group in
        group.addTask { .body(try await body.collect(upTo: most)) }
        group.addTask {
          try await Pause.wait(.seconds(ServiceLimits.bodySeconds), on: loop)
          return .late
        }
        defer { group.cancelAll() }
        return try await group.next() ?? .late
      }
      if case .body(let buffer) = outcome { return buffer }
    } catch is NIOTooManyBytesError {
      throw tooLarge(most)
    } catch {
      throw Problem(.badRequest, "The body was cut off.")
    }
    throw Problem(
      .badRequest, "The body did not arrive within \(ServiceLimits.bodySeconds) seconds.")
  }
}
