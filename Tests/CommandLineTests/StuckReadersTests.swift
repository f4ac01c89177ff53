import LedgerEvents
import LedgerLog
import LedgerStore
import Testing

/// A snapshot that is never let go.
private final class StuckReader {
  private let snapshot: LogSnapshot

  init(_ log: EventLog) throws(LedgerError) { snapshot = try log.snapshot() }
}

@Suite("Readers that have taken every slot") struct StuckReadersTests {
  @Test("are named by stats, which goes on with what it can tell") func stats() throws {
    let ledger = try TestLedger()
    let appended = try ledger.run("append", input: Sample.purchase("t1", of: "ada", at: 0))
    #expect(appended.status == 0)
    let log = try EventLog(open: ledger.path, access: .readOnly)
    var readers: [StuckReader] = []
    do throws(LedgerError) {
      while readers.count < 1_000 { readers.append(try StuckReader(log)) }
      Issue.record("there is always another slot")
    } catch {
      #expect(error.isForLackOfReaders)
    }
    let found = try ledger.run("stats", "--format", "json")
    #expect(found.status == 0, "\(found.errors)")
    #expect(found.output.contains(#""events":1"#))
    #expect(found.errors.contains("process") && found.errors.contains("without a slot"))
    // The control: another command cannot begin.
    #expect(try ledger.run("events").status != 0)
    withExtendedLifetime(readers) {}
    readers.removeAll()
    #expect(try ledger.run("stats").errors.isEmpty)
    try log.close()
  }
}
