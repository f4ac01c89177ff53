import Foundation
import Testing

@testable import DaybookRecorder

/// A ledger behind the contract of `EventUploader`, which fails as a test says.
actor FakeServer: EventUploader {
  enum Mood: Sendable {
    case well
    case status(Int, retryAfter: Double? = nil, body: String = "")
    /// No answer, after the events were stored or not.
    case lost(stored: Bool)
    /// The answer breaks off after so many lines, though all were stored.
    case half(Int)
  }

  struct Unreachable: Error {}

  private var moods: [Mood]
  private var refusing: Set<String>
  private let isTerse: Bool
  private(set) var positions: [String: Int] = [:]
  private(set) var requests: [[String]] = []

  /// No test sends so many: an upload that never ends would go on for ever.
  private static let requestsMax = 2_000

  /// - Parameters:
  ///   - moods: One for each request; then it is well.
  ///   - refusing: The ids that it refuses.
  ///   - isTerse: Whether it refuses a request as a whole, without saying which line it means.
  init(_ moods: [Mood] = [], refusing: Set<String> = [], isTerse: Bool = false) {
    self.moods = moods
    self.refusing = refusing
    self.isTerse = isTerse
  }

  /// It refuses nothing from now on.
  func heal() { refusing = [] }

  func upload(_ body: [UInt8]) throws -> UploadAnswer {
    let lines = String(decoding: body, as: UTF8.self).split(separator: "\n").map(String.init)
    requests.append(lines)
    if requests.count > Self.requestsMax { throw CancellationError() }
    switch moods.isEmpty ? .well : moods.removeFirst() {
    case .status(let status, let after, let text):
      return UploadAnswer(status: status, body: [UInt8](text.utf8), retryAfter: after)
    case .lost(let stored):
      if stored { _ = store(lines) }
      throw Unreachable()
    case .half(let count):
      return answer(200, store(lines).prefix(count))
    case .well:
      let ids = Set(lines.compactMap(Self.id))
      if isTerse, !ids.isDisjoint(with: refusing) { return UploadAnswer(status: 400) }
      return answer(ids.isDisjoint(with: refusing) ? 200 : 422, store(lines)[...])
    }
  }

  private func store(_ lines: [String]) -> [String] {
    lines.compactMap(Self.id).map { id in
      if refusing.contains(id) { return #"{"id":"\#(id)","refused":"conflict"}"# }
      let position = positions[id] ?? positions.count + 1
      positions[id] = position
      return #"{"id":"\#(id)","position":\#(position)}"#
    }
  }

  private func answer(_ status: Int, _ lines: ArraySlice<String>) -> UploadAnswer {
    UploadAnswer(status: status, body: [UInt8](lines.joined(separator: "\n").utf8))
  }

  private static func id(_ line: String) -> String? {
    line.split(separator: "\"").dropFirst(3).first.map(String.init)
  }
}

/// A server that never answers.
private struct SilentServer: EventUploader {
  /// Whether it does not even notice that it was cancelled.
  var isDeaf: Bool
  var asked: @Sendable () -> Void = {}

  func upload(_ body: [UInt8]) async throws -> UploadAnswer {
    asked()
    // A task of its own is not cancelled with this one.
    let sleep = Task.detached { try await Task.sleep(nanoseconds: 3_600_000_000_000) }
    if isDeaf { try await sleep.value }
    sleep.cancel()
    try await Task.sleep(nanoseconds: 3_600_000_000_000)
    return UploadAnswer(status: 200)
  }
}

@Suite("The upload", .timeLimit(.minutes(1))) struct UploadTests {
  private func spool(_ count: Int) throws -> Spool {
    let spool = try Spool(folder: "/spool", files: MemoryDisk())
    for number in 0..<count { try spool.append(#"{"id":"e\#(number)"}"#) }
    return spool
  }

  /// - Parameter waits: The seconds that it waited for, in none.
  private func upload(
    _ spool: Spool, _ server: any EventUploader, notices: Locked<[Upload.Notice]> = Locked([]),
    waits: Locked<[Double]> = Locked([])
  ) -> Upload {
    var clock = UploadClock()
    clock.wait = { seconds in
      let count = waits.withLock { waits in
        waits.append(seconds)
        return waits.count
      }
      // Nothing here fails so often: it would go on for ever.
      if count > 200 { throw FakeServer.Unreachable() }
    }
    return Upload(
      spool, to: server, random: { 0.5 }, clock: clock,
      notify: { notice in notices.withLock { $0.append(notice) } })
  }

  /// Uploads to the end; returns the seconds that it waited for.
  private func run(
    _ spool: Spool, _ server: FakeServer, notices: Locked<[Upload.Notice]> = Locked([])
  ) async throws -> [Double] {
    let waits = Locked<[Double]>([])
    try await upload(spool, server, notices: notices, waits: waits).run()
    return waits.withLock { $0 }
  }

  @Test("sends everything in batches, in its order, and forgets it") func batches() async throws {
    let spool = try spool(450)
    let server = FakeServer()
    #expect(try await run(spool, server).isEmpty)
    #expect(await server.requests.map(\.count) == [200, 200, 50])
    #expect(await server.requests.flatMap { $0 } == (0..<450).map { #"{"id":"e\#($0)"}"# })
    #expect(spool.count == 0)
    #expect(spool.bytes == 0)
  }

  @Test("waits longer each time, and as long as the server asks") func waits() async throws {
    let spool = try spool(3)
    let server = FakeServer([
      .lost(stored: false), .status(503), .status(429, retryAfter: 120), .status(500),
      .status(401), .status(404), .status(429, retryAfter: 1e9),
    ])
    #expect(
      try await run(spool, server) == [1.5, 3, 120, 12, 24, 48, BackOff.retryAfterMax])
    #expect(spool.count == 0)
    #expect(await server.positions.count == 3)
  }

  @Test("forgets nothing before it was acknowledged by its position") func unacknowledged()
    async throws
  {
    let answers: [FakeServer.Mood] = [
      .lost(stored: true), .lost(stored: false), .half(0), .status(200), .status(204),
      .status(302), .status(200, body: "<html>Welcome to the hotel</html>"),
      .status(200, body: #"{"id":"e0"}"#), .status(200, body: #"{"id":"e0","position":0}"#),
      .status(200, body: #"{"id":"e0","position":"1"}"#), .status(413), .status(400),
      .status(200, body: #"{"id":"other","position":1}"#), .status(200, body: #"{"position":1}"#),
      // A ledger has one event at each position, and each event at one.
      .status(200, body: "{\"id\":\"e0\",\"position\":1}\n{\"id\":\"e1\",\"position\":1}"),
      .status(200, body: "{\"id\":\"e0\",\"position\":1}\n{\"id\":\"e0\",\"position\":2}"),
    ]
    for mood in answers {
      let spool = try spool(2)
      _ = await upload(spool, FakeServer([mood])).uploadOnce()
      #expect(spool.count == 2, "\(mood)")
    }
  }

  @Test("takes what an answer that breaks off says, and sends the rest again") func half()
    async throws
  {
    let spool = try spool(5)
    let server = FakeServer([.half(2)])
    #expect(try await run(spool, server).isEmpty)
    #expect(await server.requests.map(\.count) == [5, 3])
    #expect(await server.positions.count == 5)
    #expect(spool.count == 0)
  }

  @Test("keeps what is refused by its id aside with its reason, and nothing waits for it")
  func refusals() async throws {
    let folder = try TemporaryFolder()
    let spool = try Spool(folder: folder.path)
    for number in 0..<300 { try spool.append(#"{"id":"e\#(number)"}"#) }
    let server = FakeServer(refusing: ["e7", "e250"])
    let notices = Locked<[Upload.Notice]>([])
    #expect(try await run(spool, server, notices: notices).isEmpty)
    #expect(spool.count == 0)
    #expect(await server.positions.count == 298)
    let refused = try String(contentsOfFile: spool.refusedPath, encoding: .utf8)
      .split(separator: "\n")
    #expect(refused.count == 2)
    #expect(refused.first?.hasSuffix(#","event":{"id":"e7"}}"#) == true)
    #expect(refused.first?.contains("conflict") == true)
    let told = notices.withLock { $0 }.count { if case .refused = $0 { true } else { false } }
    #expect(told == 2)
  }

  @Test("finds what a verdict without an id stops, and sends it again when all else is sent")
  func unnamed() async throws {
    let spool = try spool(300)
    let server = FakeServer(refusing: ["e7", "e250"], isTerse: true)
    let notices = Locked<[Upload.Notice]>([])
    let upload = upload(spool, server, notices: notices)
    for _ in 1...100 where spool.count > 2 { _ = await upload.uploadOnce() }
    #expect(try spool.allLines() == [#"{"id":"e7"}"#, #"{"id":"e250"}"#])
    #expect(await server.positions.count == 298)
    #expect(try !spool.files.names(in: "/spool").contains("refused.jsonl"))
    #expect(notices.withLock { $0 }.allSatisfy { if case .postponed = $0 { true } else { false } })
    // Each is sent alone, one after the other, and less and less often.
    let count = await server.requests.count
    var waits: [Upload.Step] = []
    for _ in 1...4 { waits.append(await upload.uploadOnce()) }
    #expect(waits.map { if case .wait = $0 { true } else { false } } == [true, true, true, true])
    let requests = await server.requests.dropFirst(count)
    #expect(Set(requests.prefix(2).map(\.count)) == [1])
    #expect(Set(requests.prefix(2)) == Set(requests.dropFirst(2)))
    #expect(Set(requests).count == 2)
    // What is new does not wait for them.
    try spool.append(#"{"id":"new"}"#)
    #expect(await upload.uploadOnce() == .advanced(acknowledged: 1, refused: 0))
    // The server has learned: the first that it takes brings back the others.
    await server.heal()
    try await upload.run()
    #expect(spool.count == 0)
  }

  @Test(
    "waits after every answer of a proxy, and takes no line for refused",
    arguments: [
      400, 409, 413, 422,
    ])
  func proxy(status: Int) async throws {
    let spool = try spool(8)
    let page = "<html>Blocked</html>"
    let server = FakeServer(Array(repeating: .status(status, body: page), count: 6))
    let notices = Locked<[Upload.Notice]>([])
    // 8, 4, 2, 1 lines, and two others alone. Then the proxy goes: the rest first, then the first
    // of the three, which brings back the others.
    #expect(try await run(spool, server, notices: notices) == [1.5, 3, 6, 12, 24, 48])
    #expect(await server.requests.map(\.count) == [8, 4, 2, 1, 1, 1, 1, 2, 2, 1, 2])
    #expect(spool.count == 0)
    #expect(try !spool.files.names(in: "/spool").contains("refused.jsonl"))
    #expect(
      notices.withLock { $0 }.contains(
        .postponed("the server answered with status \(status) and named no event: \(page)")))
  }

  @Test("brings back what was set aside, once, and leaves what it cannot read") func retried()
    async throws
  {
    let disk = MemoryDisk()
    let spool = try Spool(folder: "/spool", files: disk)
    #expect(try spool.retryRefused() == 0)
    for number in 0..<4 { try spool.append(#"{"id":"e\#(number)"}"#) }
    #expect(try await run(spool, FakeServer(refusing: ["e1", "e2"])).isEmpty)
    let file = try disk.open(spool.refusedPath)
    try file.write([UInt8](#"{"reason":"x","event":{"id"#.utf8), at: try file.size())
    #expect(try spool.retryRefused() == 2)
    #expect(try spool.allLines() == [#"{"id":"e1"}"#, #"{"id":"e2"}"#])
    #expect(try spool.retryRefused() == 0)
    let left = try disk.open(spool.refusedPath)
    #expect(
      try left.read(at: 0, count: try left.size())
        == [UInt8]((#"{"reason":"x","event":{"id"# + "\n").utf8))
    let server = FakeServer()
    #expect(try await run(spool, server).isEmpty)
    #expect(await server.positions.count == 2)
  }

  @Test("keeps refused events in the spool if there is no room aside") func noRoomAside()
    async throws
  {
    var limits = SpoolLimits()
    limits.refusedBytesMax = 10
    let spool = try Spool(folder: "/spool", limits: limits, files: MemoryDisk())
    for number in 0..<3 { try spool.append(#"{"id":"e\#(number)"}"#) }
    let server = FakeServer(refusing: ["e1"])
    #expect(try await run(spool, server).isEmpty)
    #expect(try spool.allLines() == [#"{"id":"e1"}"#])
    #expect(await server.positions.count == 2)
  }

  @Test("loses nothing and doubles nothing, whatever goes wrong, at whatever request")
  func anything() async throws {
    let moods: [FakeServer.Mood] = [
      .well, .status(500), .status(429, retryAfter: 3), .lost(stored: true), .lost(stored: false),
      .half(0), .half(1), .half(150), .status(200, body: "{"), .status(413), .status(400),
    ]
    for seed in 1...20 {
      var random = UInt64(seed)
      let chosen = (0..<12).map { _ in
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return moods[Int(random >> 33) % moods.count]
      }
      let spool = try spool(420)
      let server = FakeServer(chosen, refusing: ["e3", "e419"])
      _ = try await run(spool, server)
      let stored = await server.positions
      let file = try spool.files.open(spool.refusedPath)
      let aside = String(
        decoding: try file.read(at: 0, count: try file.size()), as: UTF8.self)
      let left = Set(try spool.allLines())
      for number in 0..<420 {
        let id = "e\(number)"
        let isAside = aside.contains(#""event":{"id":"\#(id)"}"#)
        let found = [stored[id] != nil, isAside, left.contains(#"{"id":"\#(id)"}"#)]
        #expect(found.count { $0 } == 1, "seed \(seed), \(id)")
        #expect(!isAside || ["e3", "e419"].contains(id), "seed \(seed), \(id)")
      }
      #expect(Set(stored.values).count == stored.count)
    }
  }

  @Test("sends again after a crash what was acknowledged and not yet deleted") func crash()
    async throws
  {
    let disk = MemoryDisk()
    let server = FakeServer()
    do {
      let spool = try Spool(folder: "/spool", files: disk)
      for number in 0..<4 { try spool.append(#"{"id":"e\#(number)"}"#) }
      _ = await upload(spool, server).uploadOnce()
      #expect(spool.count == 0)
      disk.cutPower()
    }
    let spool = try Spool(folder: "/spool", files: disk)
    #expect(spool.count == 4)
    #expect(try await run(spool, server).isEmpty)
    #expect(await server.positions.count == 4)
    #expect(spool.count == 0)
  }

  @Test("waits for weeks without a network, over many launches, and then sends everything")
  func weeks() async throws {
    let disk = MemoryDisk()
    var limits = SpoolLimits()
    limits.segmentBytesMax = 1_000
    var next = 0
    for _ in 1...40 {
      let spool = try Spool(folder: "/spool", limits: limits, files: disk)
      for _ in 1...20 {
        try spool.append(#"{"id":"e\#(next)"}"#)
        next += 1
      }
      let offline = FakeServer([.lost(stored: false), .lost(stored: false)])
      let upload = upload(spool, offline)
      #expect(await upload.uploadOnce() == .wait(seconds: 1.5))
      #expect(await upload.uploadOnce() == .wait(seconds: 3))
      #expect(spool.count == next)
      disk.cutPower()
    }
    let spool = try Spool(folder: "/spool", limits: limits, files: disk)
    let server = FakeServer()
    #expect(try await run(spool, server).isEmpty)
    #expect(await server.requests.flatMap { $0 } == (0..<next).map { #"{"id":"e\#($0)"}"# })
    #expect(spool.bytes == 0)
  }

  @Test("ends when its task is cancelled, in a wait and in a request") func cancelled() async throws
  {
    let spool = try spool(1)
    let (began, begins) = AsyncStream<Void>.makeStream()
    var clock = UploadClock()
    clock.wait = { _ in
      begins.yield()
      // Longer than any test: it ends by being cancelled.
      try await Task.sleep(nanoseconds: 3_600_000_000_000)
    }
    let asked: @Sendable () -> Void = { begins.yield() }
    let uploaders: [any EventUploader] = [
      FakeServer([.status(500)]), SilentServer(isDeaf: false, asked: asked),
      SilentServer(isDeaf: true, asked: asked),
    ]
    var begun = began.makeAsyncIterator()
    for uploader in uploaders {
      let upload = Upload(spool, to: uploader, clock: clock)
      let task = Task { try await upload.run() }
      await begun.next()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(spool.count == 1)
    }
  }

  @Test("gives a request up that takes too long, even one that cannot be cancelled")
  func tooLong() async throws {
    let spool = try spool(1)
    let waits = Locked<[Double]>([])
    let notices = Locked<[Upload.Notice]>([])
    for isDeaf in [false, true] {
      var clock = UploadClock()
      clock.limit = { seconds in waits.withLock { $0.append(seconds) } }
      let upload = Upload(
        spool, to: SilentServer(isDeaf: isDeaf), random: { 0.5 }, clock: clock,
        notify: { notice in notices.withLock { $0.append(notice) } })
      #expect(await upload.uploadOnce() == .wait(seconds: 1.5))
    }
    #expect(waits.withLock { $0 } == [Upload.requestSecondsMax, Upload.requestSecondsMax])
    #expect(
      notices.withLock { $0 }.first == .postponed("no answer: no answer within 180 seconds"))
  }

  @Test(
    "uploads in one loop: a second call ends the wait, unless the server asked for it",
    arguments: [nil, 60.0])
  func oneLoop(retryAfter: Double?) async throws {
    let spool = try spool(1)
    let server = FakeServer([.status(503, retryAfter: retryAfter)])
    let (began, waits) = AsyncStream<Void>.makeStream()
    let wasCut = Locked(false)
    var clock = UploadClock()
    clock.wait = { _ in
      waits.yield()
      // Longer than any test: it ends by being woken or cancelled.
      defer { wasCut.withLock { $0 = true } }
      try await Task.sleep(nanoseconds: 3_600_000_000_000)
    }
    let upload = Upload(spool, to: server, clock: clock)
    let first = Task { try await upload.run() }
    for await _ in began { break }
    let second = Task { try await upload.run() }
    if retryAfter == nil {
      try await first.value
      try await second.value
      #expect(await server.requests.count == 2)
      #expect(spool.count == 0)
    } else {
      while await upload.callers < 2 {
        try Task.checkCancellation()
        await Task.yield()
      }
      #expect(!wasCut.withLock { $0 })
      // One caller leaves at once, and the loop goes on for the other; then nobody waits for it.
      first.cancel()
      await #expect(throws: CancellationError.self) { try await first.value }
      #expect(await upload.callers == 1)
      #expect(await upload.isGoingOn)
      second.cancel()
      await #expect(throws: CancellationError.self) { try await second.value }
      #expect(await server.requests.count == 1)
      #expect(spool.count == 1)
    }
    // The next call begins anew, after the loop that was cancelled has ended.
    try await upload.run()
    #expect(wasCut.withLock { $0 })
    #expect(await server.requests.count == 2)
    #expect(spool.count == 0)
  }

  @Test("reads Retry-After as seconds and as a date") func retryAfter() {
    let now = Date(timeIntervalSince1970: 1_772_359_200)
    #expect(RetryAfter.seconds("120", now: now) == 120)
    #expect(RetryAfter.seconds("Sun, 01 Mar 2026 10:01:30 GMT", now: now) == 90)
    #expect(RetryAfter.seconds("Sun, 01 Mar 2026 09:00:00 GMT", now: now) == 0)
    #expect(RetryAfter.seconds("soon", now: now) == nil)
  }
}
