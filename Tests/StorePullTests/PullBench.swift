import Crypto
import Foundation
import LedgerEvents
import SignedDataSamples
import Synchronization

@testable import StorePull

/// A clock that only moves when somebody waits.
final class VirtualClock: PullClock {
  private let state: Mutex<(now: Instant, waits: [Int64])>

  init(_ start: String = "2026-03-01T12:00:00Z") {
    state = Mutex((now: SigningSamples.instant(start), waits: []))
  }

  var now: Instant { state.withLock { $0.now } }
  var waits: [Int64] { state.withLock { $0.waits } }
  var chance: Double { 1 }

  func wait(_ microseconds: Int64) async { move(microseconds, isWait: true) }

  func move(_ microseconds: Int64, isWait: Bool = false) {
    state.withLock { state in
      state.now = Instant(microseconds: state.now.microseconds + microseconds)
      if isWait { state.waits.append(microseconds) }
    }
  }
}

/// The fake store without a network.
struct FakeTransport: StoreTransport {
  static let production = "https://production.example"
  static let sandbox = "https://sandbox.example"

  let store: FakeStore

  func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportAnswer {
    let isSandbox = request.url.hasPrefix(Self.sandbox)
    let host = isSandbox ? Self.sandbox : Self.production
    let authorization = request.headers.first { $0.name == "Authorization" }?.value ?? ""
    let asked = FakeStore.request(
      request.method.rawValue, String(request.url.dropFirst(host.count)),
      authorization: authorization, body: String(decoding: request.body ?? [], as: UTF8.self))
    switch store.answer(asked, in: isSandbox ? .sandbox : .production) {
    case .whole(let status, let retryAfter, let body):
      return TransportAnswer(
        status: status, retryAfter: retryAfter, date: store.date, body: Array(body.utf8))
    case .redirect, .cut, .stalled, .dripping:
      throw TransportFailure("the connection failed: remoteConnectionClosed")
    }
  }
}

/// Notes what would be imported, each signed text once, as the ledger does.
final class NotingImporter: AnswerImporter {
  /// What happens to one import.
  enum Outcome { case imported, refused, revoked, killedBefore, killedAfter }

  private struct State {
    var texts: [String] = []
    var outcomes: [Outcome] = []
    var count = 0
    var refused: Set<String> = []
    /// The ledger's clock: another one for each ledger.
    var clock = 1
    var isThere = true
  }

  private let state = Mutex(State())

  var texts: [String] { state.withLock { $0.texts } }
  var count: Int { state.withLock { $0.count } }

  /// What happens to the next imports, one after the other.
  func next(_ outcomes: Outcome...) { state.withLock { $0.outcomes += outcomes } }

  /// What the ledger refuses from now on.
  func refuse(_ texts: Set<String>) { state.withLock { $0.refused = texts } }

  /// The ledger is an empty one, or one that was restored from before.
  func replaceLedger(keeping count: Int = 0) {
    state.withLock { state in
      state.texts = Array(state.texts.prefix(count))
      if count == 0 { state.clock += 1 }
    }
  }

  /// Somebody moves the ledger away, or back.
  func moveLedger(isThere: Bool) { state.withLock { $0.isThere = isThere } }

  func requireLedger() throws(PullError) {
    guard state.withLock({ $0.isThere }) else {
      throw PullError(.daybook(66), "there is no ledger")
    }
  }

  /// Somebody else appends.
  func append(_ text: String) { state.withLock { $0.texts.append(text) } }

  func mark(at position: Int64?) throws(PullError) -> LedgerMark? {
    state.withLock { state in
      guard state.isThere else { return nil }
      let position = position ?? Int64(state.texts.count)
      guard (1...Int64(max(state.texts.count, 1))).contains(position), !state.texts.isEmpty else {
        return nil
      }
      return LedgerMark(position: position, recordedAt: "\(state.clock)", type: "test")
    }
  }

  func importAnswer(
    _ file: String, from environment: StoreHost.Environment
  ) async throws(PullError) -> Int {
    let outcome = state.withLock { $0.outcomes.isEmpty ? .imported : $0.outcomes.removeFirst() }
    if outcome == .refused { throw PullError(.daybook(65), "refused") }
    if outcome == .revoked { throw PullError(.revoked, "the leaf was revoked") }
    if outcome == .killedBefore { throw PullError(.daybook(75), "killed") }
    let text = FileManager.default.contents(atPath: file) ?? Data()
    let found = String(decoding: text, as: UTF8.self).matches(of: /"(text-[^"]*)"/)
      .map { String($0.output.1) }
    let refused = state.withLock { $0.refused }
    if found.contains(where: refused.contains) { throw PullError(.daybook(65), "refused") }
    let added = state.withLock { state in
      state.count += 1
      let new = found.filter { !state.texts.contains($0) }
      state.texts += new
      return new.count
    }
    if outcome == .killedAfter { throw PullError(.daybook(75), "killed") }
    return added
  }
}

/// What a run said that it waits for.
final class Notices: Sendable {
  private let texts = Mutex<[String]>([])

  var all: [String] { texts.withLock { $0 } }

  func add(_ text: String) { texts.withLock { $0.append(text) } }
}

struct NoProgress: PullProgress {
  func pulled(_ subject: String, page: Int, signed: Int) {}
}

/// A store, a clock and a pull folder, and runs that use them one after the other.
final class PullBench {
  let store = FakeStore()
  let clock = VirtualClock()
  let importer = NotingImporter()
  let notices = Notices()
  let path: String

  static let customer = StoreTransactionID("2000000001")!
  static let key = SigningSamples.key("store key")

  init() {
    path = FileManager.default.temporaryDirectory.path + "/pull-\(UUID().uuidString)"
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch { print("left \(path)") }
  }

  static func tokens() throws(PullError) -> BearerTokens {
    BearerTokens(
      key: try StoreKey(file: Array(key.pemRepresentation.utf8), name: "key.p8"),
      keyID: "2X9R4HXF34", issuer: "57246542-96fe-1a63-e053-0824d011072a",
      bundleID: SigningSamples.bundleID)
  }

  func run(
    _ environments: [StoreHost.Environment] = [.production, .sandbox], keeps: Bool = false
  ) throws(PullError) -> PullRun {
    let client = StoreClient(
      transport: FakeTransport(store: store), clock: clock,
      hosts: [
        .production: try StoreHost(FakeTransport.production),
        .sandbox: try StoreHost(FakeTransport.sandbox),
      ],
      tokens: try Self.tokens(), userAgent: "test",
      notice: { [notices] in notices.add($0) })
    return PullRun(
      client: client, folder: try PullFolder(path: path, keeps: keeps), importer: importer,
      progress: NoProgress(), app: SigningSamples.bundleID, environments: environments)
  }

  /// Pulls the history of the customer in a run of its own.
  @discardableResult
  func history() async throws(PullError) -> PulledList {
    var run = try run()
    return try await run.pull(.history, Self.customer)
  }

  @discardableResult
  func notifications(
    _ filter: PullRun.NotificationFilter = PullRun.NotificationFilter()
  ) async throws(PullError) -> PulledList {
    var run = try run()
    return try await run.notifications(filter)
  }

  /// Gives the customer this many transactions.
  func fill(_ count: Int, _ environment: StoreHost.Environment = .production) {
    store.change(environment) { $0.history[Self.customer.text] = Self.texts(count) }
  }

  static func texts(_ count: Int) -> [String] { (1...count).map { "text-\($0)" } }

  func files(in folder: String) -> [String] {
    (FileManager.default.enumerator(atPath: path + "/" + folder)?.compactMap { $0 as? String } ?? [])
      .sorted()
  }
}

/// The error of a pull that must fail.
func failure<Answer>(
  _ body: () async throws(PullError) -> Answer
) async -> PullError? {
  do throws(PullError) {
    _ = try await body()
    return nil
  } catch { return error }
}
