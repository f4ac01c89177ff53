import Foundation

/// A path that a folder is to be made at, looked at before the work begins: what takes an hour does
/// not fail at its last step for want of a right or a letter.
enum NewPath {
  /// The path of a folder, without the slashes at its end.
  ///
  /// - Throws: `InputProblem` (exit 73) where there is something, or where none can be made.
  static func folder(_ path: String) throws -> String {
    var name = path[...]
    while name.count > 1, name.hasSuffix("/") { name.removeLast() }
    let path = String(name)
    guard !isTaken(path) else {
      throw problem("there is something at \(path) already: name another folder.")
    }
    try checkParent(of: path)
    return path
  }

  /// Whether there is anything of that name, be it a link that leads nowhere.
  private static func isTaken(_ path: String) -> Bool {
    switch Result(catching: { try FileManager.default.attributesOfItem(atPath: path) }) {
    case .success: true
    case .failure: FileManager.default.fileExists(atPath: path)
    }
  }

  private static func checkParent(of path: String) throws {
    guard !path.isEmpty else { throw problem("the path is empty: name one.") }
    let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard FileManager.default.fileExists(atPath: parent + "/.") else {
      throw problem(
        "there is no folder \(parent) to make \(path) in: make it, or mount it, first.")
    }
    guard FileManager.default.isWritableFile(atPath: parent) else {
      throw problem("nothing can be written in \(parent): name another place for \(path).")
    }
  }

  private static func problem(_ message: String) -> InputProblem {
    InputProblem(message, exitCode: ExitStatus.cannotCreate)
  }
}
