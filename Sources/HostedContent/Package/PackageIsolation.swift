internal import PackageFiles

/// Where packages of an unknown origin are parsed.
///
/// In a child process, a package that crashes its parser, takes all of the memory or never ends is
/// an error, and nothing else.
public enum PackageIsolation: Sendable, Hashable {
  /// In this process. The package's table is still checked first, by strict rules.
  case none
  /// In a child process with limits of memory and processor time, which cannot write a file. It
  /// runs `command`, which must call ``serve()``.
  case child(command: [String])

  /// Parses a package for the parent of this process, until it wants no more.
  ///
  /// - Returns: False if this process was not started for that.
  public static func serve() -> Bool { ArchiveServer.run() }

  var ofArchives: ArchiveIsolation {
    switch self {
    case .none: .none
    case .child(let command): .child(command: command, limits: ArchiveLimits())
    }
  }
}
