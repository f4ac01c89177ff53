import Foundation
import LedgerEvents
import SignedDataSamples
import Synchronization

@testable import StorePull

/// The App Store Server API as far as it is called, with the store's documented faults on request.
final class FakeStore: Sendable {
  struct Request: Sendable {
    var method: String
    /// The path without its query.
    var path: String
    var query: [String: String]
    var authorization: String
    var body: String
  }

  enum Answer: Sendable {
    case whole(status: Int, retryAfter: String? = nil, body: String)
    /// The answer is somewhere else, says the store.
    case redirect(String)
    /// The connection ends after this part of the body.
    case cut(String)
    /// Nothing comes after this part of the body, and the connection stays.
    case stalled(String)
    /// After this part of the body, spaces come one by one.
    case dripping(String)
  }

  /// What goes wrong once, in place of the next answer.
  enum Fault: Sendable {
    case answer(Answer)
    /// Something happens first, then the answer is given.
    case meanwhile(@Sendable () -> Void)
  }

  /// When the store sent a notification, and what it is asked for by.
  struct Sending: Sendable {
    /// In milliseconds since 1970.
    var at: Int64
    var type = "TEST"
    var isFailure = true
  }

  /// What one environment has.
  struct Contents: Sendable {
    /// Signed transactions by the transactions that customers are asked for by.
    var history: [String: [String]] = [:]
    var refunds: [String: [String]] = [:]
    /// Answers to subscription statuses.
    var statuses: [String: String] = [:]
    /// Signed payloads, the newest last.
    var notifications: [String] = []
    /// When and as what each payload was sent. A payload without any is in every answer.
    var sendings: [String: Sending] = [:]
    /// Revisions and tokens of this generation are taken; those of others are refused.
    var generation = 1
    var tokens: [String: String] = [:]
  }

  private struct State {
    var contents: [StoreHost.Environment: Contents] = [:]
    var faults: [Fault] = []
    var date: String?
    var requests: [(StoreHost.Environment, Request)] = []
  }

  private let state = Mutex(State())
  let pageSize = 2

  var requests: [(environment: StoreHost.Environment, request: Request)] {
    state.withLock { $0.requests.map { (environment: $0.0, request: $0.1) } }
  }

  func change(
    _ environment: StoreHost.Environment = .production, _ body: (inout Contents) -> Void
  ) {
    state.withLock { body(&$0.contents[environment, default: Contents()]) }
  }

  func contents(_ environment: StoreHost.Environment = .production) -> Contents {
    state.withLock { $0.contents[environment] ?? Contents() }
  }

  /// The header `Date` of its answers.
  var date: String? {
    get { state.withLock { $0.date } }
    set { state.withLock { $0.date = newValue } }
  }

  /// Lets the next requests fail, one after the other.
  func fail(_ faults: Fault...) { state.withLock { $0.faults += faults } }

  static func error(_ code: Int, status: Int = 404, _ message: String = "said the store") -> Answer
  {
    .whole(status: status, body: #"{"errorCode":\#(code),"errorMessage":"\#(message)"}"#)
  }

  func answer(_ request: Request, in environment: StoreHost.Environment) -> Answer {
    let fault: Fault? = state.withLock { state in
      state.requests.append((environment, request))
      return state.faults.isEmpty ? nil : state.faults.removeFirst()
    }
    switch fault {
    case .answer(let answer): return answer
    case .meanwhile(let body): body()
    case nil: break
    }
    return state.withLock { state in
      var contents = state.contents[environment] ?? Contents()
      defer { state.contents[environment] = contents }
      return Self.answer(request, &contents, pageSize)
    }
  }

  // MARK: - Endpoints

  private static func answer(
    _ request: Request, _ contents: inout Contents, _ pageSize: Int
  ) -> Answer {
    let subject = request.path.split(separator: "/").last.map(String.init) ?? ""
    switch (request.method, request.path) {
    case ("GET", let path) where path.hasPrefix("/inApps/v2/history/"):
      guard request.query["sort"] == "ASCENDING" else { return error(4_000_021, status: 400) }
      return page(contents.history[subject], request, contents, pageSize)
    case ("GET", let path) where path.hasPrefix("/inApps/v2/refund/lookup/"):
      return page(contents.refunds[subject], request, contents, pageSize)
    case ("GET", let path) where path.hasPrefix("/inApps/v1/subscriptions/"):
      return contents.statuses[subject].map { .whole(status: 200, body: $0) } ?? error(4_040_010)
    case ("POST", "/inApps/v1/notifications/history"):
      return notifications(request, contents, pageSize)
    case ("PUT", let path) where path.hasSuffix("/appAccountToken"):
      let original = path.split(separator: "/").dropLast().last.map(String.init) ?? ""
      guard contents.history[original] != nil else { return error(4_040_010) }
      contents.tokens[original] = request.body
      return .whole(status: 200, body: "")
    default: return .whole(status: 404, body: "<html>no such page</html>")
    }
  }

  private static func page(
    _ all: [String]?, _ request: Request, _ contents: Contents, _ pageSize: Int
  ) -> Answer {
    guard let all else { return error(4_040_010) }
    let mark = "g\(contents.generation)-"
    var start = 0
    if let revision = request.query["revision"] {
      guard revision.hasPrefix(mark), let number = Int(revision.dropFirst(mark.count)) else {
        return error(4_000_005, status: 400, "Invalid request revision.")
      }
      start = min(number, all.count)
    }
    let end = min(start + pageSize, all.count)
    let texts = all[start..<end].map { "\"\($0)\"" }.joined(separator: ",")
    return .whole(
      status: 200,
      body: #"{"revision":"\#(mark)\#(end)","hasMore":\#(end < all.count),"#
        + #""bundleId":"\#(SigningSamples.bundleID)","signedTransactions":[\#(texts)]}"#)
  }

  private static func notifications(
    _ request: Request, _ contents: Contents, _ pageSize: Int
  ) -> Answer {
    guard let asked = notifications(contents, askedFor: request.body) else {
      return error(4_000_013, status: 400, "The start date is after the end date.")
    }
    let mark = "t\(contents.generation)-"
    var start = 0
    if let token = request.query["paginationToken"] {
      guard token.hasPrefix(mark), let number = Int(token.dropFirst(mark.count)) else {
        return error(4_000_017, status: 400, "The pagination token has expired.")
      }
      start = min(number, asked.count)
    }
    let end = min(start + pageSize, asked.count)
    let entries = asked[start..<end].map {
      #"{"signedPayload":"\#($0)","sendAttempts":[{"attemptDate":1,"sendAttemptResult":"TIMED_OUT"}]}"#
    }
    let more = end < asked.count
    let token = more ? #""paginationToken":"\#(mark)\#(end)","# : ""
    return .whole(
      status: 200,
      body:
        "{\(token)\"hasMore\":\(more),\"notificationHistory\":[\(entries.joined(separator: ","))]}"
    )
  }

  /// The payloads that a body asks for; nil if it ends before it starts.
  private static func notifications(_ contents: Contents, askedFor body: String) -> [String]? {
    guard let body = try? JSONValue(json: Array(body.utf8)),
      let start = body["startDate"]?.integer, let end = body["endDate"]?.integer, start <= end
    else { return nil }
    let onlyFailures = body["onlyFailures"]?.boolean ?? false
    let type = body["notificationType"]?.string
    return contents.notifications.filter { payload in
      guard let sending = contents.sendings[payload] else { return true }
      return (start...end).contains(sending.at) && (!onlyFailures || sending.isFailure)
        && (type == nil || type == sending.type)
    }
  }

  /// Splits what follows the host in an address.
  static func request(
    _ method: String, _ target: String, authorization: String, body: String
  ) -> Request {
    let parts = target.split(separator: "?", maxSplits: 1)
    var query: [String: String] = [:]
    for pair in parts.count > 1 ? parts[1].split(separator: "&") : [] {
      let words = pair.split(separator: "=", maxSplits: 1).map(String.init)
      query[words[0]] = words.count > 1 ? words[1].removingPercentEncoding : ""
    }
    return Request(
      method: method, path: String(parts[0]), query: query, authorization: authorization,
      body: body)
  }
}
