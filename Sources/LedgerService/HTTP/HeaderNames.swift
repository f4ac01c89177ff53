import HTTPTypes

extension HTTPField.Name {
  /// The last position that an answer knows.
  static let positionName = named("Daybook-Position")
  /// The number of a request, which its lines in the log have, too.
  static let requestID = named("Daybook-Request")
  static let linkName = named("Link")
  static let idempotencyKey = named("Idempotency-Key")
  static let lastEventID = named("Last-Event-ID")
  static let retryAfter = named("Retry-After")
  static let traceParent = named("traceparent")
  static let contentTypeOptions = named("X-Content-Type-Options")
  static let cloudEventsVersion = named("ce-specversion")
  /// Tells proxies not to wait for more of a stream.
  static let accelBuffering = named("X-Accel-Buffering")

  private static func named(_ text: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(text) else {
      preconditionFailure("\(text) is no name of a header")
    }
    return name
  }
}
