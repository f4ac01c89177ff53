package import LedgerEvents

/// A request with its address and headers.
package struct TransportRequest: Sendable {
  package var method: StoreRequest.Method
  package var url: String
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]?
  /// The largest answer that is read, in bytes.
  package var answerBytesMax = PullFolder.answerBytesMax
  /// How long a whole answer may take, in seconds; nil for as long as any.
  package var answerSecondsMax: Int64?
}

/// What came back, whole.
package struct TransportAnswer: Sendable {
  package var status: Int
  /// The value of the header `Retry-After`.
  package var retryAfter: String?
  /// The value of the header `Date`: the server's clock.
  package var date: String?
  package var body: [UInt8]

  package init(status: Int, retryAfter: String? = nil, date: String? = nil, body: [UInt8]) {
    (self.status, self.retryAfter, self.date, self.body) = (status, retryAfter, date, body)
  }
}

/// Why there is no answer: the connection failed, or the answer is too long.
package struct TransportFailure: Error, Sendable {
  package let reason: String

  package init(_ reason: String) { self.reason = reason }
}

/// Sends requests. Tests have one without a network.
package protocol StoreTransport: Sendable {
  /// Sends a request once, and returns the answer if it came completely.
  func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportAnswer
}

/// The clock and the chance that a pull depends on.
package protocol PullClock: Sendable {
  var now: Instant { get }

  /// Waits for a number of microseconds.
  func wait(_ microseconds: Int64) async

  /// A random number from 0 up to 1.
  var chance: Double { get }
}
