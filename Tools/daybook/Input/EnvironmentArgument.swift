import ArgumentParser
import LedgerEvents

/// An environment by its name in events.
struct EnvironmentArgument: ExpressibleByArgument {
  let environment: StoreEnvironment

  init?(argument: String) {
    guard let environment = StoreEnvironment(text: argument) else { return nil }
    self.environment = environment
  }

  static var allValueStrings: [String] { StoreEnvironment.allCases.map(\.text) }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
