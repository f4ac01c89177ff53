internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// How many forks lie between the first process and this one.
///
/// An environment carried over `fork` shares its locks and reader slots with the parent. Comparing
/// two numbers finds that out without a system call.
private let forks = Atomic<Int>(0)

var currentForkGeneration: Int {
  @inline(__always) get { forks.load(ordering: .relaxed) }
}

/// Counts forks from now on; done once, before the first environment opens.
private let watch: Void = {
  pthread_atfork(nil, nil) { _ = forks.wrappingAdd(1, ordering: .relaxed) }
}()

func watchForks() { watch }
