import Foundation
import Testing

@testable import DaybookRecorder

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Answers requests of `URLSession` without a network.
private final class CannedAnswers: URLProtocol {
  /// The request that came last.
  static let request = Locked<URLRequest?>(nil)

  override class func canInit(with request: URLRequest) -> Bool { true }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
  override func stopLoading() {}

  override func startLoading() {
    Self.request.withLock { $0 = request }
    guard let url = request.url,
      let response = HTTPURLResponse(
        url: url, statusCode: 429, httpVersion: "HTTP/1.1",
        headerFields: ["Retry-After": "17", "Content-Type": "application/x-ndjson"])
    else { return }
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: Data(#"{"id":"1","position":9}"#.utf8))
    client?.urlProtocolDidFinishLoading(self)
  }
}

@Suite("The upload by URLSession") struct URLSessionTests {
  @Test("posts to /v1/events, and reads status, body and Retry-After") func posts() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [CannedAnswers.self]
    let server = try #require(URL(string: "https://ledger.example/books"))
    let uploader = URLSessionUploader(
      server: server, session: URLSession(configuration: configuration),
      authorization: { last in last.map { "Bearer new, after \($0)" } ?? "Bearer secret" })
    let answer = try await uploader.upload([UInt8]("{}\n".utf8))
    #expect(
      answer
        == UploadAnswer(
          status: 429, body: [UInt8](#"{"id":"1","position":9}"#.utf8), retryAfter: 17))
    let request = try #require(CannedAnswers.request.withLock { $0 })
    #expect(request.httpMethod == "POST")
    #expect(request.url?.absoluteString == "https://ledger.example/books/v1/events")
    #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer secret")
    #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-ndjson")
    // A token is renewed by what the last answer was.
    _ = try await uploader.upload([UInt8]("{}\n".utf8))
    let second = try #require(CannedAnswers.request.withLock { $0 })
    #expect(second.value(forHTTPHeaderField: "Authorization") == "Bearer new, after 429")
  }
}
