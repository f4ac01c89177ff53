import Foundation
import SignedDataSamples
import Testing
import TracedProcesses

@testable import StorePull

/// What must not hold up a pull, and where a pull must not write.
@Suite("A pull's limits", .serialized) struct PullLimitsTests {
  @Test(
    "an answer whose body does not come is given up and asked for again",
    arguments: [FakeStore.Answer.stalled("{"), .dripping("{")])
  func stalled(_ answer: FakeStore.Answer) throws {
    let program = try PullProgram()
    let purchases = try PullProgram.purchases(1)
    program.store.change { $0.history["2000000001"] = purchases }
    program.store.fail(.answer(answer))
    let pulled = try program.pull(
      "history", "--transaction", "2000000001", "--answer-timeout", "1")
    #expect(pulled.status == 0, "\(pulled.errors)")
    #expect(pulled.errors.contains("trying again"))
    if case .dripping = answer { #expect(pulled.errors.contains("not complete within 1 second")) }
    #expect(program.store.requests.count >= 2)
    #expect(try program.daybook("entitlements", "ada").output.contains("map-1"))
  }

  @Test("one customer's fault is told and does not hold up the others") func others() throws {
    let program = try PullProgram()
    let purchases = try PullProgram.purchases(1)
    program.store.change { contents in
      for number in 1...3 { contents.history["200000000\(number)"] = purchases }
    }
    let app = "\(program.ledger).pull/\(SigningSamples.bundleID)"
    try FileManager.default.createDirectory(
      atPath: app + "/state", withIntermediateDirectories: true)
    let damaged = app + "/state/history.production.2000000001.json"
    try Data("{".utf8).write(to: URL(fileURLWithPath: damaged))
    let page = #"{"revision":"same","hasMore":true,"signedTransactions":[]}"#
    for _ in 0..<2 { program.store.fail(.answer(.whole(status: 200, body: page))) }
    let pulled = try program.pull(
      "history", "--transaction", "2000000001", "--transaction", "2000000002", "--transaction",
      "2000000003")
    // The damaged file's, which is worse than that of pages that go round.
    #expect(pulled.status == 74, "\(pulled.errors)")
    #expect(pulled.errors.contains("2000000001: "))
    #expect(pulled.errors.contains("2000000002: the store says that there is more"))
    #expect(try program.daybook("entitlements", "ada").output.contains("map-1"))
  }

  @Test(
    "root does not pull for another user's ledger, and leaves no folder",
    .enabled(if: geteuid() == 0, "only the superuser gives files away"))
  func foreignRoot() throws {
    let program = try PullProgram()
    try FileManager.default.setAttributes([.ownerAccountID: 8470], ofItemAtPath: program.ledger)
    let refused = try program.pull("history", "--transaction", "2000000001")
    #expect(refused.status == 77, "\(refused.errors)")
    #expect(refused.errors.contains("belongs to the user 8470"), "\(refused.errors)")
    #expect(program.store.requests.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: program.ledger + ".pull"))
  }

  @Test("the pull folder is not inside of the ledger, by no way") func inside() throws {
    let program = try PullProgram()
    let link = program.folder.appending(path: "link").path
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: program.ledger + "/log")
    for folder in [
      program.ledger, program.ledger + "/pull/deep", link, link + "/a/b", link + "/../a",
      program.folder.path + "/none/../ledger/a",
    ] {
      let refused = try program.pull(
        "history", "--transaction", "2000000001", "--folder", folder)
      #expect(refused.status == 65, "\(folder)")
      #expect(refused.errors.contains("inside of the ledger"), "\(folder): \(refused.errors)")
    }
    #expect(program.store.requests.isEmpty)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: program.ledger).sorted()
        == ["keys", "log", "projections"])
  }

  @Test("what is pulled is its owner's alone") func modes() async throws {
    let bench = PullBench()
    // A folder of before, that others may read.
    try FileManager.default.createDirectory(
      atPath: bench.path + "/state", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755])
    bench.fill(3)
    bench.importer.next(.imported, .refused)
    var run = try bench.run(keeps: true)
    _ = await failure { () throws(PullError) in try await run.pull(.history, PullBench.customer) }
    let files = FileManager.default
    for name in [""] + (files.enumerator(atPath: bench.path)?.compactMap { $0 as? String } ?? []) {
      let attributes = try files.attributesOfItem(atPath: bench.path + "/" + name)
      let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
      #expect(
        attributes[.posixPermissions] as? Int == (isFolder ? 0o700 : 0o600), "\(name)")
    }
    let program = try PullProgram()
    program.store.change { $0.history["2000000001"] = [] }
    #expect(try program.pull("history", "--transaction", "2000000001").status == 0)
    let attributes = try files.attributesOfItem(atPath: program.ledger + ".pull")
    #expect(attributes[.posixPermissions] as? Int == 0o700)
  }
}
