#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Starts threads, and says when the system starts none.
///
/// Dispatch does not say so: it tries again each second, on the thread of whoever calls `async` or
/// `concurrentPerform`, for as long as it takes. A writer that needed it would wait for ever where
/// the number of threads is limited, with a batch that is neither written nor refused.
enum ThreadStart {
  /// Starts a thread that runs `body` and ends. Returns false if the system starts none.
  ///
  /// The thread takes no signals that are sent to the process: those are for threads that wait for
  /// input, and the signals of its own faults still reach it.
  static func run(_ body: @escaping @Sendable () -> Void) -> Bool {
    var blocked = sigset_t()
    var previous = sigset_t()
    // SAFETY: the sets are locals, which each call fills or reads before it returns.
    unsafe sigfillset(&blocked)
    for fault in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGPIPE] {
      unsafe sigdelset(&blocked, fault)
    }
    // A thread begins with the mask of the one that starts it.
    guard unsafe pthread_sigmask(SIG_SETMASK, &blocked, &previous) == 0 else { return false }
    defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &previous, nil) }
    // SAFETY: the reference is released exactly once: by the thread, or here if there is none.
    let start = unsafe Unmanaged.passRetained(Start(body))
    #if canImport(Glibc)
      var thread = pthread_t()
      let status = unsafe pthread_create(&thread, nil, runStart, start.toOpaque())
      if status == 0 { pthread_detach(thread) }
    #else
      var thread: pthread_t?
      let status = unsafe pthread_create(&thread, nil, runStart, start.toOpaque())
      if status == 0, let thread = unsafe thread { unsafe pthread_detach(thread) }
    #endif
    if status != 0 { unsafe start.release() }
    return status == 0
  }

  fileprivate final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}

#if canImport(Glibc)
  private func runStart(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let start = unsafe start { unsafe take(start) }
    return nil
  }
#else
  private func runStart(_ start: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    unsafe take(start)
    return nil
  }
#endif

private func take(_ start: UnsafeMutableRawPointer) {
  // SAFETY: the pointer is the one that `run` retained for this thread.
  unsafe Unmanaged<ThreadStart.Start>.fromOpaque(start).takeRetainedValue().body()
}
