#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// How many files and connections the system lets this process have.
package enum FileRoom {
  /// Raises the limit of open files to the highest that a process may give itself.
  ///
  /// The usual soft limit, 1,024, is meant for programs that use `select`. Dispatch ends a process
  /// that has reached it.
  ///
  /// - Returns: How many descriptors there can be at the same time, those of now included.
  package static func raise() -> Int {
    var limit = rlimit()
    // SAFETY: the limit is a local, which the call fills before it returns.
    guard unsafe getrlimit(resource, &limit) == 0 else { return usual }
    let before = limit.rlim_cur
    #if canImport(Darwin)
      // More is refused, also where the hard limit is infinite.
      limit.rlim_cur = min(limit.rlim_max, rlim_t(OPEN_MAX))
    #else
      limit.rlim_cur = limit.rlim_max
    #endif
    guard limit.rlim_cur > before else { return Int(clamping: before) }
    // SAFETY: the limit is a local, which the call reads before it returns.
    let isRaised = unsafe setrlimit(resource, &limit) == 0
    return Int(clamping: isRaised ? limit.rlim_cur : before)
  }

  /// The limit where the system does not say one.
  private static let usual = 1_024

  #if canImport(Glibc)
    private static var resource: __rlimit_resource_t {
      __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    }
  #else
    private static var resource: Int32 { RLIMIT_NOFILE }
  #endif
}
