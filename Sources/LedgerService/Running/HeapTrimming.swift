internal import CHeap
import NIOPosix
import ServiceLifecycle

/// Gives memory that is free back to the system from time to time.
///
/// glibc has a heap for each thread, and keeps what the thread's largest question has used if
/// anything that is still in use lies behind it: 10 MB for each of eight threads after questions
/// about customers with a hundred events, and more as their histories grow.
struct HeapTrimming: Service {
  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        // The only error is that the task was cancelled, or that the process ends.
        do {
          try await Task.sleep(for: .seconds(ServiceLimits.heapTrimSeconds))
          try await NIOThreadPool.singleton.runIfActive { daybook_heap_trim() }
        } catch { return }
      }
    }
  }
}
