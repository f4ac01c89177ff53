import ArgumentParser
import Foundation
import PackageFiles

/// Finds `daybook-pull` beside this program and becomes it, so that this program needs no HTTP
/// client.
struct PullCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull",
    abstract: "Pulls what the App Store Server knows (runs daybook-pull).",
    usage: "daybook pull <command> [<options>]",
    discussion: """
      Runs the program daybook-pull, which is beside this one or on the PATH, with the same \
      arguments: `daybook pull --help` shows its commands. Example:

        daybook pull history --all --app com.example.tides --key SubscriptionKey_2X9R4HXF34.p8
      """)

  @Argument(parsing: .captureForPassthrough, help: "The arguments of daybook-pull.")
  var arguments: [String] = []

  private static let program = "daybook-pull"

  func run() throws {
    try answering {
      guard let path = Self.path else {
        throw InputProblem(
          "the program daybook-pull is neither beside this one nor on the PATH. It is built apart, "
            + "because it brings an HTTP client. In the package's folder, run "
            + "`swift build -c release --product daybook-pull`, or `Tools/install --with-pull` to "
            + "install both.",
          exitCode: ExitStatus.noInput)
      }
      do throws(FolderError) {
        try ProgramReplacement.run(path, [Self.program] + arguments)
      } catch {
        throw InputProblem("\(error)", exitCode: ExitStatus.inputOutput)
      }
    }
  }

  /// The program beside this one, else the first one on the PATH.
  private static var path: String? {
    let own = Bundle.main.executablePath ?? CommandLine.arguments[0]
    let beside = URL(fileURLWithPath: own).resolvingSymlinksInPath().deletingLastPathComponent()
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return ([beside.path] + folders.map(String.init)).map { "\($0)/\(program)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
