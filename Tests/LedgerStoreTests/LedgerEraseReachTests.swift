import Foundation
import LedgerEvents
import LogTesting
import Testing

@testable import LedgerStore

@Suite("How far an erasure reaches") struct LedgerEraseReachTests {
  private func report(_ id: String, _ device: String, _ session: String, on day: String) -> String {
    event(
      id, "session.ended", on: day,
      #""device":"\#(device)","session":"\#(session)","data":{"reason":"text of \#(id)"}"#)
  }

  @Test("to late events of the customer's device and session that name nobody")
  func lateReports() throws {
    let fixture = try ErasureFixture([
      bought("a1", "ada", "phone-a", on: "2026-01-01", #","session":"session-a""#)
    ])
    try fixture.erase("ada", at: "2026-02-01")
    try fixture.append([
      report("r1", "phone-a", "session-x", on: "2026-01-10"),
      report("r2", "tablet", "session-a", on: "2026-01-11"),
    ])
    for text in ["phone-a", "session-a", "session-x", "text of r1", "text of r2"] {
      #expect(try !fixture.shown().contains { $0.contains(text) }, "\(text)")
    }
    // After the erasure the phone has another life.
    try fixture.append([report("r3", "phone-a", "session-3", on: "2026-03-01")])
    #expect(try fixture.event("r3")?.device == "phone-a")
    #expect(try fixture.event("r3")?.data.string("reason") == "text of r3")
    // A retry is no conflict, though what it says is not there to be compared.
    try fixture.append([report("r1", "phone-a", "session-x", on: "2026-01-10")])
    try fixture.finishes()
  }

  @Test("not to somebody else's session that has the same name")
  func sessionOfTheSameName() throws {
    let fixture = try ErasureFixture([
      bought("a1", "ada", "phone-a", on: "2026-01-01", #","session":"launch-1""#),
      bought("b1", "ben", "phone-b", on: "2026-01-02", #","session":"launch-1""#),
    ])
    let result = try fixture.erase("ada", at: "2026-02-01")
    #expect(result.remainder.names == [NameUse(kind: .session, name: "launch-1")])
    #expect(try fixture.event("b1")?.session == "launch-1")
    // A late report of ben's names nobody, and stays what it is.
    try fixture.append([report("r1", "phone-b", "launch-1", on: "2026-01-10")])
    #expect(try fixture.event("r1")?.session == "launch-1")
    #expect(try fixture.event("r1")?.data.string("reason") == "text of r1")
    try fixture.finishes()
  }

  @Test("to nobody else's late events from that device")
  func lateStranger() throws {
    let fixture = try ErasureFixture([bought("a1", "ada", "phone-a", on: "2026-01-01")])
    try fixture.erase("ada", at: "2026-02-01")
    try fixture.append([bought("b1", "bob", "phone-a", on: "2026-01-10")])
    #expect(try fixture.event("b1")?.account == "bob")
    #expect(try fixture.event("b1")?.device == "phone-a")
    try fixture.finishes()
  }

  @Test("when it is done again, to what late events reveal to have been the customer's")
  func revealed() throws {
    let fixture = try ErasureFixture([
      bought("a1", "ada", "phone-a", on: "2026-01-01"),
      // Nobody knows yet whose this is.
      event(
        "x1", "notification.received", on: "2026-01-05",
        #""source":"notification","transaction":"t-a2","device":"phone-b","session":"session-b","#
          + #""data":{"notificationType":"NEW","token":"raw of x1"}"#),
      report("r1", "phone-b", "session-b", on: "2026-01-05"),
    ])
    try fixture.erase("ada", at: "2026-02-01")
    #expect(try fixture.event("x1")?.device == "phone-b")
    try fixture.append([bought("a2", "ada", "phone-b", on: "2026-01-06")])
    #expect(try fixture.shown().contains { $0.contains("raw of x1") })
    let again = try fixture.erase("ada", "e2", at: "2026-03-01")
    #expect(again.names == 2)
    #expect(again.texts == 2)
    for text in ["phone-b", "session-b", "raw of x1", "text of r1"] {
      #expect(try !fixture.shown().contains { $0.contains(text) }, "\(text)")
    }
    try fixture.finishes()
  }

  @Test("and says what it leaves readable: shared devices, what they report, operators' acts")
  func remainder() throws {
    let fixture = try ErasureFixture([
      bought("a1", "ada", "tablet", on: "2026-01-01", #","session":"session-a""#),
      bought("b1", "bob", "tablet", on: "2026-01-02"),
      report("r1", "tablet", "session-a", on: "2026-01-03"),
      report("r2", "tablet", "session-u", on: "2026-01-04"),
      event(
        "g1", "entitlement.granted", on: "2026-01-05",
        #""account":"ada","data":{"entitlement":"maps","operator":"kim","reason":"a gift"}"#),
      event(
        "n1", "note.added", on: "2026-01-06",
        #""account":"ada","data":{"text":"called","operator":"kim"}"#),
    ])
    let preview = try fixture.ledger.read { (view) throws(LedgerError) in
      try view.erasurePreview(of: "ada")
    }
    let result = try fixture.erase("ada")
    #expect(preview.remainder == result.remainder)
    #expect(result.remainder.names == [NameUse(kind: .device, name: "tablet")])
    #expect(result.remainder.reports == [4])
    #expect(result.remainder.acts == [5])
    // What is listed is there, and nothing else is.
    #expect(try fixture.event("r2")?.session == "session-u")
    #expect(try fixture.event("r2")?.data.string("reason") == "text of r2")
    #expect(try fixture.event("g1")?.data.string("operator") == "kim")
    #expect(try fixture.event("g1")?.data.string("reason") == "a gift")
    for text in ["ada", "session-a", "text of r1", "called"] {
      #expect(try !fixture.shown().contains { $0.contains(text) }, "\(text)")
    }
    try fixture.finishes()
  }

  @Test("knows who was erased already, and what there is left")
  func already() throws {
    let fixture = try ErasureFixture([bought("a1", "ada", "phone-a", on: "2026-01-01")])
    let first = try fixture.erase("ada", at: "2026-02-01")
    func preview() throws -> ErasurePreview {
      try fixture.ledger.read { (view) throws(LedgerError) in try view.erasurePreview(of: "ada") }
    }
    var found = try preview()
    #expect(found.earlier == first.position)
    #expect(found.names == 0 && found.texts == 0)
    try fixture.append([bought("a2", "ada", "phone-a", on: "2026-03-01")])
    found = try preview()
    #expect(found.earlier == first.position)
    #expect(found.names == 2)
  }
}
