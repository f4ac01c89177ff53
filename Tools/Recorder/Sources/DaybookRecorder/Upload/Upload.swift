/// Uploads the spool, oldest events first.
///
/// An event is forgotten when the server has acknowledged it by its position, and not before. One
/// that the server refuses by its id goes into a file of its own with the reason
/// (``Spool/refusedPath``), and nothing waits for it. Everything else is sent again, later: an
/// answer that names no event, such as a proxy's or a firewall's, says nothing about one.
public actor Upload {
  /// What a round has done.
  public enum Step: Sendable, Equatable {
    /// There is nothing to upload, on the disk or in a recorder's memory.
    case idle
    /// Events were acknowledged, or refused: go on.
    case advanced(acknowledged: Int, refused: Int)
    /// Try again after so many seconds.
    case wait(seconds: Double)
  }

  /// What the app may want to log.
  public enum Notice: Sendable, Equatable {
    /// The server refused an event for good.
    case refused(RefusedLine)
    /// The attempt failed, and will be repeated.
    case postponed(String)
    /// The spool failed. Nothing is lost; what was uploaded may be uploaded again.
    case spool(SpoolError)
    /// So many bytes of the spool no longer check, and were skipped: events that the disk lost. A
    /// file whose name ends in `.damaged` keeps them, if there are not too many of these.
    case damaged(bytes: Int)
  }

  /// The most lines in one request.
  public static let linesMax = 200
  /// The most bytes in one request; a longer event goes alone.
  public static let bytesMax = 512 << 10
  /// How long a request may take, in seconds: a slow phone sends ``bytesMax`` in it.
  public static let requestSecondsMax = 180.0

  private let spool: Spool
  private let uploader: any EventUploader
  private let random: @Sendable () -> Double
  private let clock: UploadClock
  private let notify: @Sendable (Notice) -> Void
  /// Whose events in memory are uploaded, too; nil for a spool alone.
  private let recorder: Recorder?
  private var backOff = BackOff()
  /// Lines that were refused while the file of refused lines had no room: they stay in the spool,
  /// and are not sent again in this launch.
  private var parked: Set<UInt64> = []
  /// Lines that were refused alone by an answer that names no line. That says nothing about a line
  /// if a proxy answered: they are sent again, each alone and after all others, the one that has
  /// waited longest first.
  private var suspects: [UInt64] = []
  /// The most lines in the next request: less after a request was refused as a whole, to find the
  /// line that was meant.
  private var linesMax = Upload.linesMax

  /// The loop that uploads, while one does.
  private var loop: Task<Void, Never>?
  /// Who waits for the loop, by numbers that are not used again.
  private var waiters: [Int: AsyncThrowingStream<Void, any Error>.Continuation] = [:]
  private var calls = 0
  /// The wait of the loop, and whether it may be cut short.
  private var waiting: Task<Void, any Error>?
  private var mayWake = false
  private var isWoken = false
  /// How long the server has asked to wait, in seconds; nil if it has not.
  private var asked: Double?
  /// The bytes of the spool that did not check, as far as they were told.
  private var damagedBytes: Int

  /// Uploads what a recorder records, also what it could not write to the disk so far.
  ///
  /// - Parameters:
  ///   - random: A number from 0 to 1.
  ///   - clock: How it waits.
  ///   - notify: Called with what happened; log it.
  public init(
    _ recorder: Recorder, to uploader: any EventUploader,
    random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
    clock: UploadClock = UploadClock(), notify: @escaping @Sendable (Notice) -> Void = { _ in }
  ) {
    spool = recorder.spool
    self.uploader = uploader
    self.random = random
    self.clock = clock
    self.notify = notify
    self.recorder = recorder
    damagedBytes = recorder.spool.damagedBytes
  }

  /// Uploads a spool.
  ///
  /// - Parameters:
  ///   - random: A number from 0 to 1.
  ///   - clock: How it waits.
  ///   - notify: Called with what happened; log it.
  public init(
    _ spool: Spool, to uploader: any EventUploader,
    random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
    clock: UploadClock = UploadClock(), notify: @escaping @Sendable (Notice) -> Void = { _ in }
  ) {
    self.spool = spool
    self.uploader = uploader
    self.random = random
    self.clock = clock
    self.notify = notify
    recorder = nil
    damagedBytes = spool.damagedBytes
  }

  /// Uploads until nothing is left, and waits as long as needed in between. Call it at each launch
  /// and return to the foreground.
  ///
  /// Only one loop uploads at a time: a second call ends its wait, or the next one if it is in a
  /// request, but not before the time that the server has asked for; and it returns with the loop.
  /// It does not return while an event is left that a server refuses without naming it. A call
  /// whose task is cancelled returns at once; the loop ends early when those of all callers are.
  ///
  /// - Throws: `CancellationError` if the task was cancelled.
  public func run() async throws {
    try Task.checkCancellation()
    while let cancelled = loop, cancelled.isCancelled { await cancelled.value }
    try Task.checkCancellation()
    if loop == nil {
      loop = Task { await self.runLoop() }
    } else {
      isWoken = true
      if mayWake { waiting?.cancel() }
    }
    calls += 1
    let number = calls
    // A stream, because it ends when the caller's task is cancelled, too.
    let (end, waiter) = AsyncThrowingStream<Void, any Error>.makeStream()
    waiters[number] = waiter
    for try await _ in end {}
    // Whoever still waits was cancelled.
    guard waiters.removeValue(forKey: number) != nil else { return }
    if waiters.isEmpty { loop?.cancel() }
    throw CancellationError()
  }

  /// How many wait for the loop.
  var callers: Int { waiters.count }

  /// Whether the loop goes on: there is one, and it was not cancelled.
  var isGoingOn: Bool { loop.map { !$0.isCancelled } ?? false }

  private func runLoop() async {
    var failure: (any Error)?
    do {
      try await uploadAll()
    } catch {
      failure = error
    }
    loop = nil
    let all = waiters.values
    waiters = [:]
    for waiter in all { waiter.finish(throwing: failure) }
  }

  private func uploadAll() async throws {
    while true {
      try Task.checkCancellation()
      let step = await uploadOnce()
      try Task.checkCancellation()
      switch step {
      case .idle: return
      case .advanced: continue
      case .wait(let seconds):
        // As long as the server has asked, then the rest, which a call may end.
        let asked = min(asked ?? 0, seconds)
        if asked > 0 { try await pause(asked, mayWake: false) }
        if asked < seconds { try await pause(seconds - asked, mayWake: true) }
        isWoken = false
      }
    }
  }

  private func pause(_ seconds: Double, mayWake: Bool) async throws {
    // The call came while the request was under way.
    if mayWake, isWoken { return }
    let pause = Task { [clock] in try await clock.wait(seconds) }
    (waiting, self.mayWake) = (pause, mayWake)
    let result = await withTaskCancellationHandler {
      await pause.result
    } onCancel: {
      pause.cancel()
    }
    (waiting, self.mayWake) = (nil, false)
    if !mayWake || !isWoken { try result.get() }
  }

  /// Writes what the recorder keeps in memory. Returns whether nothing is left there.
  private func flush() -> Bool {
    do throws(RecorderError) {
      try recorder?.flush()
      return true
    } catch {
      if case .spool(let error) = error { notify(.spool(error)) }
      return false
    }
  }

  /// Sends one request, and acts on its answer.
  public func uploadOnce() async -> Step {
    let isFlushed = flush()
    let lines: [SpooledLine]
    do {
      lines = try next()
    } catch {
      notify(.spool(error))
      return wait(nil)
    }
    guard !lines.isEmpty else { return isFlushed ? .idle : wait(nil) }
    var body: [UInt8] = []
    for line in lines { body += line.line + [UInt8(ascii: "\n")] }
    let answer: UploadAnswer
    do {
      answer = try await clock.answer(within: Self.requestSecondsMax) { [uploader, body] in
        try await uploader.upload(body)
      }
    } catch {
      // Nobody has failed: the app has ended it.
      if Task.isCancelled { return .wait(seconds: 0) }
      notify(.postponed("no answer: \(error)"))
      return wait(nil)
    }
    return act(on: answer, to: lines)
  }

  /// The lines of the next request.
  private func next() throws(SpoolError) -> [SpooledLine] {
    defer {
      let bytes = spool.damagedBytes
      if bytes > damagedBytes { notify(.damaged(bytes: bytes - damagedBytes)) }
      damagedBytes = bytes
    }
    let known = parked.union(suspects)
    let lines = try spool.oldest(linesMax: linesMax, bytesMax: Self.bytesMax, without: known)
    if !lines.isEmpty || suspects.isEmpty { return lines }
    let left = try spool.oldest(linesMax: .max, bytesMax: .max, without: parked)
    suspects.removeAll { suspect in !left.contains { $0.serial == suspect } }
    return left.filter { $0.serial == suspects.first }
  }

  private func act(on answer: UploadAnswer, to lines: [SpooledLine]) -> Step {
    let reading = AnswerReading(answer, to: lines)
    guard reading != AnswerReading() else {
      let isVerdict = answer.status != 200 && AnswerReading.verdicts.contains(answer.status)
      if isVerdict { narrow(lines) }
      let text = String(
        decoding: answer.body.prefix(AnswerReading.reasonCharactersMax), as: UTF8.self)
      notify(
        .postponed(
          "the server answered with status \(answer.status)"
            + (isVerdict ? " and named no event: \(text)" : "")))
      return wait(answer.retryAfter)
    }
    return settle(reading, lines)
  }

  /// The request was refused, and the answer names no line: the next one is smaller, to find the
  /// line that is meant. That one is sent again when no other is left, so that others do not wait
  /// for it; and it stays in the spool, because nobody said that it is wrong.
  private func narrow(_ lines: [SpooledLine]) {
    if lines.count > 1 {
      linesMax = lines.count / 2
    } else {
      let serials = lines.map(\.serial)
      suspects.removeAll(where: serials.contains)
      suspects += serials
    }
  }

  private func settle(_ reading: AnswerReading, _ lines: [SpooledLine]) -> Step {
    var done = reading.acknowledged
    let refused = lines.compactMap { line in
      reading.refused[line.serial].map { RefusedLine(line: line.line, reason: $0) }
    }
    if !refused.isEmpty {
      do {
        try spool.setAside(refused)
        done.formUnion(reading.refused.keys)
      } catch {
        parked.formUnion(reading.refused.keys)
        notify(.spool(error))
      }
      for line in refused { notify(.refused(line)) }
    }
    do {
      try spool.forget(done)
    } catch {
      notify(.spool(error))
    }
    // One of them was taken after all: the answers were a proxy's, and said nothing of the others.
    if suspects.contains(where: reading.acknowledged.contains) { suspects = [] }
    suspects.removeAll { reading.refused[$0] != nil }
    backOff.reset()
    isWoken = false
    linesMax = min(Self.linesMax, linesMax * 2)
    return .advanced(acknowledged: reading.acknowledged.count, refused: refused.count)
  }

  private func wait(_ retryAfter: Double?) -> Step {
    asked = retryAfter
    return .wait(seconds: backOff.next(retryAfter: retryAfter, random: random()))
  }
}
