import Foundation
import LedgerEvents
import Testing

@testable import ServiceAccess

@Suite("The tokens of a ledger") struct TokenStoreTests {
  private let ledger: TemporaryLedger
  private var store: TokenStore { ledger.store }

  init() throws { ledger = try TemporaryLedger() }

  @Test("what was made is listed as it was, in the order in which it was made")
  func roundTrip() throws {
    let tokens = [
      TemporaryLedger.token("shop-server", apps: ["com.example.maps", "com.example.reader-2"]),
      TemporaryLedger.token("A.b_c-9", [.read], account: "ada \"the\" second é"),
      TemporaryLedger.token(
        "support", [.read, .operate], operatorName: "kim",
        expiresAt: TemporaryLedger.now.advanced(bySeconds: 60)),
      TemporaryLedger.token("root", Set(TokenScope.allCases), operatorName: "Å"),
    ]
    #expect(try store.list() == [])
    for token in tokens { _ = try store.create(token) }
    #expect(try store.list() == tokens)
  }

  @Test("each token has the form that its pattern states, and another id and secret")
  func texts() throws {
    let pattern = try Regex(TokenText.pattern)
    var texts: [String] = []
    for number in 0..<20 { texts.append(try store.create(TemporaryLedger.token("t\(number)"))) }
    for text in texts { #expect(text.wholeMatch(of: pattern) != nil, "\(text)") }
    #expect(Set(texts.map { $0.dropFirst(8).prefix(8) }).count == 20)
    #expect(Set(texts.map { $0.suffix(43) }).count == 20)
    #expect(TokenText.count == 60)
    // Random: no letter is at one place in all of twenty secrets.
    for place in 17..<59 {
      #expect(Set(texts.map { Array($0.utf8)[place] }).count > 1, "\(place)")
    }
  }

  @Test("the file has no token's text nor any part of its secret") func secret() throws {
    let text = try store.create(TemporaryLedger.token("shop"))
    let there = try ledger.contents()
    #expect(!there.contains(text) && !there.contains(text.suffix(43)))
    #expect(there.contains(text.dropFirst(8).prefix(8)))
    #expect(there.contains(TokenFile.hex(TokenText.hash(text))))
  }

  @Test("only the owner may read the file, its folder and its lock, whatever was there before")
  func permissions() throws {
    try FileManager.default.createDirectory(
      atPath: ledger.path + "/service", withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o755])
    _ = try store.create(TemporaryLedger.token("shop"))
    #expect(try ledger.rights(of: "service") == 0o700)
    #expect(try ledger.rights(of: "service/tokens.json") == 0o600)
    #expect(try ledger.rights(of: "service/lock") == 0o600)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644], ofItemAtPath: ledger.file.path)
    try store.revoke("shop")
    #expect(try ledger.rights(of: "service/tokens.json") == 0o600)
  }

  @Test("a revoked token is gone, and its name is free") func revoke() throws {
    let first = try store.create(TemporaryLedger.token("shop"))
    _ = try store.create(TemporaryLedger.token("app"))
    try store.revoke("shop")
    #expect(try store.list().map(\.name) == ["app"])
    #expect(ledger.failure(revoking: "shop")?.code == .unknown)
    #expect(try store.create(TemporaryLedger.token("shop")) != first)
  }

  @Test("an unknown name is refused with the nearest one") func nearest() throws {
    #expect(ledger.failure(revoking: "shop")?.code == .unknown)
    // Asking for what is not there makes nothing.
    #expect(!FileManager.default.fileExists(atPath: ledger.path + "/service"))
    for name in ["shop-server", "support"] { _ = try store.create(TemporaryLedger.token(name)) }
    let refused = ledger.failure(revoking: "shop-sever")
    #expect(refused?.message.contains("did you mean shop-server?") == true)
    let strange = ledger.failure(revoking: "zzz")
    #expect(strange?.message.contains("did you mean") == false)
    #expect(try store.list().count == 2)
  }

  @Test("a name is given once, also if its token has expired") func duplicate() throws {
    let soon = TemporaryLedger.now.advanced(bySeconds: 1)
    _ = try store.create(TemporaryLedger.token("shop", expiresAt: soon))
    var again = TemporaryLedger.token("shop")
    let before = try ledger.contents()
    let refused = ledger.failure(creating: again)
    #expect(refused?.code == .exists)
    #expect(refused?.message.contains("expired") == false)
    again.createdAt = soon
    let late = ledger.failure(creating: again)
    #expect(late?.code == .exists && late?.message.contains("which has expired") == true)
    #expect(try ledger.contents() == before)
  }

  @Test("admin allows everything, and the others only themselves") func scopes() {
    for scope in TokenScope.allCases {
      #expect(TemporaryLedger.token("a", [.admin]).allows(scope))
      for other in TokenScope.allCases where other != .admin {
        #expect(TemporaryLedger.token("a", [other]).allows(scope) == (scope == other))
      }
    }
  }

  @Test(
    "what contradicts itself is refused, and nothing is written",
    arguments: [
      TemporaryLedger.token(""), TemporaryLedger.token("a b"), TemporaryLedger.token("é"),
      TemporaryLedger.token(String(repeating: "a", count: 65)), TemporaryLedger.token("a\n"),
      TemporaryLedger.token("a", []), TemporaryLedger.token("a", [.operate]),
      TemporaryLedger.token("a", [.admin]),
      TemporaryLedger.token("a", [.read, .append], account: "ada"),
      TemporaryLedger.token("a", [.append], account: "ada"),
      TemporaryLedger.token("a", [.admin], account: "ada", operatorName: "kim"),
      TemporaryLedger.token("a", [.read], account: ""),
      TemporaryLedger.token("a", [.operate], operatorName: " "),
      TemporaryLedger.token("a", [.operate], operatorName: "kim\u{1B}[1m"),
      TemporaryLedger.token("a", apps: [""]), TemporaryLedger.token("a", apps: ["com.example/x"]),
      TemporaryLedger.token("a", apps: ["com.example.a", "com.example.a"]),
      TemporaryLedger.token("a", apps: (0...64).map { "com.example.a\($0)" }),
      TemporaryLedger.token("a", expiresAt: TemporaryLedger.now),
      TemporaryLedger.token("a", expiresAt: Instant(microseconds: .max)),
    ])
  func invalid(_ token: AccessToken) throws {
    let refused = ledger.failure(creating: token)
    #expect(refused?.code == .invalid, "\(token)")
    #expect(!FileManager.default.fileExists(atPath: ledger.path + "/service"))
  }

  @Test("names and ids of the longest kind are taken") func longest() throws {
    let token = TemporaryLedger.token(
      String(repeating: "a", count: 64), [.operate],
      apps: (10..<74).map { "\($0)" + String(repeating: "x", count: 153) },
      operatorName: String(repeating: "é", count: 128))
    _ = try store.create(token)
    #expect(try store.list() == [token])
    // As many of them as there can be are still read.
    #expect(try ledger.contents().utf8.count * TokenFile.tokensMax < TokenFile.bytesMax)
  }

  @Test("there is a limit to the number of tokens, and revoking makes room") func limit() throws {
    var file = TokenFile()
    for number in 0..<TokenFile.tokensMax {
      file.tokens.append(
        StoredToken(
          id: TokenText.newID(), hash: [UInt8](repeating: 1, count: 32),
          token: TemporaryLedger.token("t\(number)")))
    }
    try ledger.replace(by: String(decoding: try file.json(path: ""), as: UTF8.self))
    let more = TemporaryLedger.token("more")
    let refused = ledger.failure(creating: more)
    #expect(refused?.code == .limitReached)
    try store.revoke("t0")
    _ = try store.create(more)
    #expect(try store.list().count == TokenFile.tokensMax)
  }

  @Test("what a killed change has left is not read, and the next change goes through")
  func leftOver() throws {
    _ = try store.create(TemporaryLedger.token("shop"))
    let partial = ledger.path + "/service/.tokens.json.partial"
    try Data("{\"version\":1,".utf8).write(to: URL(filePath: partial))
    #expect(try store.list().map(\.name) == ["shop"])
    _ = try store.create(TemporaryLedger.token("app"))
    #expect(try store.list().map(\.name) == ["shop", "app"])
    #expect(!FileManager.default.fileExists(atPath: partial))
  }

  @Test("without a ledger nothing is made") func noLedger() throws {
    try FileManager.default.removeItem(atPath: ledger.path + "/log")
    for path in ["", "/missing", "/missing/too"] {
      let none = TemporaryLedger(path: ledger.path + path)
      #expect(none.failureOfList()?.code == .noLedger)
      #expect(none.failure(creating: TemporaryLedger.token("shop"))?.code == .noLedger)
      #expect(none.failure(revoking: "shop")?.code == .noLedger)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: ledger.path).isEmpty)
  }

  @Test("a link in place of the folder or the file is not followed") func links() throws {
    let other = try TemporaryLedger()
    _ = try other.store.create(TemporaryLedger.token("foreign"))
    try FileManager.default.createSymbolicLink(
      atPath: ledger.path + "/service", withDestinationPath: other.path + "/service")
    #expect(ledger.failureOfList()?.code == .disk)
    let token = TemporaryLedger.token("shop")
    #expect(ledger.failure(creating: token)?.code == .disk)
    try FileManager.default.removeItem(atPath: ledger.path + "/service")
    try FileManager.default.createDirectory(
      atPath: ledger.path + "/service", withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(at: ledger.file, withDestinationURL: other.file)
    #expect(ledger.failureOfList()?.code == .disk)
    #expect(try other.store.list().map(\.name) == ["foreign"])
  }
}
