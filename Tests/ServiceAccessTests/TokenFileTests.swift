import Foundation
import LedgerEvents
import Testing

@testable import ServiceAccess

@Suite("The file of tokens") struct TokenFileTests {
  /// A file as the first version of the program wrote it, and the text of its token.
  static let text = "daybook_abcdefgh_" + String(repeating: "A", count: 43)
  static let written = """
    {
      "tokens" : [
        {
          "account" : null,
          "apps" : [
            "com.example.maps"
          ],
          "createdAt" : "2026-09-21T14:13:20Z",
          "expiresAt" : "2027-01-01T00:00:00.5Z",
          "id" : "abcdefgh",
          "name" : "shop",
          "operator" : "kim",
          "scopes" : [
            "read",
            "operate"
          ],
          "sha256" : "HASH"
        }
      ],
      "version" : 1
    }

    """.replacing("HASH", with: TokenFileTests.hash)
  /// By sha256sum(1).
  private static let hash = "a77a9edc449cc09ed9a592c0696c16d6b1e8ad0ef994cb205e5494719f6f9ae6"

  private let ledger: TemporaryLedger

  init() throws { ledger = try TemporaryLedger() }

  @Test("keeps its form: what the first version wrote is read, and written again byte by byte")
  func form() throws {
    try ledger.replace(by: Self.written)
    let token = AccessToken(
      name: "shop", scopes: [.read, .operate], apps: ["com.example.maps"], operatorName: "kim",
      createdAt: TemporaryLedger.now,
      expiresAt: Instant(rfc3339: "2027-01-01T00:00:00.5Z"))
    #expect(try ledger.store.list() == [token])
    _ = try ledger.store.create(TemporaryLedger.token("other"))
    try ledger.store.revoke("other")
    #expect(try ledger.contents() == Self.written)
    let keeper = TokenKeeper(ledger.store)
    #expect(try keeper.token(presented: Self.text, at: TemporaryLedger.now) == token)
  }

  private static let damage: [(String, String)] = [
    // Cut short, emptied, or something else.
    ("\n  ],\n  \"version\" : 1\n}", ""), ("\"version\" : 1", "\"version\" : \"1\""),
    ("\"version\" : 1", "\"format\" : 1"),
    // A restriction that is misspelled, or not there, must not be lost.
    ("\"account\"", "\"acount\""), ("\"apps\"", "\"app\""), ("\"expiresAt\"", "\"expires\""),
    ("\"operator\" : \"kim\",", ""), ("\"operator\" : \"kim\"", "\"operator\" : null"),
    ("\"account\" : null", "\"account\" : \"ada\""),
    ("\"read\"", "\"write\""), ("\"shop\"", "\"sh op\""), ("\"abcdefgh\"", "\"abcdefg1\""),
    ("\"abcdefgh\"", "\"abcdefg\""), (hash, String(hash.dropLast(2))), (hash, hash.uppercased()),
    ("2026-09-21T14:13:20Z", "yesterday"), ("2027-01-01T00:00:00.5Z", "2027"),
    ("2027-01-01T00:00:00.5Z", "2020-01-01T00:00:00Z"), ("\"com.example.maps\"", "7"),
  ]

  @Test("if it is damaged, nobody gets in and nothing is written over it", arguments: damage)
  func damaged(_ text: String, _ instead: String) throws {
    let broken = Self.written.replacing(text, with: instead)
    try #require(broken != Self.written)
    try refused(broken, .damaged, "is damaged")
  }

  @Test(
    "anything else in its place is damage, too",
    arguments: ["", "\n", "[]", "null", "{", "{\"version\":1}", "\u{0}\u{0}\u{0}"])
  func noFile(_ text: String) throws { try refused(text, .damaged, "make new ones with") }

  @Test("two tokens with one name or one id are damage") func twice() throws {
    let entry = try #require(
      Self.written.firstMatch(of: /(?s)    \{\n.*\n    \}/).map { String($0.output) })
    let id = entry.replacing("shop", with: "shop2")
    let name = entry.replacing("abcdefgh", with: "abcdefg2")
    for second in [id, name] {
      try refused(
        Self.written.replacing(entry, with: entry + ",\n" + second), .damaged, "same name or id")
    }
    let other = name.replacing("shop", with: "shop2")
    try ledger.replace(by: Self.written.replacing(entry, with: entry + ",\n" + other))
    #expect(try ledger.store.list().count == 2)
  }

  @Test("a later version is refused by its number, whatever else it has", arguments: [0, 2, 99])
  func future(_ version: Int) throws {
    let later = Self.written.replacing("\"version\" : 1", with: "\"version\" : \(version)")
      .replacing("\"apps\"", with: "\"applications\"")
    try refused(
      later, .unknownVersion, "is of version \(version), and this program knows version 1")
  }

  @Test("a file that is too large, or a folder in its place, is not read") func size() throws {
    try refused(String(repeating: " ", count: TokenFile.bytesMax + 1), .damaged, "bytes")
    try FileManager.default.removeItem(at: ledger.file)
    try FileManager.default.createDirectory(at: ledger.file, withIntermediateDirectories: false)
    #expect(ledger.failureOfList()?.code == .damaged)
  }

  private func refused(_ text: String, _ code: TokenError.Code, _ words: String) throws {
    try ledger.replace(by: text)
    let keeper = TokenKeeper(ledger.store)
    var asked: TokenError?
    do throws(TokenError) {
      _ = try keeper.token(presented: Self.text, at: TemporaryLedger.now)
    } catch { asked = error }
    for error in [
      ledger.failureOfList(), ledger.failure(creating: TemporaryLedger.token("new")),
      ledger.failure(revoking: "shop"), asked,
    ] {
      #expect(error?.code == code, "\(text)")
      #expect(error?.message.contains(words) == true, "\(error?.message ?? "none")")
      #expect(error?.message.contains(ledger.file.path) == true)
    }
    #expect(try ledger.contents() == text)
  }
}
