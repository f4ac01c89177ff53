import Foundation
import HTTPTypes
import LedgerEvents
import LedgerHistories
import LedgerStore
import ServiceAccess
import Testing

@testable import LedgerService

/// Answers that an app believes without asking again.
@Suite("A signed answer of the service") struct ServiceSignedTests {
  private static let address = "/v1/entitlements?account=ada&signed=true&audience=phone-1"

  private static func run(_ body: (ServiceBench) async throws -> Void) async throws {
    try await ServiceBench.run { bench in
      _ = try await bench.append([Line.purchase("t1", of: "ada", product: "pro")])
      try await body(bench)
    }
  }

  private static func newKey(_ bench: ServiceBench) throws -> String {
    try AnswerKeyStore(ledger: bench.path).create(at: Instant(microseconds: 0)).id
  }

  /// The public keys of the set that the service has, by their ids.
  private static func keys(_ bench: ServiceBench) async throws -> [String: Data] {
    let reply = try await bench.get("/v1/keys")
    #expect(reply.header("Content-Type") == "application/jwk-set+json")
    var keys: [String: Data] = [:]
    for key in try #require(try reply.object()["keys"] as? [[String: String]]) {
      #expect(key["kty"] == "OKP" && key["crv"] == "Ed25519" && key["alg"] == "EdDSA")
      #expect(Set(key.keys) == ["kty", "crv", "x", "kid", "use", "alg"])
      keys[try #require(key["kid"])] = try decoded(try #require(key["x"]))
    }
    return keys
  }

  private static func decoded(_ text: some StringProtocol) throws -> Data {
    let standard = String(text).replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
    return try #require(Data(base64Encoded: standard + padding))
  }

  private static func claims(_ text: String) throws -> [String: Any] {
    let parts = text.split(separator: ".")
    let object = try JSONSerialization.jsonObject(with: try decoded(parts[1]))
    return try #require(object as? [String: Any])
  }

  private static func believe(
    _ text: String, _ bench: ServiceBench, account: String = "ada", device: String = "phone-1",
    nonce: String? = nil, after seconds: Double = 0, issuer: String? = nil
  ) async throws -> SignedAnswer {
    let claims = try claims(text)
    let begun = try #require(claims["iat"] as? Double)
    return try believed(
      text, keys: try await keys(bench),
      issuer: try issuer ?? #require(claims["iss"] as? String), account: account, device: device,
      nonce: nonce, now: Date(timeIntervalSince1970: begun + seconds))
  }

  @Test("is believed by an app that has the keys") func inTime() async throws {
    try await Self.run { bench in
      let id = try Self.newKey(bench)
      let reply = try await bench.get(Self.address + "&nonce=n-1&validSeconds=60")
      #expect(reply.status == 200, "\(reply.body)")
      #expect(reply.header("Content-Type") == "application/jwt")
      #expect(reply.header("Cache-Control") == "no-store")
      #expect(reply.header("Daybook-Position") == "1")
      let answer = try await Self.believe(reply.body, bench, nonce: "n-1")
      #expect(answer.answer.active == ["pro"])
      let claims = try Self.claims(reply.body)
      #expect(try #require(claims["iss"] as? String).hasPrefix("urn:daybook:ledger:"))
      #expect(claims["question"] as? String == "entitlements")
      #expect(claims["position"] as? Int == 1)
      let (iat, exp) = (claims["iat"] as? Int ?? 0, claims["exp"] as? Int ?? 0)
      #expect(exp == iat + 60)
      let plain = try await bench.get("/v1/entitlements?account=ada").object()
      let signed = try #require(claims["answer"] as? [String: Any])
      #expect(Set(signed.keys) == Set(plain.keys))
      let header = try Self.decoded(try #require(reply.body.split(separator: ".").first))
      #expect(
        String(decoding: header, as: UTF8.self)
          == #"{"alg":"EdDSA","typ":"daybook-answer+jwt","kid":"\#(id)"}"#)
    }
  }

  @Test("is not believed when it is another's, old, or changed") func others() async throws {
    try await Self.run { bench in
      _ = try Self.newKey(bench)
      let text = try await bench.get(Self.address + "&nonce=n-1&validSeconds=60").body
      _ = try await Self.believe(text, bench, after: 59)
      await #expect(throws: NotBelieved.self) {
        try await Self.believe(text, bench, account: "bob")
      }
      await #expect(throws: NotBelieved.self) {
        try await Self.believe(text, bench, device: "phone-2")
      }
      await #expect(throws: NotBelieved.self) { try await Self.believe(text, bench, nonce: "n-2") }
      await #expect(throws: NotBelieved.self) { try await Self.believe(text, bench, after: 60) }
      await #expect(throws: NotBelieved.self) { try await Self.believe(text, bench, issuer: "x") }
      let parts = text.split(separator: ".")
      let payload = String(decoding: try Self.decoded(parts[1]), as: UTF8.self)
      let forged = payload.replacing("\"pro\"", with: "\"all\"")
      try #require(forged != payload)
      let changed = [
        String(parts[0]), Base64URL.encode(Array(forged.utf8)), String(parts[2]),
      ].joined(separator: ".")
      await #expect(throws: NotBelieved.self) { try await Self.believe(changed, bench) }
    }
  }

  @Test("ends when the answer changes by itself") func ends() async throws {
    try await ServiceBench.run { bench in
      _ = try Self.newKey(bench)
      let end = EventLog.systemClock().adding(seconds: 3_600)
      let subscription =
        #"{"id":"s","type":"transaction.purchased","occurredAt":"2026-02-01T12:00:00Z","#
        + #""transaction":"s1","product":"month","account":"ada","data":{"expiresAt":""#
        + end.rfc3339 + #""}}"#
      #expect(try await bench.append([subscription]).status == 200)
      for question in ["entitlements?", "verdict?product=month&"] {
        let reply = try await bench.get(
          "/v1/\(question)account=ada&signed&audience=a&validSeconds=86400")
        #expect(reply.status == 200, "\(reply.body)")
        let claims = try Self.claims(reply.body)
        #expect(claims["exp"] as? Int64 == end.microseconds / 1_000_000, "\(claims)")
      }
    }
  }

  @Test("is there for verdicts, too") func verdict() async throws {
    try await Self.run { bench in
      _ = try Self.newKey(bench)
      let reply = try await bench.get(
        "/v1/verdict?account=ada&product=pro&signed=true&audience=phone-1&nonce=n")
      let claims = try Self.claims(reply.body)
      #expect(claims["question"] as? String == "verdict")
      #expect((claims["answer"] as? [String: Any])?["verdict"] as? String == "yes")
      #expect(claims["exp"] as? Int == (claims["iat"] as? Int ?? 0) + 86_400)
    }
  }

  @Test("of a retired key is believed, and of a removed one no more") func rotation() async throws {
    try await Self.run { bench in
      let first = try Self.newKey(bench)
      let old = try await bench.get(Self.address).body
      let second = try Self.newKey(bench)
      let new = try await bench.get(Self.address).body
      #expect(try await Set(Self.keys(bench).keys) == [first, second])
      _ = try await Self.believe(old, bench)
      _ = try await Self.believe(new, bench)
      let file = try String(
        contentsOfFile: bench.path + "/service/answer-keys.json", encoding: .utf8)
      #expect(file.ranges(of: "\"seed\"").count == 1, "the private half of the first is forgotten")
      _ = try AnswerKeyStore(ledger: bench.path).remove(String(first.prefix(8)))
      await #expect(throws: NotBelieved.self) { try await Self.believe(old, bench) }
      _ = try await Self.believe(new, bench)
    }
  }

  @Test("needs a key, and what makes it one device's") func refused() async throws {
    try await Self.run { bench in
      let none = try await bench.get(Self.address)
      #expect(none.problem == "unavailable")
      #expect(none.body.contains("daybook answer-key new"))
      #expect(try await Self.keys(bench).isEmpty)
      _ = try Self.newKey(bench)
      let long = String(repeating: "n", count: 257)
      for address in [
        "/v1/entitlements?account=ada&signed=true", "/v1/entitlements?account=ada&audience=a",
        "/v1/entitlements?transaction=t1&signed=true&audience=a", Self.address + "&at=2026-01-01",
        Self.address + "&asOf=1", Self.address + "&format=json", Self.address + "&nonce=\(long)",
        Self.address + "&validSeconds=0", Self.address + "&validSeconds=2678401",
        "/v1/verdict?account=ada&product=pro&signed=true",
        "/v1/verdict?account=ada&product=pro&nonce=a",
      ] {
        let reply = try await bench.get(address)
        #expect(reply.problem == "bad-request", "\(address): \(reply.body)")
      }
    }
  }

  @Test("is nobody's but the account's of the token") func restricted() async throws {
    try await ServiceBench.run(.guarded) { bench in
      _ = try Self.newKey(bench)
      let token = try bench.token("bob", [.read], account: "bob")
      #expect(try await bench.get(Self.address, token: token).problem == "forbidden")
      #expect(try await bench.get(Self.address).problem == "unauthenticated")
      let own = Self.address.replacing("ada", with: "bob")
      #expect(try await bench.get(own, token: token).status == 200)
      #expect(try await bench.get("/v1/keys").status == 200)
    }
  }

  @Test("is verified by the code in the documentation, and by OpenSSL") func documented()
    async throws
  {
    let root = try #require(packageRoot())
    let page = try String(
      contentsOf: root.appending(path: "docs/service.md"), encoding: .utf8)
    let source = try String(
      contentsOf: root.appending(path: "Tests/LedgerServiceTests/AnswerVerification.swift"),
      encoding: .utf8)
    let shown = try #require(source.range(of: "/// What a signed answer says"))
    #expect(page.contains(source[shown.lowerBound...]))
    let script = try #require(
      page.firstMatch(of: /(?s)```sh\n(# Verifies a signed answer.*?)```/)?.output.1)
    try await Self.run { bench in
      _ = try Self.newKey(bench)
      _ = try Self.newKey(bench)
      let folder = FileManager.default.temporaryDirectory.appending(
        path: "signed-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let text = try await bench.get(Self.address).body
      let printed = try BuiltProgram.run(
        "daybook", ["answer-key", "list", "--format", "json", "--ledger", bench.path])
      #expect(try await bench.get("/v1/keys").body == printed.output)
      let changed = text.dropLast(8) + "AAAAAAAA"
      for (answer, isBelieved) in [(text, true), (String(changed), false)] {
        try Data(answer.utf8).write(to: folder.appending(path: "answer.jwt"))
        try Data(printed.output.utf8).write(to: folder.appending(path: "keys.json"))
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/bash")
        shell.arguments = ["-c", "set -e\n" + String(script)]
        shell.currentDirectoryURL = folder
        let output = Pipe()
        shell.standardOutput = output
        shell.standardError = output
        try shell.run()
        let said = String(
          decoding: try #require(try output.fileHandleForReading.readToEnd()), as: UTF8.self)
        shell.waitUntilExit()
        #expect((shell.terminationStatus == 0) == isBelieved, "\(said)")
        #expect(said.contains("\"active\":[\"pro\"]") == isBelieved, "\(said)")
      }
      try FileManager.default.removeItem(at: folder)
    }
  }
}

extension Instant {
  fileprivate func adding(seconds: Int64) -> Instant {
    Instant(microseconds: microseconds + seconds * 1_000_000)
  }
}
