internal import Foundation
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A user of this machine who may have few threads.
///
/// The system counts all threads of a user. So each value is another one, whose processes are those
/// of one test.
public struct FewThreads: Sendable {
  private let user: Int

  /// Users that nobody has: above those of people and programs, and within the 65,536 of a
  /// container.
  private static let users = 20_000..<60_000
  /// How many of them stand between those of one process and of the next one.
  private static let usersPerProcess = 64
  private static let made = Atomic<Int>(0)

  public init() {
    let number = Self.made.wrappingAdd(1, ordering: .relaxed).oldValue
    let place = Int(getpid()) * Self.usersPerProcess + number
    user = Self.users.lowerBound + place % Self.users.count
  }

  /// Whether the number of threads can be limited here: needs `prlimit`, and `setpriv` for root.
  public static let isPossible: Bool = {
    do {
      let ending = try FewThreads().run(threads: 9, [try TracedProcess.executable(), "--version"])
      return ending.status == 0
    } catch { return false }
  }()

  /// Runs a program that may have `threads` threads; any number if that is `nil`.
  public func run(threads: Int?, _ words: [String]) throws -> ProcessEnding {
    // A program that waits for a thread is ended by no other signal.
    try TracedProcess.run("/usr/bin/timeout", ["-s", "KILL", "600"] + wrapper(threads) + words)
  }

  /// What becomes the program that it is given as arguments, with `threads` threads.
  public func wrapper(_ threads: Int?) -> [String] {
    // The limit does not apply to root.
    var words = getuid() == 0 ? ["/usr/bin/setpriv", "--reuid=\(user)", "--clear-groups"] : []
    if let threads { words += ["/usr/bin/prlimit", "--nproc=\(threads):\(threads)"] }
    return words
  }
}
