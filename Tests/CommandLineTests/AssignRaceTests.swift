import Testing

@Suite("assigning one purchase to two customers at once") struct AssignRaceTests {
  private static let rounds = 6

  @Test("is done for one of them, and refused for the other") func race() async throws {
    let ledger = try TestLedger(
      events: (0..<Self.rounds).map { round in
        #"{"id":"p\#(round)","type":"transaction.purchased","occurredAt":"2026-03-01T10:00:00Z","#
          + #""transaction":"t\#(round)","product":"atlas"}"#
      })
    let path = ledger.path
    for round in 0..<Self.rounds {
      async let ada = Self.assign("t\(round)", to: "ada", path)
      async let ben = Self.assign("t\(round)", to: "ben", path)
      let outcomes = try await [ada, ben]
      #expect(outcomes.map(\.status).sorted() == [0, 65], "\(outcomes.map(\.errors))")
    }
    let assigned = try ledger.run("events", "--type", "transaction.assigned").lines
    #expect(assigned.count == Self.rounds, "\(assigned)")
  }

  private static func assign(
    _ transaction: String, to account: String, _ path: String
  ) async throws -> Outcome {
    try Program.run(
      [
        "assign", transaction, account, "--new-account", "--yes", "--operator", "kim",
        "--reason", "found",
      ], ledger: path)
  }
}
