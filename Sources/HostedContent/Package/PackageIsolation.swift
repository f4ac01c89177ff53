internal import PackageFiles

/// Where packages of an unknown origin are parsed.
///
/// A child process contains the damage: if a package crashes its parser, takes all of the memory or
/// never ends, the result is just an error.
public enum PackageIsolation: Sendable, Hashable {
  /// In this process. The package's table is still checked first, by strict rules.
  case none
  /// In a child process with limits on memory and processor time, which cannot write files. It runs
  /// `command`, which must call ``serve()``.
  case child(command: [String])

  /// Parses a package for the parent of this process, until the parent is done.
  ///
  /// - Returns: False if this process was not started for this.
  public static func serve() -> Bool { ArchiveServer.run() }

  var ofArchives: ArchiveIsolation {
    switch self {
    case .none: .none
    case .child(let command): .child(command: command, limits: ArchiveLimits())
    }
  }
}
