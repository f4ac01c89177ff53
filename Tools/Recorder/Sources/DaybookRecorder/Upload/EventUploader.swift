/// Sends events to a ledger: `POST /v1/events`.
///
/// **The request.** The body is JSON Lines, one event a line, as `daybook append` takes them; the
/// content type is `application/x-ndjson`.
///
/// **The answer.** JSON Lines, one object for each line of the request:
/// `{"id": "…", "position": 17}` for an event that is stored, now or before, and
/// `{"id": "…", "refused": "why"}` for one that never will be. The status is 200 if all were
/// stored, and 400, 409, 413 or 422 if some were refused. An event whose `id` the answer does not
/// contain is sent again.
///
/// 429, 503 and other statuses mean *later*; `Retry-After` says when.
public protocol EventUploader: Sendable {
  /// Sends a body, and returns what the server answered. Throws if it did not answer completely.
  func upload(_ body: [UInt8]) async throws -> UploadAnswer
}

/// What a server answered.
public struct UploadAnswer: Sendable, Equatable {
  public var status: Int
  public var body: [UInt8]
  /// `Retry-After`, in seconds from now.
  public var retryAfter: Double?

  public init(status: Int, body: [UInt8] = [], retryAfter: Double? = nil) {
    self.status = status
    self.body = body
    self.retryAfter = retryAfter
  }
}
