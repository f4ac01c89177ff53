import Foundation
import Testing

@testable import DaybookRecorder

/// What a server, a proxy, a disk and an app do to an upload.
@Suite("The upload in trouble", .timeLimit(.minutes(1))) struct UploadTroubleTests {
  private struct NotReached: Error {}

  private func spool(_ count: Int) throws -> Spool {
    let spool = try Spool(folder: "/spool", files: MemoryDisk())
    for number in 0..<count { try spool.append(#"{"id":"e\#(number)"}"#) }
    return spool
  }

  /// A server that tells each request, and answers with 503 when it is let go; later it is well.
  private actor GatedServer: EventUploader {
    private var answers: [AsyncStream<Void>]
    private let begins: AsyncStream<Void>.Continuation
    private let well = FakeServer()

    init(_ answers: [AsyncStream<Void>], begins: AsyncStream<Void>.Continuation) {
      (self.answers, self.begins) = (answers, begins)
    }

    func upload(_ body: [UInt8]) async throws -> UploadAnswer {
      if answers.isEmpty { return try await well.upload(body) }
      let answer = answers.removeFirst()
      begins.yield()
      for await _ in answer {}
      try Task.checkCancellation()
      return UploadAnswer(status: 503)
    }
  }

  @Test("sends again in the same launch what a proxy stopped once") func oneVerdict() async throws {
    let spool = try spool(1)
    var clock = UploadClock()
    clock.wait = { _ in }
    let server = FakeServer([.status(400)])
    try await Upload(spool, to: server, clock: clock).run()
    #expect(spool.count == 0)
    #expect(await server.requests.count == 2)
  }

  @Test("takes a call during a request for a call after it: the next wait is left out")
  func wokenInRequest() async throws {
    let spool = try spool(1)
    let (began, begins) = AsyncStream<Void>.makeStream()
    let (answer, go) = AsyncStream<Void>.makeStream()
    var clock = UploadClock()
    clock.wait = { _ in throw NotReached() }
    let upload = Upload(spool, to: GatedServer([answer], begins: begins), clock: clock)
    let first = Task { try await upload.run() }
    for await _ in began { break }
    let second = Task { try await upload.run() }
    while await upload.callers < 2 {
      try Task.checkCancellation()
      await Task.yield()
    }
    go.finish()
    try await first.value
    try await second.value
    #expect(spool.count == 0)
  }

  @Test("waits unwakeable only as long as the server has asked") func shortRetryAfter() async throws
  {
    let spool = try spool(1)
    let failures = Array(repeating: FakeServer.Mood.status(503), count: 11)
    let server = FakeServer(failures + [.status(503, retryAfter: 1)])
    let waits = Locked<[Double]>([])
    let upload = Locked<Upload?>(nil)
    var clock = UploadClock()
    clock.wait = { seconds in
      let all = waits.withLock { waits in
        waits.append(seconds)
        return waits
      }
      guard all.dropLast().last == 1, let upload = upload.withLock({ $0 }) else { return }
      // The app returns to the foreground. This wait is longer than any test.
      Task { try await upload.run() }
      try await Task.sleep(nanoseconds: 3_600_000_000_000)
    }
    let made = Upload(spool, to: server, random: { 1 }, clock: clock)
    upload.withLock { $0 = made }
    try await made.run()
    #expect(waits.withLock { $0 }.suffix(2) == [1, 3_599])
    #expect(spool.count == 0)
    upload.withLock { $0 = nil }
  }

  @Test("takes a request that the app has ended for no failure, and does not tell it")
  func cancelledIsNoFailure() async throws {
    let spool = try spool(1)
    let (began, begins) = AsyncStream<Void>.makeStream()
    // A stream ends for all who read it when one of them is cancelled.
    let never = (1...2).map { _ in AsyncStream<Void>.makeStream() }
    defer { for (_, end) in never { end.finish() } }
    let (now, go) = AsyncStream<Void>.makeStream()
    go.finish()
    let waits = Locked<[Double]>([])
    let notices = Locked<[Upload.Notice]>([])
    var clock = UploadClock()
    clock.wait = { seconds in waits.withLock { $0.append(seconds) } }
    let upload = Upload(
      spool, to: GatedServer(never.map(\.stream) + [now], begins: begins), random: { 0.5 },
      clock: clock,
      notify: { notice in notices.withLock { $0.append(notice) } })
    var begun = began.makeAsyncIterator()
    for _ in 1...2 {
      let task = Task { try await upload.run() }
      await begun.next()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    try await upload.run()
    #expect(waits.withLock { $0 } == [1.5])
    #expect(
      notices.withLock { $0 } == [.postponed("the server answered with status 503")])
  }

  @Test("tells what of the spool is damaged while it is open") func damaged() async throws {
    let disk = MemoryDisk()
    let spool = try Spool(folder: "/spool", files: disk)
    for number in 0..<3 { try spool.append(#"{"id":"e\#(number)"}"#) }
    let name = try #require(try disk.names(in: "/spool").first { $0.hasSuffix(".spool") })
    try disk.open("/spool/" + name).write([0], at: Frame.headerBytes + 5)
    let notices = Locked<[Upload.Notice]>([])
    let upload = Upload(
      spool, to: FakeServer(), notify: { notice in notices.withLock { $0.append(notice) } })
    try await upload.run()
    #expect(notices.withLock { $0 } == [.damaged(bytes: Frame.headerBytes + 11)])
    #expect(try disk.names(in: "/spool").count { $0.hasSuffix(".damaged") } == 1)
  }

  @Test(
    "believes no position that is no integer, and no other type of a member",
    arguments: ["true", "1.5", "\"1\"", "0", "-1", "[1]", "null"])
  func position(text: String) {
    let line = SpooledLine(serial: 1, line: [UInt8](#"{"id":"x"}"#.utf8))
    func reading(_ body: String) -> AnswerReading {
      AnswerReading(UploadAnswer(status: 200, body: [UInt8](body.utf8)), to: [line])
    }
    #expect(reading(#"{"id":"x","position":\#(text)}"#) == AnswerReading())
    #expect(reading(#"{"id":"x","position":7}"#).acknowledged == [1])
    #expect(reading(#"{"id":"x","position":true,"refused":"no"}"#) == AnswerReading())
  }
}
