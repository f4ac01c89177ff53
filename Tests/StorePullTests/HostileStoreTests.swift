import Foundation
import LedgerEvents
import SignedDataSamples
import Testing

@testable import StorePull

/// A store that answers what no store should, and a folder that others have written into.
@Suite("A hostile store") struct HostileStoreTests {
  private let bench = PullBench()
  private static let name = "history.production.2000000001"

  private func page(_ revision: String, more: Bool, _ texts: [String] = ["text-1"]) -> String {
    let signed = texts.map { "\"\($0)\"" }.joined(separator: ",")
    return #"{"revision":"\#(revision)","hasMore":\#(more),"signedTransactions":[\#(signed)]}"#
  }

  private func answer(_ bodies: [String]) {
    for body in bodies { bench.store.fail(.answer(.whole(status: 200, body: body))) }
  }

  @Test("whose revision is too long for the next request is asked again, and blocks nothing later")
  func longRevision() async throws {
    let body = page(String(repeating: "r", count: 100_000), more: false)
    answer(Array(repeating: body, count: StoreClient.attemptsMax))
    let error = try #require(
      await failure { () throws(PullError) in try await bench.history() })
    #expect(error.kind == .malformed)
    #expect(error.message.contains("a revision of 100000 bytes, and expected are at most 4096"))
    bench.fill(3)
    #expect(try await bench.history().appended == 3)
    let longest = String(repeating: "r", count: StorePage.cursorBytesMax)
    answer([page(longest, more: false)])
    try await bench.history()
    let folder = try PullFolder(path: bench.path, keeps: false)
    #expect(try folder.state(Self.name)?.cursor == longest)
  }

  @Test("whose pages have nothing in them and never end is left") func emptyPages() async throws {
    answer((1...5).map { page("r\($0)", more: true, []) })
    var run = try bench.run()
    run.emptyLimit = 3
    let error = await failure { () throws(PullError) in
      try await run.pull(.history, PullBench.customer)
    }
    #expect(error?.kind == .endless && bench.store.requests.count == 3)
  }

  @Test("whose list of a customer never ends is left sooner than that of an app") func limits() {
    #expect(PullRun.customerPagesMax < PullRun.pagesMax)
  }

  @Test("a saved answer that was damaged into another app's is asked for again")
  func damagedApp() async throws {
    bench.fill(1)
    bench.importer.next(.refused)
    _ = await failure { () throws(PullError) in try await bench.history() }
    let file = "\(bench.path)/answers/\(Self.name).000001.json"
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try text.replacing(SigningSamples.bundleID, with: "com.example.damaged")
      .write(toFile: file, atomically: false, encoding: .utf8)
    #expect(try await bench.history().appended == 1)
  }

  @Test("that redirects, or does not know the API, leads to --host", arguments: [302, 404])
  func elsewhere(_ status: Int) async throws {
    bench.store.fail(.answer(.whole(status: status, body: "<html>moved</html>")))
    let error = await failure { () throws(PullError) in try await bench.history() }
    #expect(error?.kind == .refused && error?.message.contains("--host") == true)
  }

  @Test("that answers with a page has not taken an account") func confirmation() async throws {
    let original = try #require(StoreTransactionID("2000000001"))
    let token = try #require(AccountToken("7dbfa8c6-5d5f-4894-affd-368a132fb789"))
    answer(Array(repeating: "<html>log in</html>", count: StoreClient.attemptsMax))
    var run = try bench.run()
    let error = await failure { () throws(PullError) in
      try await run.client.setAccount(token, of: original, in: [.production])
    }
    #expect(error?.kind == .malformed)
  }

  @Test("long texts of a comparison are cut, and unreadable ones are kept as digests")
  func longTexts() async throws {
    let long = String(repeating: "x", count: 50_000)
    let text = #"{"notificationType":"\#(long)","notificationUUID":"\#(long)","signedDate":1}"#
    bench.store.change {
      $0.notifications = ["e30." + Base64URL.text(Array(text.utf8)) + ".AA", long]
    }
    var run = try bench.run()
    let found = try await run.reconcile(PullRun.NotificationFilter(), known: [], imports: false)
    #expect(found.missed.count == 2)
    #expect(found.missed.allSatisfy { ($0.id?.count ?? 0) <= 201 && ($0.type?.count ?? 0) <= 201 })
  }

  // MARK: - Clocks

  @Test("a clock that is far off pulls no notifications, and loses none", arguments: [-1, 1])
  func wrongClock(_ direction: Int64) async throws {
    bench.store.change { $0.notifications = PullBench.texts(3) }
    bench.store.date = "Sun, 01 Mar 2026 12:00:00 GMT"
    try await bench.notifications()
    let state = bench.files(in: "state")
    bench.clock.move(direction * 90 * Instant.day)
    for isComparison in [false, true] {
      let error = try #require(
        await failure { () throws(PullError) in
          var run = try bench.run()
          if isComparison {
            _ = try await run.reconcile(PullRun.NotificationFilter(), known: [], imports: false)
          } else {
            _ = try await run.notifications(PullRun.NotificationFilter())
          }
        })
      #expect(error.kind == .wrongClock && error.message.contains("2026-03-01T12:00:00Z"))
    }
    bench.clock.move(-direction * 90 * Instant.day + Instant.day)
    bench.store.date = "Mon, 02 Mar 2026 12:30:00 GMT"
    bench.store.change { $0.notifications.append("text-4") }
    try await bench.notifications()
    #expect(bench.importer.texts == PullBench.texts(4) && bench.files(in: "state") == state)
    let body = try JSONValue(json: Array(bench.store.requests.last?.request.body.utf8 ?? "".utf8))
    // From the day before the last pull by the right clock.
    let asked = try #require(body["startDate"]?.integer)
    #expect(asked == SigningSamples.instant("2026-02-28T12:00:00Z").microseconds / 1_000)
  }

  @Test("a server's date is read in the form of today, and no other") func dates() {
    let date = Instant(httpDate: "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(date?.rfc3339 == "1994-11-06T08:49:37Z")
    for other in [
      "", "now", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
      "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 99 Nov 1994 08:49:37 GMT", "Sun, 06 Nox 1994 0 GMT",
    ] { #expect(Instant(httpDate: other) == nil, "\(other)") }
  }

  // MARK: - Folders

  @Test("names of other programs hold nothing up") func otherNames() async throws {
    bench.fill(3)
    try await bench.history()
    // A name that is no UTF-8.
    let script = #"for at in answers state settled refused; do : >$at/$(printf 'x\377'); done"#
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", script]
    shell.currentDirectoryURL = URL(fileURLWithPath: bench.path)
    try shell.run()
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 0)
    bench.fill(4)
    #expect(try await bench.history().appended == 1)
    #expect(try await bench.notifications().pages == 1)
    bench.importer.replaceLedger()
    #expect(try await bench.history().appended == 4)
  }

  @Test("a folder or a link in the place of a file is refused with what to do", arguments: 0...3)
  func obstacles(_ number: Int) async throws {
    bench.fill(3)
    try await bench.history()
    let obstacle = ["state/ledger.json", "lock", "answers", "state/\(Self.name).json"][number]
    let path = bench.path + "/" + obstacle
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/hosts")
    let error = try #require(
      await failure { () throws(PullError) in try await bench.history() })
    #expect(error.message.contains(path) || error.message.contains(bench.path))
    #expect(error.message.lowercased().contains("remove"), "\(error.message)")
  }
}
