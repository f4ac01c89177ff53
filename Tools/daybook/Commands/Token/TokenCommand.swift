import ArgumentParser
import LedgerAnswers
import LedgerEvents
import ServiceAccess

struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Makes, lists and revokes the access tokens of a ledger's service.",
    discussion: """
      A program that asks a service over the network presents a token. The ledger's folder keeps \
      what each one allows, and a hash of its text (service/tokens.json): the text is printed \
      once, when the token is made. The file is not part of a backup. Example:

        TOKEN=$(daybook token create shop-server --scope append --expires +90d)
        daybook token list
        daybook token revoke shop-server
      """,
    subcommands: [TokenCreate.self, TokenList.self, TokenRevoke.self])
}

/// Runs what can go wrong with tokens, and turns that into a message and an exit code.
func keepingTokens<Answer>(_ body: () throws(TokenError) -> Answer) throws -> Answer {
  do throws(TokenError) { return try body() } catch {
    if error.code == .invalid { throw ValidationError(error.message) }
    throw InputProblem(error.message, exitCode: ExitStatus.code(for: error))
  }
}

extension ExitStatus {
  fileprivate static func code(for error: TokenError) -> ExitCode {
    switch error.code {
    case .invalid: usage
    case .unknown, .damaged, .unknownVersion, .limitReached: badInput
    case .noLedger: noInput
    case .exists: cannotCreate
    case .busy: tryAgain
    case .disk: inputOutput
    }
  }
}

/// A scope by its name.
struct TokenScopeArgument: ExpressibleByArgument {
  let scope: TokenScope

  init?(argument: String) {
    guard let scope = TokenScope(rawValue: argument) else { return nil }
    self.scope = scope
  }

  static var allValueStrings: [String] { TokenScope.allCases.map(\.rawValue) }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

extension AccessToken {
  /// The members that ``write(to:)`` writes.
  static let members = ["name", "scopes", "account", "apps", "operator", "createdAt", "expiresAt"]

  /// Its scopes, from the least to the most.
  var scopeNames: [String] { TokenScope.allCases.filter(scopes.contains).map(\.rawValue) }

  /// Writes what the token allows, as members of an object.
  func write(to json: inout JSONText) {
    json.member("name", name)
    json.member("scopes", strings: scopeNames)
    json.member("account", account)
    json.member("apps", strings: apps)
    json.member("operator", operatorName)
    json.member("createdAt", createdAt)
    json.member("expiresAt", expiresAt)
  }
}
