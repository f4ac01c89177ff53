import Foundation
import Testing
import TracedProcesses

@testable import LedgerService

/// Systems that start few threads, because their limit of processes is used up.
@Suite(
  "The service where few threads can be started", .timeLimit(.minutes(20)),
  .enabled(if: FewThreads.isPossible, "needs prlimit, and setpriv to limit root"))
struct ServiceThreadTests {
  private let made: MadeLedger
  private let user = FewThreads()

  init() throws {
    made = try MadeLedger()
    // The ledger of the user who has few threads.
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o777], ofItemAtPath: made.folder.path)
    try FileManager.default.removeItem(atPath: made.path)
    let again = try user.run(
      threads: nil, [try BuiltProgram.path("daybook"), "init", "--ledger", made.path])
    try #require(again.status == 0, "\(again.errors)")
  }

  @Test("ends with the reason, and neither hangs nor crashes", arguments: [1, 2, 5, 9, 20, 34])
  func refused(threads: Int) throws {
    let ended = try user.run(
      threads: threads,
      [try BuiltProgram.path("daybook-serve"), "--open", "--port", "0", "--ledger", made.path])
    #expect(ended.status == 74, "\(ended.status): \(ended.errors)")
    #expect(ended.errors.contains("raise the limit of processes"), "\(ended.errors)")
  }

  @Test("serves with as many as it asks for") func served() async throws {
    let limit = LedgerService.threadsMin + 1
    try await made.served(in: user.wrapper(limit)) { served in
      let lines = (1...200).map { Line.note("\($0)", account: "ada") }
      // As many at once as would use each thread that it starts.
      try await withThrowingTaskGroup(of: Int.self) { group in
        for part in 0..<40 {
          let some = Array(lines[part * 5..<part * 5 + 5])
          group.addTask { try await served.append(some).status }
          group.addTask { try await served.get("/v1/entitlements?account=ada").status }
        }
        for try await status in group { #expect(status == 200) }
      }
      #expect(served.end() == 0)
    }
  }
}
