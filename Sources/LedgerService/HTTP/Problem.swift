import HTTPTypes
import Hummingbird
import LedgerAnswers
import LedgerStore

/// Why a request was refused, as a problem document.
///
/// Source: RFC 9457.
struct Problem: Error, Sendable, Equatable {
  /// The kinds of problems. Programs look at `type`, which is `urn:daybook:problem:` and this.
  enum Kind: String, CaseIterable, Sendable {
    /// The request itself is wrong: its query, its headers or its form.
    case badRequest = "bad-request"
    case unauthenticated
    case forbidden
    case notFound = "not-found"
    case methodNotAllowed = "method-not-allowed"
    case notAcceptable = "not-acceptable"
    /// The body, or a line of it, is longer than what is taken.
    case tooLarge = "too-large"
    case unsupportedMediaType = "unsupported-media-type"
    /// A line of the body is no event.
    case invalidEvent = "invalid-event"
    /// An id is already used by an event with other content.
    case conflict
    /// The condition of an append does not hold.
    case conditionFailed = "condition-failed"
    /// A required consumption exceeds the balance.
    case notCovered = "not-covered"
    /// The ledger has not reached the position that was named.
    case positionNotReached = "position-not-reached"
    /// More requests than the service takes: try again later.
    case tooManyRequests = "too-many-requests"
    /// The disk or the ledger is full.
    case full
    /// The ledger cannot answer at the moment.
    case unavailable

    /// The usual status.
    var status: HTTPResponse.Status {
      switch self {
      case .badRequest, .invalidEvent: .badRequest
      case .unauthenticated: .unauthorized
      case .forbidden: .forbidden
      case .notFound: .notFound
      case .methodNotAllowed: .methodNotAllowed
      case .notAcceptable: .notAcceptable
      case .tooLarge: .contentTooLarge
      case .unsupportedMediaType: .unsupportedMediaType
      case .conflict, .notCovered: .conflict
      case .conditionFailed: .preconditionFailed
      case .tooManyRequests: .tooManyRequests
      case .full: .init(code: 507, reasonPhrase: "Insufficient Storage")
      case .positionNotReached, .unavailable: .serviceUnavailable
      }
    }

    /// The summary, which is the same for every problem of the kind.
    var title: String {
      switch self {
      case .badRequest: "The request is not understood."
      case .unauthenticated: "A token is needed."
      case .forbidden: "The token does not allow this."
      case .notFound: "There is no such thing."
      case .methodNotAllowed: "This address does not take the method."
      case .notAcceptable: "The answer has no such form."
      case .tooLarge: "The request is too large."
      case .unsupportedMediaType: "The body's type is not taken."
      case .invalidEvent: "The body has something that is no event."
      case .conflict: "The event contradicts the ledger."
      case .conditionFailed: "The condition does not hold."
      case .notCovered: "The balance does not cover it."
      case .positionNotReached: "The ledger has not reached the position."
      case .tooManyRequests: "There are too many requests."
      case .full: "There is no room."
      case .unavailable: "The ledger cannot answer now."
      }
    }
  }

  /// What is wrong with one line of a body.
  struct LineError: Error, Sendable, Equatable {
    /// The number of the line, or of the event in an array, from 1.
    var line: Int
    var column: Int?
    var field: String?
    var id: String?
    var reason: String
  }

  let kind: Kind
  /// What happened and what to do, in one or two sentences.
  let detail: String
  /// The lines that are wrong.
  var lines: [LineError] = []
  /// After how many seconds another try makes sense.
  var retryAfterSeconds: Int?
  /// Whether it is for those who run the service to repair. Then `detail` names no person: it is in
  /// the log.
  private(set) var isFault = false
  /// Methods that the address takes, for `Allow`.
  var allowed: [String] = []

  init(_ kind: Kind, _ detail: String) {
    self.kind = kind
    self.detail = detail
  }

  /// Something that those who run the service have to repair, such as a file that cannot be read.
  init(fault detail: String, _ kind: Kind = .unavailable, retryAfterSeconds: Int) {
    self.init(kind, detail)
    isFault = true
    self.retryAfterSeconds = retryAfterSeconds
  }

  /// The document, as `application/problem+json`.
  var response: Response {
    var json = JSONText()
    json.object { json in
      json.member("type", "urn:daybook:problem:\(kind.rawValue)")
      json.member("title", kind.title)
      json.member("status", Int(kind.status.code))
      json.member("detail", detail)
      guard !lines.isEmpty else { return }
      json.member("errors", each: lines) { json, line in
        json.object { json in
          json.member("line", line.line)
          json.member("column", line.column)
          json.member("field", line.field)
          json.member("id", line.id)
          json.member("reason", line.reason)
        }
      }
    }
    var response = Response(
      status: kind.status,
      headers: [.contentType: "application/problem+json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: json.text + "\n")))
    if let retryAfterSeconds { response.headers[.retryAfter] = "\(retryAfterSeconds)" }
    if !allowed.isEmpty { response.headers[.allow] = allowed.joined(separator: ", ") }
    if kind == .unauthenticated { response.headers[.wwwAuthenticate] = "Bearer realm=\"daybook\"" }
    return response
  }
}

extension Problem: HTTPResponseError {
  var status: HTTPResponse.Status { kind.status }

  func response(from request: Request, context: some RequestContext) -> Response { response }
}

extension Problem {
  /// How long a client should wait for what is over soon, in seconds.
  private static let soonSeconds = 1
  /// How long a client should wait for what an operator has to repair, in seconds.
  private static let laterSeconds = 30

  /// The problem that an error of the ledger is for a client.
  init(_ error: LedgerError) {
    switch error.code {
    case .conflict: self.init(.conflict, error.message)
    case .conditionFailed: self.init(.conditionFailed, error.message)
    case .notCovered: self.init(.notCovered, error.message)
    case .invalidEvent: self.init(.invalidEvent, error.message)
    case .batchTooLarge: self.init(.tooLarge, error.message)
    case .notFound: self.init(.notFound, error.message)
    case .full, .limitReached:
      self.init(fault: error.message, .full, retryAfterSeconds: Self.laterSeconds)
    case .busy, .outcomeUnknown:
      self.init(fault: error.message, retryAfterSeconds: Self.soonSeconds)
    case .noLedger, .exists, .cannotCreate, .unknownFormat, .rebuildNeeded, .io, .corrupt,
      .keysMissing, .readOnly, .closed:
      self.init(fault: error.message, retryAfterSeconds: Self.laterSeconds)
    }
  }
}
