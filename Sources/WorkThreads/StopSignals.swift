internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// SIGINT and SIGTERM as a flag, set by a handler, which needs no thread.
package enum StopSignals {
  /// What the handler sets. A handler must not wait, and an atomic is never locked.
  private static let received = Atomic<Bool>(false)

  /// Keeps both signals from ending the process from now on. Calls of the system go on after one.
  package static func trap() {
    // A handler must not be the first to use the flag: that could wait for another first use.
    received.store(false, ordering: .releasing)
    var action = sigaction()
    let handler: @convention(c) (Int32) -> Void = { _ in StopSignals.set() }
    // SAFETY: the field of a local union that goes with flags without SA_SIGINFO, as here.
    #if canImport(Glibc)
      unsafe action.__sigaction_handler.sa_handler = handler
    #else
      unsafe action.__sigaction_u.__sa_handler = handler
    #endif
    action.sa_flags = SA_RESTART
    var taken = sigset_t()
    // SAFETY: sigaction copies the structure; the set is a local that each call fills or reads.
    unsafe sigemptyset(&taken)
    for number in [SIGINT, SIGTERM] {
      _ = unsafe sigaction(number, &action, nil)
      unsafe sigaddset(&taken, number)
    }
    // Whoever started this process may have kept them from it: a mask is inherited.
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &taken, nil)
  }

  /// Keeps SIGHUP from ending the process from now on.
  ///
  /// For programs that have nothing to read again: whoever sends it means that, and programs that
  /// rotate logs send it to every service.
  package static func ignoreHangup() {
    _ = signal(SIGHUP, SIG_IGN)
  }

  /// Whether one of them came since ``trap()``.
  package static var isReceived: Bool { received.load(ordering: .acquiring) }

  private static func set() { received.store(true, ordering: .releasing) }
}
