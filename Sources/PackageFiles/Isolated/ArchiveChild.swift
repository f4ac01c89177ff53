internal import CFolder

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A child process that parses one archive within limits. It ends when this object is released.
final class ArchiveChild {
  private let socket: MessageSocket
  private let path: String
  private let limits: ArchiveLimits
  private let process: pid_t
  private var hasEnded = false

  /// - Parameters:
  ///   - command: The program and its arguments.
  ///   - archive: The open archive, which the child inherits.
  ///   - limits: The resources that the child may use.
  init(
    _ command: [String], archive: ReadFile, limits: ArchiveLimits
  ) throws(PackageFileError) {
    guard let (own, other) = MessageSocket.pair() else {
      throw PackageFileError.system("make a pair of sockets", archive.path)
    }
    socket = own
    path = archive.path
    self.limits = limits
    let seconds = limits.processorSeconds + archive.state.bytes / limits.bytesPerSecond
    own.wait(atMost: limits.answerSeconds)
    process = try Self.start(
      command, socket: other.descriptor, archive: archive.descriptor, path)
    #if canImport(Glibc)
      // The child has not parsed anything yet: it waits for the first request.
      let all: [(__rlimit_resource, UInt64, UInt64)] = [
        (RLIMIT_AS, limits.memoryBytes, limits.memoryBytes), (RLIMIT_FSIZE, 0, 0),
        // The hard limit is a second later, so that the signal of the soft limit shows the cause.
        (RLIMIT_CPU, seconds, seconds + 1), (RLIMIT_CORE, 0, 0),
      ]
      for (resource, soft, hard) in all {
        var limit = rlimit(rlim_cur: rlim_t(soft), rlim_max: rlim_t(hard))
        // SAFETY: prlimit reads the limit during the call and returns no old one.
        let result = unsafe prlimit(process, Int32(resource.rawValue), &limit, nil)
        // If the child has already ended, the next request reports that.
        guard result == 0 || errno == ESRCH else {
          let error = PackageFileError.system("limit the child process", path)
          _ = end()
          throw error
        }
      }
    #endif
  }

  deinit { _ = end() }

  /// Sends a request and waits for its answer.
  ///
  /// - Returns: The payload; nil for ``ArchiveAnswer/end``.
  func ask(
    _ request: ArchiveRequest, _ number: UInt32 = 0, expecting expected: ArchiveAnswer
  ) throws(PackageFileError) -> [UInt8]? {
    guard let (answer, count) = try askForHeader(request, number) else { return nil }
    var payload = [UInt8](repeating: 0, count: count)
    guard socket.receive(count, into: &payload) else { throw ending() }
    if answer == .failure { throw try failure(payload) }
    guard answer == expected else { throw nonsense() }
    return payload
  }

  /// Reads data into the start of `buffer`, without a copy.
  func read(into buffer: inout [UInt8]) throws(PackageFileError) -> Int {
    let wanted = UInt32(min(buffer.count, ArchiveServer.pieceBytesMax))
    guard let (answer, count) = try askForHeader(.read, wanted) else { throw nonsense() }
    if answer == .failure {
      var payload = [UInt8](repeating: 0, count: count)
      guard socket.receive(count, into: &payload) else { throw ending() }
      throw try failure(payload)
    }
    guard answer == .data, count <= Int(wanted) else { throw nonsense() }
    guard socket.receive(count, into: &buffer) else { throw ending() }
    return count
  }

  private func askForHeader(
    _ request: ArchiveRequest, _ number: UInt32
  ) throws(PackageFileError) -> (ArchiveAnswer, Int)? {
    var header = [UInt8](repeating: 0, count: ArchiveAnswer.headerBytes)
    guard socket.send(request.bytes(number)), socket.receive(header.count, into: &header) else {
      throw ending()
    }
    var payload = PayloadReader(Array(header[1...]))
    guard let answer = ArchiveAnswer(rawValue: header[0]),
      let count = payload.number(UInt32.self), count <= ArchiveAnswer.payloadBytesMax
    else { throw nonsense() }
    return answer == .end ? nil : (answer, Int(count))
  }

  private func failure(_ payload: [UInt8]) throws(PackageFileError) -> PackageFileError {
    var payload = PayloadReader(payload)
    guard let error = PackageFileError(&payload, path: path) else { throw nonsense() }
    return error
  }

  /// The error for an answer that no version of the reader gives here.
  func nonsense() -> PackageFileError {
    PackageFileError(
      .malformed, path: path, "the process that reads it was taken over or is of another version.")
  }

  /// Why the child ended without an answer.
  private func ending() -> PackageFileError {
    let status = end()
    let signal = status & 0x7F
    if socket.hasTimedOut || signal == SIGXCPU {
      return PackageFileError(
        .malformed, path: path, "takes too much time to read, and may never end.")
    }
    return PackageFileError(
      .malformed, path: path,
      "cannot be read within \(limits.memoryBytes >> 20) MiB of memory, or its reader failed "
        + (signal == 0 ? "(status \(status >> 8))." : "(signal \(signal))."))
  }

  /// Ends the child and returns its status. If the child has already ended, that is its own exit
  /// status, because a signal no longer has an effect.
  private func end() -> Int32 {
    guard !hasEnded else { return 0 }
    hasEnded = true
    kill(process, SIGKILL)
    var status: Int32 = 0
    // SAFETY: waitpid fills the status. The process is this object's own child.
    _ = retryingInterrupted { unsafe waitpid(process, &status, 0) }
    return status
  }

  /// The child expects its own descriptors below this number.
  private static let lowDescriptors: Int32 = 10

  private static func start(
    _ command: [String], socket: Int32, archive: Int32, _ path: String
  ) throws(PackageFileError) -> pid_t {
    // Duplicate the descriptors to numbers that don't collide with those in the child.
    let ends = [socket, archive].map { fcntl($0, F_DUPFD_CLOEXEC, lowDescriptors) }
    defer { for end in ends where end >= 0 { close(end) } }
    guard !ends.contains(-1) else { throw PackageFileError.system("start its reader", path) }
    // SAFETY: the actions are made here and destroyed below; the paths are copied at once.
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (descriptor, flags) in [(0, O_RDONLY), (1, O_WRONLY), (2, O_WRONLY)] {
      unsafe posix_spawn_file_actions_addopen(&actions, Int32(descriptor), "/dev/null", flags, 0)
    }
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[0], ArchiveServer.socketDescriptor)
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], ArchiveServer.archiveDescriptor)
    var process: pid_t = 0
    let result = unsafe withArguments(command) { program, arguments in
      unsafe posix_spawn(&process, program, &actions, nil, arguments, environ)
    }
    guard result == 0 else {
      errno = result
      throw PackageFileError.system("start its reader", path)
    }
    return process
  }

  /// Passes the arguments as C strings: the first one, and the list with a null pointer at its end.
  private static func withArguments(
    _ command: [String],
    _ body: (UnsafePointer<CChar>, UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
  ) -> Int32 {
    var arguments = unsafe command.map { unsafe strdup($0) } + [nil]
    // SAFETY: each text was made by strdup, and is freed once.
    defer { for index in 0..<command.count { unsafe free(arguments[index]) } }
    guard let program = unsafe arguments[0] else { return ENOENT }
    return unsafe arguments.withUnsafeMutableBufferPointer { all in
      guard let start = all.baseAddress else { return ENOENT }
      return unsafe body(program, start)
    }
  }
}
