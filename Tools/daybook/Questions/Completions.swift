import ArgumentParser
import Foundation
import LedgerEvents
import LedgerModel
import LedgerQueries

/// What a shell offers for values that only the program or the ledger knows.
enum Completions {
  static let rules = CompletionKind.list(Rule.allCases.map(\.id))

  static let types = CompletionKind.list(EventKind.allCases.filter { $0 != .unknown }.map(\.text))

  static let sources = CompletionKind.list(EventSource.Kind.allCases.map(\.text))

  static let accounts = names(of: .account)
  static let devices = names(of: .device)
  static let products = names(of: .product)

  /// As many as somebody would look through. Typing another letter brings others.
  private static let offeredCountMax = 100

  private static func names(of kind: NameKind) -> CompletionKind {
    .custom { words, _, prefix in
      do {
        let ledger = try Ledger(at: path(in: words), access: .readOnly)
        return try ledger.read { (view) throws(LedgerError) in
          try view.names(of: kind, beginningWith: prefix, limit: offeredCountMax).map(\.text)
        }
      } catch {
        // There is no ledger, so there is nothing to offer. A message would end up in the command
        // line.
        return []
      }
    }
  }

  /// The ledger that a command line names.
  private static func path(in words: [String]) -> String {
    let option = "--ledger"
    for (index, word) in words.enumerated() {
      if word.hasPrefix(option + "=") { return String(word.dropFirst(option.count + 1)) }
      if word == option, index + 1 < words.count { return words[index + 1] }
    }
    return LedgerOptions.named ?? LedgerOptions.usual
  }
}
