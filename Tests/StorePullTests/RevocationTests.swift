import Foundation
import LedgerEvents
import SignedDataSamples
import SignedStoreData
import Synchronization
import Testing
import TracedProcesses

@testable import StorePull

/// A responder and the programs, with a chain that names it.
private struct Bench {
  let folder: URL
  let responder: FakeResponder
  let program: PullProgram

  var voice: ResponderVoice { responder.voice }

  init(_ recipe: ChainRecipe? = nil) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "ocsp-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    responder = try FakeResponder(in: folder)
    program = try PullProgram(try recipe ?? responder.recipe)
  }

  func end() throws { try FileManager.default.removeItem(at: folder) }

  /// Asks about files with these texts.
  func asked(_ texts: String..., format: String = "jsonl") throws -> PullProgram.Outcome {
    let files = try texts.enumerated().map { try program.file("text-\($0).json", $1) }
    return try program.run(
      try TracedProcess.executable("daybook-pull"),
      ["revocation"] + files
        + ["--root", program.folder.appending(path: "root.cer").path, "--format", format])
  }
}

/// OCSP from the signed texts to the exit code, over HTTP.
@Suite(
  "Revocation", .serialized,
  .enabled(if: ResponderVoice.hasOpenSSL, "openssl is missing: no responder to ask"))
struct RevocationTests {
  @Test("a chain is asked about once, whatever it signed and wherever it stands")
  func good() throws {
    let bench = try Bench()
    let answer = try bench.asked(
      try bench.program.transaction(1) + "\n",
      #"{"signedPayload":"\#(try bench.program.notification(2))"}"#,
      #"{"signedTransactions":["\#(try bench.program.transaction(3))"],"revision":"a.b.c"}"#)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(answer.errors.isEmpty)
    let lines = answer.output.split(separator: "\n")
    try #require(lines.count == 2)
    #expect(lines[0].hasPrefix(#"{"certificate":"leaf","subject":"CN=Leaf","serialNumber":"3a4c"#))
    #expect(lines[1].hasPrefix(#"{"certificate":"intermediate","subject":"CN=Intermediate""#))
    #expect(
      lines.allSatisfy { $0.hasSuffix(#""signedTexts":4,"answer":"good","reason":null}"#) })
    #expect(bench.voice.paths == ["Leaf", "Intermediate"])
    try bench.end()
  }

  @Test("a certificate that was revoked is named with what it signed", arguments: [0, 1])
  func revoked(_ index: Int) throws {
    let bench = try Bench()
    bench.voice.set(["Leaf", "Intermediate"][index], .revoked)
    let text = try bench.program.notification(1)
    let answer = try bench.asked(text)
    #expect(answer.status == 65)
    let lines = answer.output.split(separator: "\n")
    try #require(lines.count == 2)
    #expect(lines[index].contains(#""signedTexts":2,"answer":"revoked""#))
    #expect(lines[1 - index].contains(#""answer":"good""#))
    #expect(answer.errors.contains("do not believe the 2 signed texts"), "\(answer.errors)")
    #expect(try bench.asked(text, format: "table").output.contains("revoked"))
    try bench.end()
  }

  @Test(
    "an answer that cannot be believed proves nothing",
    arguments: ResponderVoice.Behaviour.allCases.filter { $0 != .honest && $0 != .repeating })
  func unusable(_ behaviour: ResponderVoice.Behaviour) throws {
    let bench = try Bench()
    // What cannot be believed must not be believed in this, either.
    for name in ["Leaf", "Intermediate"] { bench.voice.set(name, .revoked) }
    bench.voice.become(behaviour)
    let answer = try bench.asked(try bench.program.transaction(1))
    #expect(answer.status == 75, "\(answer.output)\(answer.errors)")
    #expect(!answer.output.contains(#""answer":"revoked""#))
    #expect(!answer.output.contains(#""answer":"good""#))
    #expect(answer.errors.contains("proves nothing"))
    #expect(!bench.voice.paths.contains("elsewhere"))
    let reasons: [ResponderVoice.Behaviour: String] = [
      .long: "more than 65536 bytes", .error: "the responder answered 503",
      .redirect: "the responder answered 302", .otherSigner: "could not validate",
      .undated: "nextUpdate", .garbage: "not usable", .slow: "not complete within 5",
    ]
    #expect(answer.errors.contains(try #require(reasons[behaviour])), "\(answer.errors)")
    try bench.end()
  }

  @Test("an answer to an earlier request is not believed") func repeated() throws {
    let bench = try Bench()
    bench.voice.become(.repeating)
    let text = try bench.program.transaction(1)
    #expect(try bench.asked(text).status == 0)
    bench.voice.set("Leaf", .revoked)
    let answer = try bench.asked(text)
    #expect(answer.status == 75)
    #expect(answer.errors.contains("nonce"), "\(answer.errors)")
    try bench.end()
  }

  @Test("a certificate that the responder does not know is neither good nor revoked")
  func unknown() throws {
    let bench = try Bench()
    bench.voice.set("Leaf", .none)
    let answer = try bench.asked(try bench.program.transaction(1))
    #expect(answer.status == 75)
    let lines = answer.output.split(separator: "\n")
    #expect(lines[0].contains(#""answer":"unanswered""#), "\(answer.output)")
    #expect(lines[1].contains(#""answer":"good""#))
    try bench.end()
  }

  @Test("a responder that is down proves nothing, and revocation outweighs it") func down() throws {
    let bench = try Bench()
    try bench.responder.stop()
    let text = try bench.program.transaction(1)
    let answer = try bench.asked(text)
    #expect(answer.status == 75)
    #expect(answer.errors.contains("connection failed"), "\(answer.errors)")
    try bench.end()
    let other = try Bench()
    other.voice.set("Leaf", .revoked)
    other.voice.set("Intermediate", .none)
    #expect(try other.asked(try other.program.transaction(1)).status == 65)
    try other.end()
  }

  @Test("nobody is asked at an address that a forger wrote") func forged() throws {
    let bench = try Bench()
    let good = try bench.program.transaction(1)
    let forged = SigningSamples.changed(Array(good.utf8), at: good.utf8.count - 9)
    let answer = try bench.asked(String(decoding: forged, as: UTF8.self))
    #expect(answer.status == 65)
    #expect(answer.errors.contains("badSignature"), "\(answer.errors)")
    var recipe = try bench.responder.recipe
    recipe.rootKeyName = "another"
    recipe.intermediateSigner = "another"
    let other = try SigningSamples(recipe).jws(SigningSamples.transaction())
    let untrusted = try bench.asked(String(decoding: other, as: UTF8.self))
    #expect(untrusted.status == 65)
    #expect(untrusted.errors.contains("untrustedRoot"), "\(untrusted.errors)")
    #expect(bench.voice.paths.isEmpty)
    try bench.end()
  }

  @Test("texts of local tests have nobody to ask, and files without texts are refused")
  func others() throws {
    let bench = try Bench()
    let local = try SigningSamples.local().jws(SigningSamples.transaction(environment: "Xcode"))
    let answer = try bench.asked(String(decoding: local, as: UTF8.self), format: "table")
    #expect(answer.status == 0)
    #expect(answer.errors.contains("1 of 1 signed texts are of local tests"))
    for text in ["{}", "", "no.signed.text", #"{"signedPayload":"a.b.c"}"#] {
      #expect(try bench.asked(text).status == 65, "\(text)")
    }
    let missing = try bench.program.run(
      try TracedProcess.executable("daybook-pull"), ["revocation", "nowhere.json"])
    #expect(missing.status == 66, "\(missing.errors)")
    #expect(bench.voice.paths.isEmpty)
    try bench.end()
  }

  // MARK: - Before an import

  @Test("an answer of a revoked signer is kept, and not imported") func refused() throws {
    let bench = try Bench()
    bench.voice.set("Leaf", .revoked)
    let text = try bench.program.transaction(1)
    bench.program.store.change { $0.history["2000000001"] = [text] }
    let refused = try bench.program.pull(
      "history", "--transaction", "2000000001", "--check-revocation")
    #expect(refused.status == 65)
    #expect(refused.errors.contains("The answer is kept in"), "\(refused.errors)")
    #expect(try bench.program.events().isEmpty)
    let asked = bench.voice.paths.count
    #expect(asked > 0)
    // The control: nobody asks who was not told to.
    let pulled = try bench.program.pull("history", "--transaction", "2000000001")
    #expect(pulled.status == 0, "\(pulled.errors)")
    #expect(try !bench.program.events().isEmpty)
    #expect(bench.voice.paths.count == asked)
    try bench.end()
  }

  @Test(
    "a signer that was found revoked stays so when the responder is silent, or is asked no more")
  func remembered() throws {
    let bench = try Bench()
    bench.voice.set("Leaf", .revoked)
    let text = try bench.program.transaction(1)
    bench.program.store.change { $0.history["2000000001"] = [text] }
    func pull() throws -> PullProgram.Outcome {
      try bench.program.pull("history", "--transaction", "2000000001", "--check-revocation")
    }
    #expect(try pull().status == 65)
    let asked = bench.voice.paths.count
    bench.voice.become(.error)
    let silent = try pull()
    #expect(silent.status == 65 && silent.errors.contains("was revoked"), "\(silent.errors)")
    #expect(try bench.program.events().isEmpty && bench.voice.paths.count == asked)
    let path =
      "\(bench.program.ledger).pull/\(SigningSamples.bundleID)/state/revoked.json"
    let noted = try String(contentsOfFile: path, encoding: .utf8)
    #expect(noted.contains(#""certificates":[{"responder":"http://127.0.0.1"#), "\(noted)")
    // What cannot be read is not guessed.
    try Data("{".utf8).write(to: URL(fileURLWithPath: path))
    let damaged = try pull()
    #expect(damaged.status == 74 && damaged.errors.contains("revoked.json"), "\(damaged.errors)")
    try bench.end()
  }

  @Test("texts are read one a line, as the import reads them") func lines() throws {
    let bench = try Bench()
    let signed = try (1...3).map { try bench.program.notification($0) }
    let wrapped = signed.map { #"{"signedPayload":"\#($0)"}"# }
    for text in [
      wrapped.joined(separator: "\n"), "\u{FEFF}" + wrapped.joined(separator: "\r\n\n") + "\n",
      signed.joined(separator: "\n"),
    ] {
      let answer = try bench.asked(text)
      #expect(answer.status == 0, "\(answer.errors)")
      #expect(answer.output.contains(#""signedTexts":6"#), "\(answer.output)")
    }
    let broken = try bench.asked(wrapped[0] + "\n{")
    #expect(broken.status == 65 && broken.errors.contains("text 2: expected"), "\(broken.errors)")
    try bench.end()
  }

  @Test("a server whose certificate nobody trusts is not asked") func untrusted() throws {
    let bench = try Bench()
    let server = try TLSServer(in: bench.folder)
    let program = try PullProgram(
      try FakeResponder.recipe(leaf: server.address, intermediate: nil))
    let file = try program.file("text.jws", try program.transaction(1))
    let answer = try program.run(
      try TracedProcess.executable("daybook-pull"),
      ["revocation", file, "--root", program.folder.appending(path: "root.cer").path])
    #expect(answer.status == 75)
    #expect(answer.errors.contains("CERTIFICATE_VERIFY_FAILED"), "\(answer.errors)")
    server.stop()
    try bench.end()
  }

  /// Runs a program where the system has no trusted roots.
  private static let rootless = [
    "--mount", "--map-root-user", "sh", "-c",
    #"""
    for folder in /etc/ssl /etc/pki; do
      if [ -d "$folder" ]; then mount -t tmpfs none "$folder" || exit 99; fi
    done
    exec "$@"
    """#, "sh",
  ]

  private static func canHideRoots() throws -> Bool {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/unshare") else { return false }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
    process.arguments = rootless + ["true"]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  @Test(
    "a system without trusted roots is said to have none",
    .enabled("needs leave to mount") { try canHideRoots() })
  func withoutRoots() throws {
    // Nobody listens there, and nobody is asked.
    let program = try PullProgram(
      try FakeResponder.recipe(leaf: "https://127.0.0.1:9/", intermediate: nil))
    let file = try program.file("text.jws", try program.transaction(1))
    let answer = try program.run(
      "/usr/bin/unshare",
      Self.rootless + [
        try TracedProcess.executable("daybook-pull"), "revocation", file, "--root",
        program.folder.appending(path: "root.cer").path,
      ])
    #expect(answer.status == 75, "\(answer.errors)")
    #expect(answer.errors.contains("no trusted roots: install ca-certificates"), "\(answer.errors)")
  }

  @Test("a fault of the network is told once, and the import goes on") func goesOn() throws {
    let bench = try Bench()
    bench.voice.become(.error)
    let texts = try (1...5).map { try bench.program.transaction($0) }
    bench.program.store.change { $0.history["2000000001"] = texts }
    let pulled = try bench.program.pull(
      "history", "--transaction", "2000000001", "--check-revocation", "--format", "jsonl")
    #expect(pulled.status == 0, "\(pulled.errors)")
    #expect(pulled.output.contains(#""pages":3"#))
    #expect(bench.voice.paths == ["Leaf", "Intermediate"])
    #expect(pulled.errors.split(separator: "\n").count == 2, "\(pulled.errors)")
    #expect(pulled.errors.contains("nobody said whether the leaf certificate"))
    #expect(try bench.program.events().contains { $0.contains("map-5") })
    let both = try bench.program.pull(
      "history", "--all", "--check-revocation", "--unverified")
    #expect(both.status == 64)
    try bench.end()
  }

  @Test("notifications of good signers are imported after one question for each certificate")
  func notifications() throws {
    let bench = try Bench()
    let all = try (1...3).map { try bench.program.notification($0) }
    bench.program.store.change { $0.notifications = all }
    let pulled = try bench.program.pull(
      "notifications", "--check-revocation",
      with: ["--app-apple-id", "\(SigningSamples.appAppleID)"])
    #expect(pulled.status == 0, "\(pulled.errors)")
    #expect(pulled.errors.isEmpty, "\(pulled.errors)")
    #expect(bench.voice.paths == ["Leaf", "Intermediate"])
    #expect(try bench.program.events().contains { $0.contains("map-3") })
    try bench.end()
  }
}

/// What is asked, without a network.
@Suite("Responders") struct ResponderTests {
  /// A network on which nobody answers.
  private final class Nobody: StoreTransport {
    private let asked = Mutex<[TransportRequest]>([])
    var requests: [TransportRequest] { asked.withLock { $0 } }

    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportAnswer {
      asked.withLock { $0.append(request) }
      throw TransportFailure("the connection failed: nobody is there")
    }
  }

  private func answers(
    _ recipe: ChainRecipe, _ transport: Nobody, asksThisMachine: Bool = false
  ) async throws -> [CertificateAnswer] {
    let samples = try SigningSamples(recipe)
    let text = try samples.jws(SigningSamples.transaction())
    let chain = try #require(try SignerChain(of: text, roots: try samples.roots))
    let check = RevocationCheck(
      transport: transport, asksThisMachine: asksThisMachine, userAgent: "test")
    return await check.answers(about: chain)
  }

  @Test(
    "only http and https are followed, and only to other machines",
    arguments: [
      (nil, "names no responder"), ("ldap://example.com/a", "http or https"),
      ("file:///etc/passwd", "http or https"), ("http://", "http or https"),
      ("http://a:b@example.com/", "http or https"), ("ocsp.example.com", "http or https"),
      ("http://example.com:99999/", "http or https"), ("http://example.com:0/", "http or https"),
      ("http://127.0.0.1:80/a", "is this machine"), ("http://LOCALHOST/", "is this machine"),
      ("https://[::1]:1/", "is this machine"), ("http://0.0.0.0/", "is this machine"),
      ("http://2130706433/", "is this machine"), ("http://0x7f.1/", "is this machine"),
      ("http://[::ffff:127.0.0.1]/", "is this machine"),
      ("http://example.com/" + String(repeating: "a", count: 2_048), "http or https"),
    ] as [(String?, String)])
  func addresses(_ address: String?, _ reason: String) async throws {
    let transport = Nobody()
    let found = try await answers(
      try FakeResponder.recipe(leaf: address, intermediate: "http://ocsp.example.com/a"), transport)
    guard case .unanswered(let said) = found[0].answer else {
      Issue.record("\(found)")
      return
    }
    #expect(said.contains(reason), "\(said)")
    #expect(found[0].responder == nil)
    #expect(transport.requests.map(\.url) == ["http://ocsp.example.com/a"])
  }

  @Test("this machine is known in whichever way its address is written") func hosts() {
    for host in [
      "localhost", "a.localhost", "LOCALHOST.", "127.0.0.1", "127.1", "127.0.1", "127.255.255.254",
      "0.0.0.0", "0", "0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001",
      "::1", "[::1]", "::", "[::]", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "[::ffff:7f00:1]",
      "::127.0.0.1", "::ffff:0.0.0.0", "::1%lo",
    ] { #expect(LocalAddress.names(host), "\(host)") }
    for host in [
      "ocsp.apple.com", "127.example.com", "128.0.0.1", "1.127.0.0", "2130706432.1", "08.0.0.1",
      "+127.0.0.1", "0x.example", "256.0.0.1", "126.255.255.255", "2001:db8::1", "1::2",
      "fe80::7f00:1", "::ffff:10.0.0.1", "::ffff:0:0:1:1:1:1:1:1", "1::2::3", "", ".",
      "localhost.a",
    ] { #expect(!LocalAddress.names(host), "\(host)") }
  }

  @Test("requests are bounded, and carry neither a token nor the signed text") func bounded()
    async throws
  {
    let transport = Nobody()
    let found = try await answers(
      try FakeResponder.recipe(leaf: "http://ocsp.example.com/a", intermediate: nil), transport)
    #expect(found.map(\.responder) == ["http://ocsp.example.com/a", nil])
    let request = try #require(transport.requests.first)
    #expect(request.headers.map(\.name) == ["Content-Type", "Accept", "User-Agent"])
    #expect(request.answerBytesMax == 64 * 1024 && request.answerSecondsMax == 5)
    #expect((request.body ?? []).count < 200)
    let check = RevocationCheck(transport: transport, asksThisMachine: false, userAgent: "test")
    for day in 10...99 {
      var recipe = try FakeResponder.recipe(
        leaf: "http://ocsp.example.com/a", intermediate: nil)
      recipe.leafDates.0 = "20\(day)-06-01T00:00:00Z"
      let samples = try SigningSamples(recipe)
      let text = try samples.jws(SigningSamples.transaction())
      let chain = try #require(try SignerChain(of: text, roots: try samples.roots))
      _ = await check.answers(about: chain)
    }
    #expect(transport.requests.count == 1 + RevocationCheck.requestsMax)
  }

  @Test("a root that names a responder is not taken for a revocation") func root() async throws {
    let transport = Nobody()
    var recipe = try FakeResponder.recipe(
      leaf: "http://ocsp.example.com/a", intermediate: "http://ocsp.example.com/b")
    recipe.moreOfRoot = recipe.moreOfLeaf
    let found = try await answers(recipe, transport)
    for answer in found {
      guard case .unanswered(let said) = answer.answer else {
        Issue.record("\(answer)")
        return
      }
      #expect(said.contains("roots must not"))
    }
    #expect(transport.requests.isEmpty)
  }
}
