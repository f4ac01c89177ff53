#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Replaces this process with another program (execve(2)), as `git` does with its commands.
public enum ProgramReplacement {
  /// Replaces this process. The new program has the same process id, the same standard streams and
  /// the same environment, and receives every signal itself.
  ///
  /// - Parameters:
  ///   - path: The program's file.
  ///   - arguments: Its arguments, beginning with its name.
  /// - Returns: Never, unless it fails.
  /// - Throws: ``FolderError``.
  public static func run(_ path: String, _ arguments: [String]) throws(FolderError) -> Never {
    // SAFETY: the copies end with a null, and execv reads them during the call. They are not freed:
    // if execv fails, the process is about to end.
    let words = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
      .allocate(capacity: arguments.count + 1)
    for (index, word) in arguments.enumerated() { unsafe words[index] = strdup(word) }
    unsafe words[arguments.count] = nil
    _ = unsafe execv(path, words)
    throw FolderError(errno, "run", path)
  }
}
