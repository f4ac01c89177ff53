import Foundation
import PackageFiles

/// A program that is built apart, because it brings what most users of this one do not need.
struct CompanionProgram {
  /// Its name, such as `daybook-pull`.
  let name: String
  /// Why it is built apart.
  let brings: String
  /// The option of `Tools/install` that installs it, too.
  let installedWith: String

  /// Becomes the program.
  ///
  /// - Parameter arguments: Its arguments.
  /// - Throws: `InputProblem` (exit 66) if it is nowhere, and (74) if it cannot be run.
  func run(_ arguments: [String]) throws {
    guard let path else {
      throw InputProblem(
        "the program \(name) is neither beside this one nor on the PATH. It is built apart, "
          + "because it brings \(brings). In the package's folder, run "
          + "`swift build -c release --product \(name)`, or `Tools/install \(installedWith)` to "
          + "install both.",
        exitCode: ExitStatus.noInput)
    }
    do throws(FolderError) {
      try ProgramReplacement.run(path, [name] + arguments)
    } catch {
      throw InputProblem("\(error)", exitCode: ExitStatus.inputOutput)
    }
  }

  /// The program beside this one, else the first one on the PATH.
  private var path: String? {
    let own = Bundle.main.executablePath ?? CommandLine.arguments[0]
    let beside = URL(fileURLWithPath: own).resolvingSymlinksInPath().deletingLastPathComponent()
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return ([beside.path] + folders.map(String.init)).map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
