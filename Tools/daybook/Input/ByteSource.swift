import Dispatch
import Foundation
import PackageFiles
import Synchronization
import WorkThreads

/// The bytes of a file or of standard input, which a separate thread reads, so that a slow pipe can
/// be answered in time. If no thread can be started, whoever asks for bytes reads them.
final class ByteSource: Sendable {
  private enum Arrival {
    case chunk(Data)
    case end
    case failure(String)
  }

  private static let chunkBytes = 256 * 1024
  /// How many chunks reading may be ahead of appending: 8 MiB.
  private static let chunksAheadMax = 32

  private struct State {
    var arrivals: [Arrival] = []
    var isStopped = false
  }

  private let state = Mutex(State())
  private let arrived = DispatchSemaphore(value: 0)
  private let room = DispatchSemaphore(value: 0)

  private let handle: FileHandle
  private let isPipe: Bool
  private let thread = BackgroundThread()
  /// Whether no thread could be started.
  private let readsHere = Atomic<Bool>(false)

  init(_ handle: FileHandle, isPipe: Bool) {
    self.handle = handle
    self.isPipe = isPipe
    // A semaphore must not end below its initial value, so it begins with 0.
    for _ in 0..<Self.chunksAheadMax { room.signal() }
    if !thread.run({ [self] in read() }) { readsHere.store(true, ordering: .relaxed) }
  }

  private func read() {
    while true {
      room.wait()
      if isPipe { InputReadiness.wait(for: handle.fileDescriptor) }
      // Under the lock, so that nothing is taken out of a pipe after the stop: what is left there
      // is for the next program that reads it.
      let goesOn = state.withLock { state in
        if state.isStopped { return false }
        let arrival = arrival()
        state.arrivals.append(arrival)
        if case .chunk = arrival { return true }
        return false
      }
      arrived.signal()
      if !goesOn { return }
    }
  }

  private func arrival() -> Arrival {
    do {
      // For a pipe, read only what is available; `read(upToCount:)` would wait for the whole
      // chunk.
      let chunk = isPipe ? handle.availableData : try handle.read(upToCount: Self.chunkBytes)
      if let chunk, !chunk.isEmpty { return .chunk(chunk) }
      return .end
    } catch {
      return .failure(error.systemReason)
    }
  }

  /// Returns the next bytes; empty if none have come by `deadline`, `nil` at the end.
  ///
  /// - Throws: `InputProblem` if reading failed.
  func next(until deadline: DispatchTime) throws -> Data? {
    if readsHere.load(ordering: .relaxed) {
      if isPipe, !isReady(by: deadline) { return Data() }
      state.withLock { $0.arrivals.append(arrival()) }
      arrived.signal()
    }
    guard arrived.wait(timeout: deadline) == .success else { return Data() }
    switch state.withLock({ $0.arrivals.removeFirst() }) {
    case .chunk(let data):
      room.signal()
      return data
    case .end:
      arrived.signal()
      state.withLock { $0.arrivals.append(.end) }
      return nil
    case .failure(let reason):
      throw InputProblem("reading failed: \(reason)", exitCode: ExitStatus.inputOutput)
    }
  }

  /// Waits until bytes have come, but not beyond `deadline`.
  private func isReady(by deadline: DispatchTime) -> Bool {
    if deadline == .distantFuture {
      InputReadiness.wait(for: handle.fileDescriptor)
      return true
    }
    let now = DispatchTime.now().uptimeNanoseconds
    let left = deadline.uptimeNanoseconds.subtractingReportingOverflow(now)
    let milliseconds = left.overflow ? 0 : min(left.partialValue / 1_000_000 + 1, 1_000)
    return InputReadiness.wait(for: handle.fileDescriptor, milliseconds: Int32(milliseconds))
  }

  /// Stops reading, and returns the bytes that were read but not yet returned.
  func stop() -> [Data] {
    state.withLock { state in
      state.isStopped = true
      defer { state.arrivals = [] }
      return state.arrivals.compactMap { if case .chunk(let data) = $0 { data } else { nil } }
    }
  }
}
