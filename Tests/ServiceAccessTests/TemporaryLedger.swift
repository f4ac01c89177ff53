import Foundation
import LedgerEvents
import Testing

@testable import ServiceAccess

/// A folder that has what makes it a ledger for the tokens, and is removed with its owner.
final class TemporaryLedger: Sendable {
  /// The moment at which the tests' tokens are made.
  static let now = Instant(microseconds: 1_790_000_000_000_000)

  let path: String
  /// Whether this has made the folder.
  private let isOwner: Bool

  /// A path where nothing is made.
  init(path: String) { (self.path, isOwner) = (path, false) }

  init() throws {
    path =
      FileManager.default.temporaryDirectory
      .appending(path: "daybook-tokens-\(UUID().uuidString)").path
    isOwner = true
    try FileManager.default.createDirectory(
      atPath: path + "/log", withIntermediateDirectories: true)
  }

  deinit {
    guard isOwner else { return }
    do { try FileManager.default.removeItem(atPath: path) } catch { print("left \(path)") }
  }

  var store: TokenStore { TokenStore(ledger: path) }
  var file: URL { URL(filePath: path + "/service/tokens.json") }

  func contents() throws -> String { String(decoding: try Data(contentsOf: file), as: UTF8.self) }

  /// Writes the file as another program would: beside it, and renamed.
  func replace(by text: String) throws {
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file, options: .atomic)
  }

  func rights(of name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.posixPermissions] as? Int
  }

  /// What asking for the list, making a token and revoking one throw.
  func failureOfList() -> TokenError? {
    failure { () throws(TokenError) in _ = try store.list() }
  }

  func failure(creating token: AccessToken) -> TokenError? {
    failure { () throws(TokenError) in _ = try store.create(token) }
  }

  func failure(revoking name: String) -> TokenError? {
    failure { () throws(TokenError) in try store.revoke(name) }
  }

  private func failure(_ body: () throws(TokenError) -> Void) -> TokenError? {
    do throws(TokenError) {
      try body()
      return nil
    } catch { return error }
  }

  static func token(
    _ name: String, _ scopes: Set<TokenScope> = [.append], account: Name? = nil,
    apps: [String] = [], operatorName: String? = nil, expiresAt: Instant? = nil
  ) -> AccessToken {
    AccessToken(
      name: name, scopes: scopes, account: account, apps: apps, operatorName: operatorName,
      createdAt: now, expiresAt: expiresAt)
  }
}

extension Instant {
  func advanced(bySeconds seconds: Int64) -> Instant {
    Instant(microseconds: microseconds + seconds * Instant.second)
  }
}
