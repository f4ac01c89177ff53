import Foundation

/// The largest file that the process may write (`ulimit -f`).
enum FileSizeLimit {
  /// Has a file that would grow beyond the limit answer with an error, as a full disk does; the
  /// signal that comes else would end the program in the middle, and leave half of the file.
  static func reportAsError() {
    _ = signal(SIGXFSZ, SIG_IGN)
  }
}
