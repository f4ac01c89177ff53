#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Handlers for the signals that a damaged page can cause, when LMDB follows it out of the map.
///
/// LMDB's pages have no checksum, and LMDB trusts them. A damaged offset ends the process by
/// SIGSEGV or SIGBUS, and an assertion of LMDB by SIGABRT. The handler of such a signal can neither
/// examine the file nor report anything. So it replaces the process with another program that can
/// (execve(2)).
///
/// Only programs install this. A library that did so would take over the signals of its host.
public enum FaultSignals {
  /// The signals that damaged pages cause.
  public static let numbers = [SIGSEGV, SIGBUS, SIGABRT]

  /// Installs a handler for each of ``numbers`` that replaces this process with a program.
  ///
  /// - Parameters:
  ///   - program: The path of the program.
  ///   - arguments: Returns the program's arguments for a signal, beginning with its name.
  public static func run(_ program: String, _ arguments: (_ signal: Int32) -> [String]) {
    // SAFETY: the copies are made once and never freed, so that the handler can read them.
    unsafe handover = unsafe Handover(
      program: strdup(program),
      segmentation: copy(arguments(SIGSEGV)), bus: copy(arguments(SIGBUS)),
      abort: copy(arguments(SIGABRT)))
    var action = sigaction()
    #if canImport(Glibc)
      unsafe action.__sigaction_handler.sa_handler = handOver
    #else
      unsafe action.__sigaction_u.__sa_handler = handOver
    #endif
    // The program that follows must be able to receive the same signal.
    action.sa_flags = Int32(bitPattern: UInt32(truncatingIfNeeded: SA_RESETHAND)) | SA_NODEFER
    for number in numbers {
      // SAFETY: sigaction copies the structure.
      _ = unsafe sigaction(number, &action, nil)
    }
  }

  /// Ends this process by `signal`, as if there were no handler.
  public static func die(_ signal: Int32) -> Never {
    _ = Self.signal(signal, SIG_DFL)
    raise(signal)
    exit(128 + signal)
  }

  private static func signal(
    _ number: Int32, _ action: (@convention(c) (Int32) -> Void)?
  ) -> (@convention(c) (Int32) -> Void)? {
    #if canImport(Glibc)
      Glibc.signal(number, action)
    #else
      Darwin.signal(number, action)
    #endif
  }

  private static func copy(
    _ words: [String]
  ) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
    // SAFETY: there is room for the words and the null after them, and all of it is set.
    let copies = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
      .allocate(capacity: words.count + 1)
    for (index, word) in words.enumerated() { unsafe copies[index] = strdup(word) }
    unsafe copies[words.count] = nil
    return unsafe copies
  }
}

/// What the handler needs. It is prepared in advance, because the handler must not allocate.
@unsafe private struct Handover {
  let program: UnsafeMutablePointer<CChar>?
  let segmentation: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  let bus: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  let abort: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
}

// SAFETY: set once, before the handler is installed, and only read afterwards.
nonisolated(unsafe) private var handover: Handover?

/// The handler. It may call execv(3), one of the few calls that are allowed in it
/// (signal-safety(7)). If that fails, the process ends by the signal, because its action is the
/// default one again.
private let handOver: @convention(c) (Int32) -> Void = { signal in
  // SAFETY: the pointers are never freed; execv replaces the process or does nothing.
  guard let next = unsafe handover, let program = unsafe next.program else { return }
  switch signal {
  case SIGSEGV: _ = unsafe execv(program, next.segmentation)
  case SIGBUS: _ = unsafe execv(program, next.bus)
  default: _ = unsafe execv(program, next.abort)
  }
}
