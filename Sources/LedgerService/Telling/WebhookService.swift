import AsyncHTTPClient
import LedgerAnswers
import LedgerEvents
import LedgerStore
import Logging
import NIOPosix
import ServiceLifecycle
import Webhooks

/// Tells the receivers of webhooks what changes in the ledger: one task looks for changes, another
/// one sends what was found.
struct WebhookService: Service {
  let ledger: Ledger
  let keeper: WebhookKeeper
  let logger: Logger
  let version: String
  var clock: @Sendable () -> Instant = EventLog.systemClock
  /// How long it waits before it looks again, if there was nothing.
  var pause = Duration.milliseconds(ServiceLimits.webhookLookMilliseconds)
  /// How long connecting to a receiver may take, in seconds.
  var connectSeconds = ServiceLimits.webhookConnectSeconds
  /// How long a receiver may take to answer, in seconds.
  var answerSeconds = ServiceLimits.webhookSeconds
  /// How many messages are under way to one receiver at the same time.
  var attemptsMax = ServiceLimits.webhookAttemptsMax

  func run() async throws {
    await cancelWhenGracefulShutdown { await self.work() }
  }

  private func work() async {
    var complaint = Complaint(logger: logger)
    var isOther = false
    while !Task.isCancelled {
      do {
        if let store = try keeper.store() {
          if let lock = try TellerLock.take(ledger: keeper.ledger) {
            await tell(store)
            lock.unlock()
            return
          }
          if !isOther { logger.notice("another process delivers the webhooks of this ledger") }
          isOther = true
        }
      } catch { complaint.say("webhooks cannot be told: \(error)") }
      await wait(Duration.seconds(1))
    }
  }

  private func tell(_ store: WebhookStore) async {
    let client = MessageSender.client(
      connectSeconds: connectSeconds, connectionsMax: Webhook.countMax * attemptsMax)
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await self.find(Teller(ledger, store, clock: clock, unreadable: noteUnreadable))
      }
      group.addTask {
        await self.send(
          Outbox(ledger, store),
          MessageSender(
            client: client, userAgent: "daybook/\(version)", seconds: answerSeconds,
            connectSeconds: connectSeconds))
      }
      await group.waitForAll()
    }
    do { try await client.shutdown() } catch {
      logger.warning("the client of webhooks did not end", metadata: ["reason": "\(error)"])
    }
  }

  // MARK: - Finding

  private func noteUnreadable(_ error: LedgerError) {
    logger.error(
      "a webhook for some apps is not told about a customer whose events cannot be read",
      metadata: ["reason": "\(error)"])
  }

  private func find(_ teller: Teller) async {
    var complaint = Complaint(logger: logger)
    while !Task.isCancelled {
      do {
        let outcome = try await Self.blocking { try teller.step() }
        complaint.end()
        if outcome != .more { await wait(pause) }
      } catch {
        if Task.isCancelled { return }
        complaint.say("changes cannot be looked for: \(error)")
        await wait(.seconds(ServiceLimits.webhookRecoverySeconds))
      }
    }
  }

  // MARK: - Sending

  private enum Step {
    case ended(AttemptResult)
    case tick
  }

  private func send(_ outbox: Outbox, _ sender: MessageSender) async {
    var complaint = Complaint(logger: logger)
    var line = SendingLine()
    var lastPrune: Instant?
    await withTaskGroup(of: Step.self) { group in
      group.addTask { await self.tick(true) }
      while !Task.isCancelled, let step = await group.next() {
        if case .ended(let result) = step {
          line.end(result)
          // Some results share a commit, and the others go on meanwhile.
          if !line.isToBeNoted { continue }
        }
        do {
          let now = clock()
          let ended = line.results
          if !ended.isEmpty {
            try await Self.blocking { try outbox.note(ended, at: now) }
            line.noted(ended.count)
          }
          if Self.isToPrune(at: now, after: lastPrune) {
            let isAll = try await Self.blocking { try outbox.prune(at: now) }
            if isAll { lastPrune = now }
          }
          let (busy, limits) = (line.busy, line.limits())
          let attempts = try await Self.blocking {
            try outbox.due(at: now, except: busy) { receiver in
              limits[receiver] ?? attemptsMax
            }
          }
          for attempt in attempts {
            line.begin(attempt)
            group.addTask { .ended(await sender.send(attempt)) }
          }
          complaint.end()
        } catch {
          if Task.isCancelled { break }
          complaint.say("messages cannot be sent: \(error)")
        }
        if case .tick = step {
          let isIdle = line.isIdle
          group.addTask { await self.tick(isIdle) }
        }
      }
      group.cancelAll()
    }
    // On this thread, because those for blocking calls take nothing of a task that was cancelled.
    do { try outbox.note(line.results, at: clock()) } catch {
      // They are delivered once more, with the same ids.
      complaint.say("the last results cannot be noted: \(error)")
    }
  }

  /// Whether what ended long ago is to be forgotten: at first, once an hour, and after the clock
  /// was put back.
  static func isToPrune(at now: Instant, after last: Instant?) -> Bool {
    guard let last, last <= now else { return true }
    return now.microseconds - last.microseconds > Instant.hour
  }

  private func tick(_ isIdle: Bool) async -> Step {
    await wait(isIdle ? pause : .milliseconds(ServiceLimits.webhookBusyMilliseconds))
    return .tick
  }

  private func wait(_ duration: Duration) async {
    // The only error is that the task was cancelled, which the caller looks at.
    do { try await Task.sleep(for: duration) } catch { return }
  }

  /// Runs what blocks a thread on one that is for that.
  private static func blocking<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await NIOThreadPool.singleton.runIfActive(body)
  }
}

/// Says once what goes wrong again and again.
private struct Complaint {
  let logger: Logger
  private var last: String?

  init(logger: Logger) { self.logger = logger }

  mutating func say(_ text: String) {
    if last != text { logger.error("\(text)") }
    last = text
  }

  mutating func end() { last = nil }
}
