import Foundation
import LedgerEvents
import Testing

@testable import ServiceAccess

@Suite("A session of somebody who presented a token") struct SessionKeeperTests {
  private let ledger: TemporaryLedger
  private let tokens: TokenKeeper
  private let sessions = SessionKeeper()
  private let now = TemporaryLedger.now

  init() throws {
    ledger = try TemporaryLedger()
    tokens = TokenKeeper(ledger.store)
  }

  private func begin(_ name: String, expiresAt: Instant? = nil) throws -> String {
    let text = try ledger.store.create(TemporaryLedger.token(name, expiresAt: expiresAt))
    return sessions.begin(try #require(TokenMark(text)), at: now)
  }

  private func name(_ secret: String, later microseconds: Int64 = 0) throws -> String? {
    let moment = Instant(microseconds: now.microseconds + microseconds)
    return try sessions.session(secret, tokens, at: moment)?.1.name
  }

  @Test("is known by its whole secret, and by nothing less") func known() throws {
    let (ada, bob) = (try begin("ada"), try begin("bob"))
    #expect(try name(ada) == "ada")
    #expect(try name(bob) == "bob")
    let hash = TokenFile.hex(TokenText.hash(ada))
    for wrong in [
      "", "\(ada)A", String(ada.dropLast()), ada.uppercased(), hash,
      String(ada.dropLast()) + (ada.hasSuffix("A") ? "E" : "A"),
    ] {
      #expect(try name(wrong) == nil, "\(wrong)")
    }
    let (session, _) = try #require(try sessions.session(ada, tokens, at: now))
    #expect(session.formToken != ada)
    #expect(SessionKeeper.areEqual(session.formToken, String(session.formToken)))
    let (other, _) = try #require(try sessions.session(bob, tokens, at: now))
    #expect(!SessionKeeper.areEqual(session.formToken, other.formToken))
  }

  @Test("ends when its time is over, when it is ended, and with its token") func ends() throws {
    let (ada, bob, cleo) = (try begin("ada"), try begin("bob"), try begin("cleo"))
    #expect(try name(ada, later: SessionKeeper.lifetime - 1) == "ada")
    #expect(try name(ada, later: SessionKeeper.lifetime) == nil)
    #expect(try name(ada) == nil, "what has ended does not come back")
    sessions.end(bob)
    #expect(try name(bob) == nil)
    try ledger.store.revoke("cleo")
    #expect(try name(cleo) == nil)
    #expect(sessions.count == 0)
    let brief = try begin("brief", expiresAt: Instant(microseconds: now.microseconds + 5))
    #expect(try name(brief, later: 4) == "brief")
    #expect(try name(brief, later: 5) == nil)
  }

  @Test("makes room: a token has so many, and the oldest of them ends") func bounded() throws {
    let bob = try begin("bob")
    let text = try ledger.store.create(TemporaryLedger.token("ada"))
    let mark = try #require(TokenMark(text))
    let all = (0...SessionKeeper.sessionsOfTokenMax).map { _ in sessions.begin(mark, at: now) }
    #expect(sessions.count == SessionKeeper.sessionsOfTokenMax + 1)
    #expect(try name(all[0]) == nil)
    #expect(try name(all[1]) == "ada")
    #expect(try name(bob) == "bob")
  }

  @Test("is nobody's while the tokens cannot be read") func unreadable() throws {
    let ada = try begin("ada")
    try ledger.replace(by: "no list")
    #expect(throws: TokenError.self) { try sessions.session(ada, tokens, at: now) }
  }
}
