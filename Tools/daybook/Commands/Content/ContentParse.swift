import ArgumentParser
import Foundation
import HostedContent

/// Parses a package for another process of this program, under limits: see `PackageIsolation`.
struct ContentParse: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "parse", abstract: "Parses a package for another process of this program.",
    shouldDisplay: false)

  func run() throws {
    guard PackageIsolation.serve() else {
      throw ValidationError("`content parse` is started by daybook itself: use `content inspect`.")
    }
  }
}

extension PackageIsolation {
  /// Parsing in a child process that runs this program.
  static var inChild: PackageIsolation {
    // Linux's own link to the running program works even if its file was moved or replaced.
    let linked = "/proc/self/exe"
    let path =
      FileManager.default.isExecutableFile(atPath: linked) ? linked : Bundle.main.executablePath
    return path.map { .child(command: [$0, "content", "parse"]) } ?? .none
  }
}
