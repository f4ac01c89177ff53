import LedgerModel
import Testing

@Suite("A storm of downloads after a restore") struct RestoreStormTests {
  private func requests(_ transaction: String, _ hour: String, _ numbers: ClosedRange<Int>)
    -> String
  {
    numbers.map { "1T\(hour):\($0 + 10) download.requested t=\(transaction) dl=c\($0)\n" }.joined()
  }

  /// The lines at which the rule is broken.
  private func storms(_ text: String) throws -> [UInt64] {
    try Scene(text).folded.findings.filter { $0.rule == .restoreStorm }.map(\.position)
  }

  @Test("counts what was requested before the queue delivered it") func early() throws {
    let text =
      requests("t2", "09", 1...9)
        + """
        1T10:00 restore.requested
        1T10:01 transaction.restored t=t1 o=o1 p=book

        """ + requests("t1", "11", 1...2) + "1T12:00 transaction.restored t=t2 o=o2 p=map\n"
    // Nine and two are more than ten, but none was requested since.
    #expect(try storms(text).isEmpty)
    #expect(try storms(text + requests("t1", "13", 3...3)) == [15])
  }

  @Test("does not count what a finish has cancelled") func finished() throws {
    let text =
      "1T10:00 restore.requested\n1T10:01 transaction.restored t=t1 o=o1 p=book\n"
      + requests("t1", "11", 1...10) + "1T12:00 transaction.finished t=t1\n"
    #expect(try storms(text + requests("t1", "13", 1...10)).isEmpty)
    #expect(try storms(text + requests("t1", "13", 1...11)) == [24])
  }
}
