import Foundation

/// The largest file that the process may write (`ulimit -f`).
enum FileSizeLimit {
  /// Makes writing beyond the limit fail with an error, as on a full disk. Otherwise, a signal
  /// would end the program in the middle and leave half of the file.
  static func reportAsError() {
    _ = signal(SIGXFSZ, SIG_IGN)
  }
}
