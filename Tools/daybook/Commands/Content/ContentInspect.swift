import ArgumentParser

struct ContentInspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Content inspect.")

  func run() throws {}
}
