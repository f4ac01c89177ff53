import Foundation
import LedgerStore
import Testing

@testable import LedgerService

/// What an operator learns of a ledger that cannot be read.
@Suite("What is damaged", .timeLimit(.minutes(20))) struct ServiceFaultTests {
  @Test("leaves the metrics of all the rest, and is one of them") func webhooks() async throws {
    try await ServiceBench.run { bench in
      #expect(try await bench.append([Line.note("a")]).status == 200)
      let sound = try await bench.get("/metrics")
      #expect(sound.lines.contains("daybook_ledger_readable 1"), "\(sound.body)")
      #expect(sound.lines.contains("daybook_webhooks_readable 1"))
      let folder = URL(filePath: bench.path).appending(path: "service")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(repeating: 0x78, count: 8_192).write(to: folder.appending(path: "webhooks.sqlite"))
      let damaged = try await bench.get("/metrics")
      #expect(damaged.status == 200, "\(damaged.body)")
      #expect(damaged.lines.contains("daybook_webhooks_readable 0"), "\(damaged.body)")
      #expect(damaged.lines.contains("daybook_ledger_readable 1"))
      #expect(damaged.lines.contains("daybook_log_position 1"))
    }
  }

  @Test("has no position in the metrics that was true before") func ledger() async throws {
    try await ServiceBench.run { bench in
      #expect(try await bench.append([Line.note("a")]).status == 200)
      #expect(try await bench.get("/metrics").body.contains("daybook_log_position"))
      try await bench.closeLedger()
      let closed = try await bench.get("/metrics")
      #expect(closed.status == 200, "\(closed.body)")
      #expect(closed.lines.contains("daybook_ledger_readable 0"), "\(closed.body)")
      #expect(closed.lines.contains("daybook_webhooks_readable 1"))
      #expect(closed.lines.contains("daybook_followers 0"))
      #expect(!closed.body.contains("daybook_log_position"))
      #expect(!closed.body.contains("daybook_projection"))
    }
  }

  @Test("is said in the log once, and again after a while") func told() throws {
    let lines = KeptLines()
    let log = FaultLog()
    let begun = ContinuousClock.now
    func fault(_ kind: Problem.Kind, _ detail: String) -> Problem {
      Problem(fault: detail, kind, retryAfterSeconds: 30)
    }
    let (full, damaged) = (fault(.full, "The disk is full."), fault(.unavailable, "Damaged."))
    for problem in [full, damaged, full, damaged] { log.tell(problem, lines.logger, at: begun) }
    #expect(lines.all.map { $0.metadata["reason"] } == ["The disk is full.", "Damaged."])
    #expect(lines.all.map { $0.metadata["status"] } == ["507", "503"])
    log.tell(full, lines.logger, at: begun + ServiceLimits.faultPause)
    #expect(lines.all.count == 3)
    // What a client can cause is not the operator's.
    log.tell(Problem(.positionNotReached, "No."), lines.logger)
    log.tell(Problem(.badRequest, "No."), lines.logger)
    #expect(lines.all.count == 3)
    // However many reasons there are, the latest is remembered.
    for number in 0...ServiceLimits.faultsMax {
      for _ in 1...2 { log.tell(fault(.full, "\(number)"), lines.logger, at: begun) }
    }
    #expect(lines.all.count == 3 + ServiceLimits.faultsMax + 1)
  }

  @Test("of the ledger is for the operator, and a conflict is for the client") func faults() {
    for code in [LedgerError.Code.io, .corrupt, .full, .outcomeUnknown, .closed, .busy] {
      #expect(Problem(LedgerError(code, "x")).isFault, "\(code)")
    }
    for code in [LedgerError.Code.conflict, .notFound, .invalidEvent, .conditionFailed] {
      #expect(!Problem(LedgerError(code, "x")).isFault, "\(code)")
    }
  }

  @Test("is said in the log for a request that ends with 503") func requests() async throws {
    let lines = KeptLines()
    var limits = ServiceBench.Limits()
    limits.log = lines.logger
    try await ServiceBench.run(limits) { (bench: ServiceBench) async throws in
      try await bench.closeLedger()
      for _ in 1...3 { #expect(try await bench.get("/v1/entitlements?account=a").status == 503) }
      let said = lines.all.filter { $0.message == "a request could not be answered" }
      #expect(said.count == 1)
      #expect(said.first?.metadata["status"] == "503")
      #expect(said.first?.metadata["reason"]?.isEmpty == false)
    }
  }
}
