import ArgumentParser

struct ContentBuild: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "build",
    abstract: "Content build.")

  func run() throws {}
}
