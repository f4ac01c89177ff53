import LedgerEvents
import LogTesting
import Testing

@testable import LedgerLog
@testable import LedgerStore

/// The generation of the projections that a process reads while it makes another one.
@Suite("Projections that are replaced") struct ProjectionSourceTests {
  @Test("by a rebuild are read by everybody in the process, before and after the switch")
  func adopted() throws {
    let fixture = try ErasureFixture([bought("a1", "ada", "iphone", on: "2026-01-01")])
    let (source, log) = (fixture.ledger.source, fixture.ledger.log)
    try fixture.ledger.fold()
    // Somebody reads the old generation all the time.
    let old = try #require(try source.live())
    let number = try source.generation()
    let new = try Projections.make(number + 1, of: log)
    try Projector(log: log, projections: new).fold(through: .max, nil)
    #expect(source.adopt(new) === old)
    // Whoever has read the old number gets the new generation: the old one is open already, and
    // nothing can be opened twice.
    #expect(try source.live() === new)
    // The switch fails: the old generation is read on, although somebody has the new one open.
    #expect(source.adopt(old) === new)
    #expect(try source.live() === old)
    source.adopt(new)
    try log.setGeneration(number + 1)
    #expect(try source.live() === new)
    #expect(old.generation == number)
  }
}
