/// Uploads the spool, oldest events first.
///
/// An event is forgotten when the server has acknowledged it by its position, and not before. One
/// that the server refuses for good goes into a file of its own with the reason
/// (``Spool/refusedPath``), and nothing waits for it. Everything else is sent again, later.
public actor Upload {
  /// What a round has done.
  public enum Step: Sendable, Equatable {
    /// There is nothing to upload.
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
  }

  /// The most lines in one request.
  public static let linesMax = 200
  /// The most bytes in one request; a longer event goes alone.
  public static let bytesMax = 512 << 10

  private let spool: Spool
  private let uploader: any EventUploader
  private let random: @Sendable () -> Double
  private let notify: @Sendable (Notice) -> Void
  private var backOff = BackOff()
  /// Lines that were refused while the file of refused lines had no room: they stay in the spool,
  /// and are not sent again in this launch.
  private var parked: Set<UInt64> = []
  /// The most lines in the next request: less after a request was refused as a whole, to find the
  /// line that was meant.
  private var linesMax = Upload.linesMax

  /// - Parameters:
  ///   - random: A number from 0 to 1.
  ///   - notify: Called with what happened; log it.
  public init(
    _ spool: Spool, to uploader: any EventUploader,
    random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
    notify: @escaping @Sendable (Notice) -> Void = { _ in }
  ) {
    self.spool = spool
    self.uploader = uploader
    self.random = random
    self.notify = notify
  }

  /// Uploads until nothing is left, and waits as long as needed in between. Call it at each launch
  /// and return to the foreground, and cancel its task to end it.
  ///
  /// - Parameter sleep: Waits for seconds; throws when the task was cancelled.
  public func run(
    sleep: @Sendable (Double) async throws -> Void = { seconds in
      try await Task.sleep(nanoseconds: UInt64(seconds * 1_000_000_000))
    }
  ) async throws {
    while true {
      try Task.checkCancellation()
      switch await uploadOnce() {
      case .idle: return
      case .advanced: continue
      case .wait(let seconds): try await sleep(seconds)
      }
    }
  }

  /// Sends one request, and acts on its answer.
  public func uploadOnce() async -> Step {
    let lines: [SpooledLine]
    do {
      lines = try spool.oldest(linesMax: linesMax, bytesMax: Self.bytesMax, without: parked)
    } catch {
      notify(.spool(error))
      return wait(nil)
    }
    guard !lines.isEmpty else { return .idle }
    var body: [UInt8] = []
    for line in lines { body += line.line + [UInt8(ascii: "\n")] }
    let answer: UploadAnswer
    do {
      answer = try await uploader.upload(body)
    } catch {
      notify(.postponed("no answer: \(error)"))
      return wait(nil)
    }
    return act(on: answer, to: lines)
  }

  private func act(on answer: UploadAnswer, to lines: [SpooledLine]) -> Step {
    var reading = AnswerReading(answer, to: lines)
    if reading == AnswerReading(), answer.status != 200,
      AnswerReading.verdicts.contains(answer.status)
    {
      // The request was refused, and the answer names no line.
      if lines.count > 1 {
        linesMax = lines.count / 2
        return .advanced(acknowledged: 0, refused: 0)
      }
      let text = String(decoding: answer.body.prefix(2_000), as: UTF8.self)
      let reason = "status \(answer.status): \(text)".prefix(AnswerReading.reasonCharactersMax)
      reading.refused[lines[0].serial] = String(reason)
    }
    guard reading != AnswerReading() else {
      notify(.postponed("the server answered with status \(answer.status)"))
      return wait(answer.retryAfter)
    }
    return settle(reading, lines)
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
    backOff.reset()
    linesMax = min(Self.linesMax, linesMax * 2)
    return .advanced(acknowledged: reading.acknowledged.count, refused: refused.count)
  }

  private func wait(_ retryAfter: Double?) -> Step {
    .wait(seconds: backOff.next(retryAfter: retryAfter, random: random()))
  }
}
