import LedgerEvents

/// Sends requests to the store: with a token, no faster than the store allows, again if that can
/// help, and never for ever.
package struct StoreClient: Sendable {
  /// How often a request is sent before it is given up.
  package static let attemptsMax = 6
  /// How often a request is sent again because the store said that there were too many.
  package static let throttlesMax = 10
  /// The longest time that is waited because the store says so, in microseconds: the store counts
  /// by the hour.
  package static let throttleWaitMax = Instant.hour
  /// The first wait after a failure, in microseconds. Each one after it is twice as long.
  package static let backOff = Instant.second / 2
  /// The longest wait after a failure, in microseconds.
  package static let backOffMax = 30 * Instant.second
  /// Numbers below it are seconds to wait, as HTTP has them; those above are times since 1970, as
  /// the store's documentation has them.
  private static let retryAfterSecondsMax: Int64 = 1_000_000_000
  /// Numbers from there on are milliseconds since 1970, and those below are seconds since 1970: as
  /// milliseconds, they would be in 1973, and as seconds in the year 5138.
  private static let retryAfterMillisecondsMin: Int64 = 100_000_000_000

  private let transport: any StoreTransport
  package let clock: any PullClock
  private let hosts: [StoreHost.Environment: StoreHost]
  private let userAgent: String
  private var tokens: BearerTokens
  /// When the next request to an endpoint may be sent, in microseconds since 1970.
  private var nextAt: [Slot: Int64] = [:]
  /// Says what is waited for.
  let notice: @Sendable (String) -> Void

  private struct Slot: Hashable {
    let endpoint: StoreEndpoint
    let environment: StoreHost.Environment
  }

  package init(
    transport: any StoreTransport, clock: any PullClock,
    hosts: [StoreHost.Environment: StoreHost], tokens: BearerTokens, userAgent: String,
    notice: @escaping @Sendable (String) -> Void
  ) {
    (self.transport, self.clock, self.hosts) = (transport, clock, hosts)
    (self.tokens, self.userAgent, self.notice) = (tokens, userAgent, notice)
  }

  /// Sends a request until there is an answer that can be read.
  ///
  /// - Parameter read: Makes sense of an answer. One that it cannot read is asked for again.
  /// - Throws: ``PullError``.
  package mutating func answer<Answer>(
    to request: StoreRequest, in environment: StoreHost.Environment,
    read: (_ body: [UInt8]) throws(PullError) -> Answer
  ) async throws(PullError) -> Answer {
    var failures = 0
    var throttles = 0
    while true {
      let attempt = try await attempt(request, environment)
      let problem: String
      var kind = PullError.Kind.unavailable
      switch attempt {
      case .answered(let answer) where (200..<300).contains(answer.status):
        if request.endpoint == .notifications { try checkClock(answer.date) }
        do throws(PullError) { return try read(answer.body) } catch {
          guard error.kind == .malformed else { throw error }
          (problem, kind) = (error.message, .malformed)
        }
      case .answered(let answer):
        let fault = StoreFault(answer, blanked: tokens.blanked)
        problem = "the store answered \(fault.words)"
        switch fault.verdict {
        case .failed(let kind): throw error(kind, fault, environment)
        case .throttled:
          throttles += 1
          guard throttles <= Self.throttlesMax else {
            throw PullError(.throttled, "\(problem), \(throttles) times. Try again later.")
          }
          try await waitAsTold(answer.retryAfter, throttles, problem)
          continue
        case .again: break
        }
      case .failed(let failure): problem = failure.reason
      }
      failures += 1
      guard failures < Self.attemptsMax else {
        throw PullError(
          kind,
          "\(host(environment).base) gave no usable answer in \(failures) attempts; the last time, "
            + "\(problem). What was pulled is kept; try again later.")
      }
      await wait(backOff(after: failures), problem)
    }
  }

  private enum Attempt {
    case answered(TransportAnswer)
    case failed(TransportFailure)
  }

  private mutating func attempt(
    _ request: StoreRequest, _ environment: StoreHost.Environment
  ) async throws(PullError) -> Attempt {
    await keepPace(Slot(endpoint: request.endpoint, environment: environment))
    var headers = [
      (name: "Authorization", value: "Bearer \(try tokens.token(at: clock.now))"),
      (name: "Accept", value: "application/json"), (name: "User-Agent", value: userAgent),
    ]
    if request.body != nil { headers.append((name: "Content-Type", value: "application/json")) }
    let sent = TransportRequest(
      method: request.method, url: host(environment).base + request.target, headers: headers,
      body: request.body)
    do throws(TransportFailure) { return .answered(try await transport.send(sent)) } catch {
      return .failed(error)
    }
  }

  private func host(_ environment: StoreHost.Environment) -> StoreHost {
    guard let host = hosts[environment] else { preconditionFailure("both hosts are known") }
    return host
  }

  // MARK: - Waiting

  private mutating func keepPace(_ slot: Slot) async {
    let interval = slot.endpoint.interval(in: slot.environment)
    let now = clock.now.microseconds
    // A clock that was set back must not make a pull wait for hours.
    let wait = min(max((nextAt[slot] ?? now) - now, 0), interval)
    nextAt[slot] = now + wait + interval
    if wait > 0 { await clock.wait(wait) }
  }

  private func backOff(after failures: Int) -> Int64 {
    let doubled = Self.backOff << Int64(min(failures - 1, 16))
    // Half of it by chance, so that several servers do not come back at one moment.
    return Int64(Double(min(doubled, Self.backOffMax)) * (0.5 + clock.chance / 2))
  }

  private func wait(_ microseconds: Int64, _ problem: String) async {
    notice("\(problem): trying again in \(Self.seconds(microseconds))")
    await clock.wait(microseconds)
  }

  private func waitAsTold(
    _ retryAfter: String?, _ throttles: Int, _ problem: String
  ) async throws(PullError) {
    guard let text = retryAfter, let number = Int64(text.filter { $0 != " " }), number >= 0 else {
      return await wait(backOff(after: throttles), problem)
    }
    let now = clock.now.microseconds
    let told: Int64
    if number < Self.retryAfterSecondsMax {
      told = number * Instant.second
    } else {
      let unit = number < Self.retryAfterMillisecondsMin ? Instant.second : 1_000
      let (at, overflow) = number.multipliedReportingOverflow(by: unit)
      told = overflow ? .max : at - now
    }
    // A moment that is past, by a clock that is ahead for example, would be asked again at once.
    let wait = max(told, backOff(after: throttles))
    guard wait <= Self.throttleWaitMax else {
      throw PullError(
        .throttled,
        "\(problem), and asks to wait for longer than \(Self.seconds(Self.throttleWaitMax)) "
          + "(Retry-After: \(StoreFault.cut(text))). What was pulled is kept; try again later.")
    }
    await self.wait(wait, problem)
  }

  private static func seconds(_ microseconds: Int64) -> String {
    let tenths = (microseconds + Instant.second / 10 - 1) / (Instant.second / 10)
    return "\(tenths / 10).\(tenths % 10) s"
  }

  /// How far the store's clock and this one may be apart where times are asked for, in
  /// microseconds. A pull of notifications reaches back a day behind the end of the last one.
  package static let clockErrorMax = Instant.hour

  /// Ends a pull that asks for another time than it should: by a clock that is ahead, what is yet
  /// to come would count as pulled.
  private func checkClock(_ date: String?) throws(PullError) {
    guard let date, let there = Instant(httpDate: date) else { return }
    let here = clock.now
    let error = here.microseconds - there.microseconds
    guard abs(error) > Self.clockErrorMax else { return }
    throw PullError(
      .wrongClock,
      "this machine's clock says \(here.rfc3339), and the store's \(there.rfc3339): notifications "
        + "of another time than yours would be asked for. Nothing was noted as pulled. Set the "
        + "clock and pull again.")
  }

  // MARK: - Errors

  private func error(
    _ kind: PullError.Kind, _ fault: StoreFault, _ environment: StoreHost.Environment
  ) -> PullError {
    let clock =
      fault.canBeTheClock
      ? " This machine's clock says \(clock.now.rfc3339): if that is wrong, set it." : ""
    return switch kind {
    case .unauthorized:
      PullError(
        kind,
        "the store does not accept the bearer token (\(fault.words), \(environment.rawValue)). "
          + "Check that --key is the file of --key-id, a key for in-app purchases that was not "
          + "revoked, that --issuer is the issuer above the list of keys, and that --app is the "
          + "app's bundle identifier. Production also answers so for an app that was never "
          + "published."
          + clock)
    case .notFound:
      PullError(kind, "the store does not know the transaction in \(environment.rawValue).")
    default:
      PullError(kind, "the store refuses the request: \(fault.words).\(fault.advice)\(clock)")
    }
  }
}
