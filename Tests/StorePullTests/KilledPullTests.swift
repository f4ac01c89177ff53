import Foundation
import SignedDataSamples
import Testing
import TracedProcesses

@testable import StorePull

/// Pulls that are killed at every page and at any moment, and what the ledger has in the end.
@Suite("A killed pull", .serialized) struct KilledPullTests {
  private static let customer = "2000000001"
  private static let count = 7
  private static let pages = 4

  /// The texts of the customer, and the events of a ledger that was pulled in one go.
  private static let whole: (texts: [String], events: [String]) = {
    let program = try! PullProgram()
    let texts = try! PullProgram.purchases(count)
    program.store.change { $0.history[customer] = texts }
    let pulled = try! program.pull("history", "--transaction", customer)
    precondition(pulled.status == 0, pulled.errors)
    return (texts, try! program.events())
  }()

  private func begun() throws -> PullProgram {
    let program = try PullProgram()
    program.store.change { $0.history[Self.customer] = Self.whole.texts }
    return program
  }

  private func finish(_ program: PullProgram) throws {
    let pulled = try program.pull("history", "--transaction", Self.customer)
    #expect(pulled.status == 0, "\(pulled.errors)")
    #expect(try program.events() == Self.whole.events)
    #expect(try program.daybook("verify").status == 0)
  }

  @Test("when the store is asked, at each page", arguments: 0..<pages) func asked(_ page: Int)
    throws
  {
    let program = try begun()
    for _ in 0..<page { program.store.fail(.meanwhile {}) }
    program.store.fail(.meanwhile { [child = program.child] in child.kill() })
    #expect(try program.pull("history", "--transaction", Self.customer).isKilled)
    try finish(program)
    // One page at most was fetched again, and what came after the last one was asked for.
    #expect(program.store.requests.count <= Self.pages + 1)
  }

  /// A program that kills whoever runs it before or after the import with this number.
  private func deadlyImporter(
    _ program: PullProgram, at number: Int, before: Bool
  ) throws -> String {
    let script = program.folder.appending(path: "daybook-deadly")
    let count = program.folder.appending(path: "count")
    try Data("0\n".utf8).write(to: count)
    let text = """
      #!/bin/sh
      read n <\(count.path)
      [ "$1" != import ] || n=$((n + 1))
      echo $n >\(count.path)
      if [ $n -eq \(number) ] && \(before); then kill -9 $PPID; exit 1; fi
      \(try TracedProcess.executable("daybook")) "$@"
      status=$?
      if [ $n -eq \(number) ]; then kill -9 $PPID; fi
      exit $status

      """
    try Data(text.utf8).write(to: script)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
    return script.path
  }

  @Test("around each import", arguments: 1...pages, [true, false])
  func imported(_ number: Int, _ before: Bool) throws {
    let program = try begun()
    let deadly = try deadlyImporter(program, at: number, before: before)
    let killed = try program.pull(
      "history", "--transaction", Self.customer, with: ["--daybook", deadly])
    #expect(killed.isKilled)
    try finish(program)
    #expect(program.store.requests.count <= Self.pages + 1)
  }

  /// Payloads, and the events of a ledger that got them in one go.
  private static let notified: (payloads: [String], events: [String]) = {
    let program = try! PullProgram()
    let payloads = try! (1...count).map { try program.notification($0) }
    program.store.change { $0.notifications = payloads }
    let pulled = try! program.pull("notifications", with: appleID)
    precondition(pulled.status == 0, pulled.errors)
    return (payloads, try! program.events())
  }()
  /// Events but those that say that a file came: what the next question lists again is one.
  private static func purchases(_ events: [String]) -> [String] {
    events.filter { !$0.contains("import.received") }
      .map { $0.replacing(/,"position":[0-9]+/, with: "") }
  }

  private static let appleID = ["--app-apple-id", "\(SigningSamples.appAppleID)"]

  @Test("around each import of notifications", arguments: [1, pages], [true, false])
  func notified(_ number: Int, _ before: Bool) throws {
    let program = try PullProgram()
    program.store.change { $0.notifications = Self.notified.payloads }
    let deadly = try deadlyImporter(program, at: number, before: before)
    let killed = try program.pull("notifications", with: Self.appleID + ["--daybook", deadly])
    #expect(killed.isKilled)
    let pulled = try program.pull("notifications", with: Self.appleID)
    #expect(pulled.status == 0, "\(pulled.errors)")
    #expect(Self.purchases(try program.events()) == Self.purchases(Self.notified.events))
    // The question under way is answered to its end, then the next one.
    #expect(program.store.requests.count <= 2 * Self.pages)
    #expect(try program.daybook("verify").status == 0)
  }

  @Test("with a cursor that moved before the import loses a page: the control") func control()
    throws
  {
    let program = try begun()
    let deadly = try deadlyImporter(program, at: 2, before: true)
    #expect(
      try program.pull("history", "--transaction", Self.customer, with: ["--daybook", deadly])
        .isKilled)
    let name = "history.production.2000000001"
    let folder = try PullFolder(
      path: program.ledger + ".pull/" + SigningSamples.bundleID, keeps: false)
    let page = try StorePage(
      try #require(try folder.answer(PullFolder.answerName(name, page: 2))), of: .history,
      app: SigningSamples.bundleID)
    try folder.save(try #require(try folder.state(name)).after(page), name)
    _ = consume folder
    #expect(try program.pull("history", "--transaction", Self.customer).status == 0)
    #expect(try program.events() != Self.whole.events)
  }

  @Test("at any moment, again and again") func anyMoment() throws {
    let program = try begun()
    let pull = try TracedProcess.executable("daybook-pull")
    let words = ["history", "--transaction", Self.customer] + program.storeWords()
    for step in 0..<24 {
      _ = try program.run(pull, words) { process in
        Thread.sleep(forTimeInterval: Double(step) * 0.012)
        kill(process.processIdentifier, SIGKILL)
      }
    }
    try finish(program)
  }
}
