internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The number of forks between the first process and this one.
///
/// After `fork`, the child's environment shares its locks and reader slots with the parent's.
/// Comparing two numbers detects that without a system call.
private let forks = Atomic<Int>(0)

var currentForkGeneration: Int {
  @inline(__always) get { forks.load(ordering: .relaxed) }
}

/// Starts to count forks; called once, before the first environment opens.
private let watch: Void = {
  pthread_atfork(nil, nil) { _ = forks.wrappingAdd(1, ordering: .relaxed) }
}()

func watchForks() { watch }
