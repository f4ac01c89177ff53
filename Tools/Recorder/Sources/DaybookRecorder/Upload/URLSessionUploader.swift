#if canImport(FoundationNetworking) || canImport(Foundation)
  public import Foundation
  #if canImport(FoundationNetworking)
    public import FoundationNetworking
  #endif

  /// Uploads by `URLSession`.
  public struct URLSessionUploader: EventUploader {
    private let url: URL
    private let session: URLSession
    private let authorization: @Sendable (_ lastStatus: Int?) async throws -> String?
    private let lastStatus = Locked<Int?>(nil)

    /// - Parameters:
    ///   - server: The server's address; `/v1/events` is added to it.
    ///   - authorization: The value of the header `Authorization`, asked for at each request. It
    ///   gets the status of the last answer, nil before the first: after a 401 the token that it
    ///   gave is not accepted any more, so get a new one.
    public init(
      server: URL, session: URLSession = .shared,
      authorization: @escaping @Sendable (_ lastStatus: Int?) async throws -> String? = { _ in nil }
    ) {
      url = server.appendingPathComponent("v1/events")
      self.session = session
      self.authorization = authorization
    }

    public func upload(_ body: [UInt8]) async throws -> UploadAnswer {
      var request = URLRequest(url: url)
      request.httpMethod = "POST"
      request.setValue("application/x-ndjson", forHTTPHeaderField: "Content-Type")
      if let value = try await authorization(lastStatus.withLock { $0 }) {
        request.setValue(value, forHTTPHeaderField: "Authorization")
      }
      request.httpBody = Data(body)
      let (data, response) = try await session.data(for: request)
      guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
      lastStatus.withLock { $0 = response.statusCode }
      let after = response.value(forHTTPHeaderField: "Retry-After")
      return UploadAnswer(
        status: response.statusCode, body: [UInt8](data),
        retryAfter: after.flatMap { RetryAfter.seconds($0, now: Date()) })
    }
  }

  /// The header `Retry-After` (RFC 9110, 10.2.3): seconds, or a date.
  enum RetryAfter {
    static func seconds(_ text: String, now: Date) -> Double? {
      let text = text.trimmingCharacters(in: .whitespaces)
      if let seconds = Double(text) { return seconds.isFinite ? max(0, seconds) : nil }
      let format = DateFormatter()
      format.locale = Locale(identifier: "en_US_POSIX")
      format.timeZone = TimeZone(identifier: "GMT")
      format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
      return format.date(from: text).map { max(0, $0.timeIntervalSince(now)) }
    }
  }
#endif
