import ArgumentParser

struct ContentValidate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Content validate.")

  func run() throws {}
}
