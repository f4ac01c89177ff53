import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import SignedDataSamples
import Synchronization
import X509

/// What an OCSP responder says. `openssl ocsp` makes the answers, by an index of its own.
final class ResponderVoice: Sendable {
  /// What it does with a request.
  enum Behaviour: String, CaseIterable, Sendable {
    case honest, garbage, error, redirect, long, slow, otherSigner, undated, repeating
  }

  /// What the index says of a certificate.
  enum Entry: Sendable { case valid, revoked, none }

  struct Answer { let status: Int, headers: [(String, String)], body: [UInt8] }

  static let openSSL = "/usr/bin/openssl"
  static let hasOpenSSL = FileManager.default.isExecutableFile(atPath: openSSL)

  private struct State {
    var behaviour = Behaviour.honest
    var entries: [String: Entry] = ["Leaf": .valid, "Intermediate": .valid]
    var paths: [String] = []
    var said: [String: [UInt8]] = [:]
  }

  private let state = Mutex(State())
  private let folder: URL

  init(in folder: URL) { self.folder = folder }

  var paths: [String] { state.withLock { $0.paths } }

  func set(_ name: String, _ entry: Entry) { state.withLock { $0.entries[name] = entry } }
  func become(_ behaviour: Behaviour) { state.withLock { $0.behaviour = behaviour } }

  /// The answer to a request that came to `/Leaf` or `/Intermediate`; nil if there is none.
  func answer(_ path: String, _ request: [UInt8]) throws -> Answer? {
    let name = String(path.dropFirst())
    let (behaviour, entry, said) = state.withLock { state in
      state.paths.append(name)
      return (state.behaviour, state.entries[name] ?? .none, state.said[name])
    }
    func answer(_ status: Int, _ body: [UInt8], _ headers: [(String, String)] = []) -> Answer {
      Answer(status: status, headers: headers, body: body)
    }
    switch behaviour {
    case .slow: return nil
    case .garbage: return answer(200, Array("<html>no</html>".utf8))
    case .error: return answer(503, try made(name, request, entry))
    case .redirect:
      return answer(302, [], [("Location", "/elsewhere")])
    case .long: return answer(200, [UInt8](repeating: 0x30, count: 64 * 1024 + 1))
    case .otherSigner: return answer(200, try made(name, request, entry, isOwn: false))
    case .undated: return answer(200, try made(name, request, entry, days: nil))
    case .repeating:
      if let said { return answer(200, said) }
      fallthrough
    case .honest:
      let body = try made(name, request, entry)
      state.withLock { $0.said[name] = body }
      return answer(200, body)
    }
  }

  // MARK: - OpenSSL

  private func made(
    _ name: String, _ request: [UInt8], _ entry: Entry, isOwn: Bool = true, days: Int? = 7
  ) throws -> [UInt8] {
    let work = folder.appending(path: "ocsp-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
    func file(_ name: String) -> String { work.appending(path: name).path }
    func write(_ text: String, _ name: String) throws -> String {
      try Data(text.utf8).write(to: work.appending(path: name))
      return file(name)
    }
    let samples = try SigningSamples()
    let issuer = name == "Leaf" ? (1, "intermediate") : (2, "root")
    let signer = isOwn ? samples.der[issuer.0] : try SigningSamples.local().der[0]
    let key = SigningSamples.key(isOwn ? issuer.1 : "leaf")
    let serial = ([0x3A] + Array(name.utf8.prefix(4))).map { String(format: "%02X", $0) }.joined()
    let line =
      switch entry {
      case .valid: "V\t390101000000Z\t\t\(serial)\tunknown\t/CN=\(name)\n"
      case .revoked: "R\t390101000000Z\t240101000000Z\t\(serial)\tunknown\t/CN=\(name)\n"
      case .none: "V\t390101000000Z\t\t01\tunknown\t/CN=Another\n"
      }
    try Data(request).write(to: work.appending(path: "request"))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.openSSL)
    process.arguments =
      [
        "ocsp", "-index", try write(line, "index"),
        "-CA", try write(Self.pem(samples.der[issuer.0]), "issuer.pem"),
        "-rsigner", try write(Self.pem(signer), "signer.pem"),
        "-rkey", try write(key.pemRepresentation, "key.pem"),
        "-reqin", file("request"), "-respout", file("answer"),
      ] + (days.map { ["-ndays", "\($0)"] } ?? [])
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return [UInt8](try Data(contentsOf: work.appending(path: "answer")))
  }

  private static func pem(_ der: [UInt8]) -> String {
    "-----BEGIN CERTIFICATE-----\n"
      + Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
      + "\n-----END CERTIFICATE-----\n"
  }
}

/// The responder behind HTTP, on a port of this machine that the system chooses.
final class FakeResponder: Sendable {
  let voice: ResponderVoice
  private let channel: any Channel

  init(in folder: URL) throws {
    let voice = ResponderVoice(in: folder)
    self.voice = voice
    channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(Handler(voice))
        }
      }
      .bind(host: "127.0.0.1", port: 0).wait()
  }

  func stop() throws { try channel.close().wait() }

  /// A chain like the store's whose certificates name this responder.
  var recipe: ChainRecipe {
    get throws {
      let address = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)"
      return try Self.recipe(leaf: address + "/Leaf", intermediate: address + "/Intermediate")
    }
  }

  static func recipe(leaf: String?, intermediate: String?) throws -> ChainRecipe {
    func named(_ address: String?) throws -> [Certificate.Extension] {
      guard let address else { return [] }
      let access = AuthorityInformationAccess([
        .init(method: .ocspServer, location: .uniformResourceIdentifier(address))
      ])
      return [try Certificate.Extension(access, critical: false)]
    }
    var recipe = ChainRecipe()
    (recipe.moreOfLeaf, recipe.moreOfIntermediate) = (try named(leaf), try named(intermediate))
    return recipe
  }

  /// Collects a request and answers it.
  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let voice: ResponderVoice
    private var path = ""
    private var body: [UInt8] = []

    init(_ voice: ResponderVoice) { self.voice = voice }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head): (path, body) = (head.uri, [])
      case .body(let buffer): body += buffer.readableBytesView
      case .end:
        do {
          if let answer = try voice.answer(path, body) { send(answer, context) }
        } catch {
          // The test sees a connection that is cut.
          context.close(promise: nil)
        }
      }
    }

    private func send(_ answer: ResponderVoice.Answer, _ context: ChannelHandlerContext) {
      var headers = HTTPHeaders(answer.headers)
      headers.add(name: "Content-Type", value: "application/ocsp-response")
      headers.add(name: "Content-Length", value: "\(answer.body.count)")
      let head = HTTPResponseHead(
        version: .http1_1, status: HTTPResponseStatus(statusCode: answer.status), headers: headers)
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.write(
        wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: answer.body)))), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
  }
}
