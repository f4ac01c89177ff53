import Foundation
import Testing

@Suite("diff") struct DiffTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger(events: [
      Sample.purchase("t1", of: "ada", at: 0), Sample.purchase("t2", of: "eve", at: 5),
      Sample.event(
        "refund", "transaction.refunded", at: 60, #","source":"notification","transaction":"t1""#),
    ])
  }

  @Test("it says what came and went, for all customers or for one") func text() throws {
    let all = try ledger.run("diff", "--from", "0", "--to", "2")
    #expect(all.lines.sorted() == ["ada  map: - → active", "eve  map: - → active"])
    let refunded = try ledger.run("diff", "--from", "2")
    #expect(refunded.lines == ["ada  map: active → refunded"])
    #expect(try ledger.run("diff", "eve", "--from", "2").lines == ["nothing changed"])
    let unknown = try ledger.run("diff", "bob", "--from", "0")
    #expect(unknown.status == 0)
    #expect(unknown.lines == ["account bob is not known to the ledger"])
  }

  @Test("at one store time only what the ledger learned counts") func clock() throws {
    // The refund had not occurred at that time.
    let then = try ledger.run("diff", "--from", "2", "--at", "2026-02-01T12:00:30Z")
    #expect(then.lines == ["nothing changed"])
  }

  @Test("who became known later is not taken for a stranger, and the other clock is named")
  func knownLater() throws {
    // The events of the store's times were all recorded today.
    let early = try ledger.run("diff", "ada", "--from", "2026-02-01", "--to", "2026-02-02")
    #expect(early.status == 0)
    #expect(
      early.lines == ["account ada was not known to the ledger at that time (positions 0 to 0)"])
    #expect(early.errors.contains("and add --as-of 3."), "\(early.errors)")
    let held = try ledger.run(
      "diff", "eve", "--as-of", "1", "--from", "2026-02-01", "--to", "2026-02-02")
    #expect(held.lines == ["account eve was not known to the ledger at that time (position 1)"])
    let stranger = try ledger.run("diff", "bob", "--from", "2026-02-01", "--to", "2026-02-02")
    #expect(stranger.lines == ["account bob is not known to the ledger"])
    #expect(stranger.errors.isEmpty, "\(stranger.errors)")
  }

  @Test("programs read what was lost") func json() throws {
    let found = try ledger.run("diff", "--from", "2", "--format", "json").objects()
    #expect(found.count == 1)
    #expect(found.first?["lost"] as? [String] == ["map"])
    #expect(try ledger.run("diff", "--from", "3", "--format", "json").objects().isEmpty)
    let unknown = try ledger.run(
      "diff", "--from", "0", "--transaction", "nobody", "--format", "json")
    #expect(unknown.status == 65)
    #expect(unknown.output.isEmpty)
  }

  @Test("sides that are turned round, or not there, are refused") func refused() throws {
    let turned = try ledger.run("diff", "--from", "3", "--to", "1")
    #expect(turned.status == 64)
    #expect(turned.errors.contains("--from must not be later than --to"))
    let times = try ledger.run(
      "diff", "--as-of", "2", "--from", "2026-03-01T00:00:00Z", "--to", "2026-02-01T00:00:00Z")
    #expect(times.status == 64)
    #expect(try ledger.run("diff", "--from", "9").status == 65)
    #expect(try ledger.run("diff").status == 64)
  }
}
