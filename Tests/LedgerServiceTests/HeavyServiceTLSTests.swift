import AsyncHTTPClient
import Crypto
import Foundation
import LedgerEvents
import NIOCore
import NIOHTTP1
import NIOSSL
import ServiceAccess
import SwiftASN1
import Testing
import X509

@testable import LedgerService

/// The service behind its own TLS.
@Suite("The service with TLS", .serialized, .timeLimit(.minutes(20))) struct HeavyServiceTLSTests {
  /// A certificate for this machine that signed itself, and its key, in PEM.
  struct Identity {
    let certificate: String
    let key: String

    /// - Parameters:
    ///   - name: Whose it is.
    ///   - seconds: From when on it is out of date.
    init(_ name: String, validFor seconds: TimeInterval = 86_400) throws {
      let key = P256.Signing.PrivateKey()
      let now = Date()
      let certificate = try Certificate(
        version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
        notValidBefore: now.addingTimeInterval(-3_600),
        notValidAfter: now.addingTimeInterval(seconds),
        issuer: DistinguishedName { CommonName(name) },
        subject: DistinguishedName { CommonName(name) }, signatureAlgorithm: .ecdsaWithSHA256,
        extensions: try Certificate.Extensions {
          Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
          SubjectAlternativeNames([
            .dnsName("localhost"), .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
          ])
        }, issuerPrivateKey: .init(key))
      self.certificate = try certificate.serializeAsPEM().pemString
      self.key = key.pemRepresentation
    }

    /// A client that trusts this certificate and no other one.
    func client(_ version: HTTPClient.Configuration.HTTPVersion) throws -> HTTPClient.Configuration
    {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)))
      var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
      configuration.httpVersion = version
      return configuration
    }

    func words(_ ledger: MadeLedger) throws -> [String] {
      [
        "--certificate", try ledger.write("certificate.pem", certificate), "--key",
        try ledger.write("key.pem", key),
      ]
    }
  }

  @Test("answers over HTTP/1.1 and over HTTP/2", arguments: [true, false])
  func versions(isHTTP2: Bool) async throws {
    let ledger = try MadeLedger()
    let identity = try Identity("Daybook's tests")
    let token = try TokenStore(ledger: ledger.path).create(
      AccessToken(name: "t", scopes: [.read, .append], createdAt: .init(microseconds: 1)))
    try await ledger.served(
      try identity.words(ledger), scheme: "https",
      client: try identity.client(isHTTP2 ? .automatic : .http1Only)
    ) { served in
      let refused = try await served.get("/v1/events")
      #expect(refused.status == 401)
      let lines = (1...50).map { Line.purchase("t\($0)", of: "ada") }
      let appended = try await served.append(lines, token: token)
      #expect(appended.status == 200)
      #expect(appended.version == (isHTTP2 ? .http2 : .http1_1))
      #expect(appended.headers["Daybook-Position"] == ["50"])
      let answers = try await withThrowingTaskGroup(of: ServedLedger.Answer.self) { group in
        for _ in 0..<20 {
          group.addTask { try await served.get("/v1/events?account=ada&count", token: token) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(answers.allSatisfy { $0.status == 200 && $0.body == "{\"count\":50}\n" })
      #expect(served.end() == 0)
    }
  }

  @Test("is not talked to by a client that does not trust its certificate") func untrusted()
    async throws
  {
    let ledger = try MadeLedger()
    let identity = try Identity("Daybook's tests")
    let other = try Identity("Somebody else")
    try await ledger.served(
      try identity.words(ledger), scheme: "https", client: try other.client(.automatic)
    ) { served in
      await #expect(throws: (any Error).self) { try await served.get("/health") }
    }
  }

  @Test("speaks no TLS before 1.2") func oldVersions() async throws {
    let ledger = try MadeLedger()
    let identity = try Identity("Daybook's tests")
    var client = try identity.client(.http1Only)
    client.tlsConfiguration?.minimumTLSVersion = .tlsv1
    client.tlsConfiguration?.maximumTLSVersion = .tlsv11
    try await ledger.served(
      try identity.words(ledger), scheme: "https", client: client
    ) { served in
      await #expect(throws: (any Error).self) { try await served.get("/health") }
    }
    client.tlsConfiguration?.maximumTLSVersion = .tlsv12
    try await ledger.served(
      try identity.words(ledger), scheme: "https", client: client
    ) { served in
      let health = try await served.get("/health")
      #expect(health.status == 200)
      #expect(served.end() == 0)
    }
  }

  @Test("is not begun with a certificate that is none, or with another one's key") func wrong()
    throws
  {
    let ledger = try MadeLedger()
    let (identity, other) = (try Identity("One"), try Identity("Another"))
    let certificate = try ledger.write("certificate.pem", identity.certificate)
    for key in [try ledger.write("other.pem", other.key), try ledger.write("no.pem", "nothing")] {
      let ended = try BuiltProgram.run(
        "daybook-serve",
        ["--ledger", ledger.path, "--port", "0", "--certificate", certificate, "--key", key])
      #expect(ended.status == 64, "\(ended.errors)")
      #expect(ended.errors.contains(key), "\(ended.errors)")
    }
  }

  @Test("names the file that cannot be read, and says that a key with a passphrase is not taken")
  func unreadable() throws {
    let ledger = try MadeLedger()
    let identity = try Identity("One")
    let certificate = try ledger.write("certificate.pem", identity.certificate)
    let key = try ledger.write("key.pem", identity.key)
    let absent = ledger.folder.appending(path: "absent.pem").path
    let encrypted = try ledger.write(
      "encrypted.pem",
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMA==\n-----END ENCRYPTED PRIVATE KEY-----\n")
    let older = try ledger.write(
      "older.pem",
      "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMA==\n"
        + "-----END RSA PRIVATE KEY-----\n")
    func problem(_ certificate: String, _ key: String) -> String {
      do throws(ServiceSettings.Invalid) {
        _ = try TLSFiles(certificate: certificate, key: key).configuration()
        return ""
      } catch { return error.description }
    }
    #expect(problem(certificate, key).isEmpty)
    for (text, name) in [
      (problem(absent, key), "certificate"), (problem(certificate, absent), "key"),
    ] {
      #expect(text.hasPrefix("\(name): \(absent) cannot be read: No such file"), "\(text)")
    }
    let none = problem(try ledger.write("none.pem", "nothing"), key)
    #expect(none.contains("none.pem: expected certificates in PEM"), "\(none)")
    for file in [encrypted, older] {
      let text = problem(certificate, file)
      #expect(text.contains(file) && text.contains("has a passphrase"), "\(text)")
    }
  }
}
