internal import Foundation
internal import LedgerEvents

/// A token with what its text is compared with.
struct StoredToken: Sendable {
  /// The public part of its text.
  let id: String
  /// The SHA-256 of the whole text.
  let hash: [UInt8]
  let token: AccessToken
}

/// The contents of `service/tokens.json`.
///
/// Every member must be there, `null` if it has no value. If somebody misspells a restriction in an
/// editor, the file is refused, and the token does not lose the restriction. A new member makes a
/// new version, for the same reason.
struct TokenFile {
  static let versionKnown = 1

  /// How many tokens a ledger can have. Every request looks one up, and every change writes all.
  static let tokensMax = 1_000

  /// The largest file that is read, in bytes: more than `tokensMax` tokens of the longest kind.
  static let bytesMax = 16 * 1024 * 1024

  var tokens: [StoredToken] = []

  init() {}

  /// - Parameters:
  ///   - json: The whole file.
  ///   - path: Where it is, for messages.
  /// - Throws: ``TokenError``: `damaged`, `unknownVersion`.
  init(json: [UInt8], path: String) throws(TokenError) {
    let data = Data(json)
    // The version first: what else a later version has is not this program's to judge.
    let version: Int
    do { version = try JSONDecoder().decode(Head.self, from: data).version } catch {
      throw Self.damaged(path, "it is no JSON with a version")
    }
    guard version == Self.versionKnown else {
      throw TokenError(
        .unknownVersion,
        "\(path) is of version \(version), and this program knows version \(Self.versionKnown): "
          + "use the program that wrote it, or a newer one.")
    }
    let document: Document
    do { document = try JSONDecoder().decode(Document.self, from: data) } catch {
      throw Self.damaged(path, "a token lacks a member, or has one of another form")
    }
    guard document.tokens.count <= Self.tokensMax else {
      throw Self.damaged(path, "it has more than \(Self.tokensMax) tokens")
    }
    for entry in document.tokens { tokens.append(try Self.read(entry, path)) }
    guard Set(tokens.map(\.id)).count == tokens.count,
      Set(tokens.map(\.token.name)).count == tokens.count
    else { throw Self.damaged(path, "two tokens have the same name or id") }
  }

  /// Returns the whole file.
  ///
  /// - Throws: ``TokenError``: `disk`, which does not happen.
  func json(path: String) throws(TokenError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let document = Document(version: Self.versionKnown, tokens: tokens.map(Entry.init))
    do { return Array(try encoder.encode(document)) + [UInt8(ascii: "\n")] } catch {
      throw TokenError(.disk, "\(path) cannot be written as JSON: \(error.localizedDescription)")
    }
  }

  static func damaged(_ path: String, _ reason: String) -> TokenError {
    TokenError(
      .damaged,
      "\(path) is damaged: \(reason). No token is accepted until that is repaired. Put a copy of "
        + "the file back; or remove it, which revokes every token, and make new ones with `daybook "
        + "token create`.")
  }

  // MARK: - Form

  private struct Head: Decodable {
    let version: Int
  }

  private struct Document: Codable {
    let version: Int
    let tokens: [Entry]
  }

  private static func read(_ entry: Entry, _ path: String) throws(TokenError) -> StoredToken {
    let shown = "the token \"\(entry.name)\""
    guard TokenText.isID(entry.id.utf8), let hash = bytes(ofHex: entry.sha256),
      hash.count == TokenText.hashBytes
    else { throw damaged(path, "\(shown) has an id or a SHA-256 of another form") }
    let createdAt = try moment(entry.createdAt, shown, path)
    var expiresAt: Instant?
    if let text = entry.expiresAt { expiresAt = try moment(text, shown, path) }
    let token = AccessToken(
      name: entry.name, scopes: Set(entry.scopes), account: entry.account.map { Name($0) },
      apps: entry.apps, operatorName: entry.operatorName, createdAt: createdAt,
      expiresAt: expiresAt)
    do throws(TokenError) { try token.check() } catch {
      throw damaged(path, "\(shown) is not possible (\(error.message))")
    }
    return StoredToken(id: entry.id, hash: hash, token: token)
  }

  private static func moment(
    _ text: String, _ shown: String, _ path: String
  ) throws(TokenError) -> Instant {
    guard let moment = Instant(rfc3339: text) else {
      throw damaged(path, "\(shown) has a time that is not of RFC 3339")
    }
    return moment
  }

  static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func bytes(ofHex text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// The value of a digit, which is written in lower case.
  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}

/// A token in the file.
private struct Entry: Codable {
  let id: String
  let sha256: String
  let name: String
  let scopes: [TokenScope]
  let account: String?
  let apps: [String]
  let operatorName: String?
  let createdAt: String
  let expiresAt: String?

  private enum CodingKeys: String, CodingKey {
    case id
    case sha256
    case name
    case scopes
    case account
    case apps
    case operatorName = "operator"
    case createdAt
    case expiresAt
  }

  init(_ stored: StoredToken) {
    let token = stored.token
    (id, sha256, name) = (stored.id, TokenFile.hex(stored.hash), token.name)
    scopes = TokenScope.allCases.filter(token.scopes.contains)
    (account, apps, operatorName) = (token.account?.text, token.apps, token.operatorName)
    (createdAt, expiresAt) = (token.createdAt.rfc3339, token.expiresAt?.rfc3339)
  }

  // The synthesized ones would take an absent member for `null`.

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    id = try members.decode(String.self, forKey: .id)
    sha256 = try members.decode(String.self, forKey: .sha256)
    name = try members.decode(String.self, forKey: .name)
    scopes = try members.decode([TokenScope].self, forKey: .scopes)
    account = try members.decode(String?.self, forKey: .account)
    apps = try members.decode([String].self, forKey: .apps)
    operatorName = try members.decode(String?.self, forKey: .operatorName)
    createdAt = try members.decode(String.self, forKey: .createdAt)
    expiresAt = try members.decode(String?.self, forKey: .expiresAt)
  }

  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(id, forKey: .id)
    try members.encode(sha256, forKey: .sha256)
    try members.encode(name, forKey: .name)
    try members.encode(scopes, forKey: .scopes)
    try members.encode(account, forKey: .account)
    try members.encode(apps, forKey: .apps)
    try members.encode(operatorName, forKey: .operatorName)
    try members.encode(createdAt, forKey: .createdAt)
    try members.encode(expiresAt, forKey: .expiresAt)
  }
}
