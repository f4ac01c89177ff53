import Foundation
import LedgerEvents
import Testing

@testable import ServiceAccess

@Suite("Who presents a token") struct TokenKeeperTests {
  private let ledger: TemporaryLedger
  private let keeper: TokenKeeper
  private let now = TemporaryLedger.now

  init() throws {
    ledger = try TemporaryLedger()
    keeper = TokenKeeper(ledger.store)
  }

  private func made(_ name: String, expiresAt: Instant? = nil) throws -> String {
    try ledger.store.create(TemporaryLedger.token(name, expiresAt: expiresAt))
  }

  private func name(_ text: String, at moment: Instant? = nil) throws -> String? {
    try keeper.token(presented: text, at: moment ?? now)?.name
  }

  private func refusal(_ text: String) -> TokenError.Code? {
    do throws(TokenError) {
      _ = try keeper.token(presented: text, at: now)
      return nil
    } catch { return error.code }
  }

  @Test("is known by the whole text, and by nothing less") func known() throws {
    #expect(try name(TokenFileTests.text) == nil)
    let (shop, app) = (try made("shop"), try made("app"))
    #expect(try name(shop) == "shop")
    #expect(try name(app) == "app")
    // The id of one and the secret of the other, and an id that nobody has.
    let mixed = [
      "\(shop.prefix(17))\(app.suffix(43))", "\(app.prefix(17))\(shop.suffix(43))",
      "\(shop.prefix(8))aaaaaaaa\(shop.suffix(44))",
    ]
    let wrong: [String] = [
      "", " ", "\(shop) ", " \(shop)", String(shop.dropLast()), "\(shop)A", shop.uppercased(),
      "daybook_", String(shop.prefix(17)), "daybook_" + String(repeating: "é", count: 26),
      String(repeating: "x", count: 1_000_000), TokenFile.hex(TokenText.hash(shop)),
    ]
    for text in mixed + wrong { #expect(try name(text) == nil, "\(text.prefix(80))") }
  }

  @Test("is refused if any one letter of the secret is another one") func letters() throws {
    let shop = Array(try made("shop").utf8)
    for place in shop.indices {
      var other = shop
      other[place] = shop[place] == UInt8(ascii: "a") ? UInt8(ascii: "b") : UInt8(ascii: "a")
      #expect(try name(String(decoding: other, as: UTF8.self)) == nil, "\(place)")
    }
    #expect(try name(String(decoding: shop, as: UTF8.self)) == "shop")
  }

  @Test("is refused from the moment at which the token expires") func expiry() throws {
    let end = now.advanced(bySeconds: 60)
    let text = try made("shop", expiresAt: end)
    #expect(try name(text, at: now) == "shop")
    #expect(try name(text, at: Instant(microseconds: end.microseconds - 1)) == "shop")
    #expect(try name(text, at: end) == nil)
    #expect(try name(text, at: end.advanced(bySeconds: 1)) == nil)
  }

  @Test("is refused with the next request after the token was revoked") func revoked() throws {
    for number in 0..<50 {
      let text = try made("shop")
      #expect(try name(text) == "shop", "\(number)")
      try ledger.store.revoke("shop")
      #expect(try name(text) == nil, "\(number)")
    }
  }

  @Test("is noticed if the new file has the size and the time of the old one") func sameLooks()
    throws
  {
    try ledger.replace(by: TokenFileTests.written)
    let time = Date(timeIntervalSince1970: 1_790_000_000)
    func setTime() throws {
      try FileManager.default.setAttributes(
        [.modificationDate: time], ofItemAtPath: ledger.file.path)
    }
    try setTime()
    #expect(try name(TokenFileTests.text) == "shop")
    // Removed first, so that the file system could give the same inode again.
    for _ in 0..<20 {
      try FileManager.default.removeItem(at: ledger.file)
      try Data(TokenFileTests.written.replacing("abcdefgh", with: "abcdefg2").utf8)
        .write(to: ledger.file)
      try setTime()
      #expect(try name(TokenFileTests.text) == nil)
      try FileManager.default.removeItem(at: ledger.file)
      try Data(TokenFileTests.written.utf8).write(to: ledger.file)
      try setTime()
      #expect(try name(TokenFileTests.text) == "shop")
    }
  }

  @Test("is refused if the file was changed in its place, removed, or its folder is gone")
  func edited() throws {
    try ledger.replace(by: TokenFileTests.written)
    #expect(try name(TokenFileTests.text) == "shop")
    let handle = try FileHandle(forWritingTo: ledger.file)
    try handle.write(
      contentsOf: Data(TokenFileTests.written.replacing("abcdefgh", with: "abcdefg2").utf8))
    try handle.write(contentsOf: Data("\n".utf8))
    try handle.close()
    #expect(try name(TokenFileTests.text) == nil)
    try ledger.replace(by: TokenFileTests.written)
    #expect(try name(TokenFileTests.text) == "shop")
    try FileManager.default.removeItem(at: ledger.file)
    #expect(try name(TokenFileTests.text) == nil)
    try ledger.replace(by: TokenFileTests.written)
    #expect(try name(TokenFileTests.text) == "shop")
    try FileManager.default.removeItem(atPath: ledger.path + "/service")
    #expect(try name(TokenFileTests.text) == nil)
    try FileManager.default.removeItem(atPath: ledger.path + "/log")
    #expect(refusal(TokenFileTests.text) == .noLedger)
  }

  @Test(
    "nobody is let in by an old list while the file cannot be read, and everybody is again after")
  func unreadable() throws {
    let text = try made("shop")
    let good = try ledger.contents()
    #expect(try name(text) == "shop")
    let files = FileManager.default
    let service = ledger.path + "/service"
    let later = good.replacing("\"version\" : 1", with: "\"version\" : 2")
    let obstacles: [(TokenError.Code, () throws -> Void)] = [
      (.damaged, { try ledger.replace(by: "{") }),
      (.unknownVersion, { try ledger.replace(by: later) }),
      (
        .damaged,
        { try files.createDirectory(atPath: ledger.file.path, withIntermediateDirectories: false) }
      ),
      (
        .disk,
        { try files.createSymbolicLink(atPath: ledger.file.path, withDestinationPath: "lock") }
      ),
      (
        .disk,
        {
          try files.removeItem(atPath: service)
          try Data().write(to: URL(filePath: service))
        }
      ),
    ]
    for (code, obstruct) in obstacles {
      try files.removeItem(at: ledger.file)
      try obstruct()
      for asked in [text, "", "nonsense", text] { #expect(refusal(asked) == code, "\(asked)") }
      try files.removeItem(atPath: service)
      try ledger.replace(by: good)
      #expect(try name(text) == "shop")
    }
  }

  @Test(
    "nobody is let in if the file may not be read",
    .enabled(if: geteuid() != 0, "the superuser may read everything")) func denied() throws
  {
    let text = try made("shop")
    #expect(try name(text) == "shop")
    for (path, mode) in [(ledger.file.path, 0o600), (ledger.path + "/service", 0o700)] {
      try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
      #expect(refusal(text) == .disk)
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      #expect(try name(text) == "shop")
    }
  }

  @Test("the file is not read again while nobody changes it") func cheap() throws {
    let time = Date(timeIntervalSince1970: 1_790_000_000)
    func setTime() throws {
      try FileManager.default.setAttributes(
        [.modificationDate: time], ofItemAtPath: ledger.file.path)
    }
    try ledger.replace(by: TokenFileTests.written)
    try setTime()
    #expect(try name(TokenFileTests.text) == "shop")
    // The file says something else now, and looks as before: nothing of it must be read.
    let handle = try FileHandle(forWritingTo: ledger.file)
    try handle.write(
      contentsOf: Data(TokenFileTests.written.replacing("\"shop\"", with: "\"sham\"").utf8))
    try handle.close()
    try setTime()
    #expect(try name(TokenFileTests.text) == "shop")
    try FileManager.default.setAttributes(
      [.modificationDate: time.addingTimeInterval(1)], ofItemAtPath: ledger.file.path)
    #expect(try name(TokenFileTests.text) == "sham")
  }

  @Test("many requests at once are answered alike, while the list changes") func threads()
    async throws
  {
    let text = try made("shop")
    let (keeper, store, now) = (keeper, ledger.store, now)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<500 {
            let found = try keeper.token(presented: text, at: now)
            #expect(found?.name == "shop")
          }
        }
      }
      group.addTask {
        for number in 0..<20 {
          let other = try store.create(TemporaryLedger.token("other-\(number)"))
          let found = try keeper.token(presented: other, at: now)
          #expect(found?.name == "other-\(number)")
          try store.revoke("other-\(number)")
          let left = try keeper.token(presented: other, at: now)
          #expect(left == nil)
        }
      }
      try await group.waitForAll()
    }
  }
}
