import Entitlements
import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import HummingbirdTLS
import LedgerImport
import LedgerStore
import Logging
import Metrics
import NIOCore
import NIOSSL
import PackageFiles
import ServiceAccess
import ServiceLifecycle
import SignedStoreData
import UnixSignals

/// One process that takes in events and answers questions about a ledger over HTTP.
package struct LedgerService: Sendable {
  private let settings: ServiceSettings
  private let version: String
  private let onListening: @Sendable (Int) async -> Void

  /// - Parameters:
  ///   - settings: What to listen on, and which ledger.
  ///   - version: The program's version.
  ///   - onListening: Called with the port once requests are taken.
  package init(
    _ settings: ServiceSettings, version: String,
    onListening: @escaping @Sendable (Int) async -> Void = { _ in }
  ) {
    self.settings = settings
    self.version = version
    self.onListening = onListening
  }

  /// Runs until SIGTERM or SIGINT. Requests that have begun are then answered, and what was
  /// appended is folded.
  ///
  /// - Throws: `LedgerError` if the ledger cannot be opened, ``ServiceSettings/Invalid`` for a
  ///   certificate that cannot be used, ``Failure`` if nothing can be listened to.
  package func run() async throws {
    let output = LogOutput()
    let level = Logger.Level(rawValue: settings.logLevel) ?? .info
    LoggingSystem.bootstrap { JSONLogHandler(label: $0, level: level, output: output) }
    let registry = PrometheusRegistry()
    MetricsSystem.bootstrap(PrometheusFactory(registry: registry))
    let logger = Logger(label: "daybook.serve")

    let ledger = try Ledger(at: settings.ledger, access: .readWrite)
    let work = LedgerWork(ledger)
    // Commands that append and end leave the fold to those who stay.
    let watch = LogWatch(ledger.log, logger) { ledger.foldSoon() }
    let lookups = Entitlements(ledger: ledger)
    let webhooks = WebhookKeeper(ledger: settings.ledger)
    let descriptors = FileRoom.raise()
    let room = ConnectionRoom(descriptors: descriptors, asked: settings.connectionsMax)
    room.tell(logger, descriptors: descriptors, asked: settings.connectionsMax)
    let telling = WebhookService(
      ledger: ledger, keeper: webhooks, logger: Logger(label: "daybook.webhooks"),
      version: version, attemptsMax: room.webhookAttempts)
    let routes = ServiceRoutes(
      work: work, lookups: lookups, watch: watch,
      gate: settings.isOpen
        ? .open : .tokens(TokenKeeper(TokenStore(ledger: settings.ledger))),
      rates: RateGate(settings.rate),
      answerKeys: AnswerKeyKeeper(AnswerKeyStore(ledger: settings.ledger)),
      metrics: registry, audit: Logger(label: "daybook.audit"), version: version,
      desk: try desk(), door: PageDoor(isTLS: settings.certificate != nil), webhooks: webhooks)
    let application = Application(
      router: routes.router(),
      server: try server(QuickVerdicts(routes, logger, serverName: Self.serverName)),
      configuration: ApplicationConfiguration(
        address: .hostname(settings.host, port: settings.port), serverName: Self.serverName,
        availableConnectionsDelegate: MaximumAvailableConnections(room.connections)),
      onServerRunning: { [onListening] channel in
        await onListening(channel.localAddress?.port ?? 0)
      },
      logger: logger)
    // The last service is stopped first: streams have to end before the server waits for them.
    var configuration = ServiceGroupConfiguration(
      services: [
        .init(service: application), .init(service: watch), .init(service: telling),
        .init(service: HeapTrimming()),
        .init(
          service: DiskWatch(ledger: ledger, logger: logger),
          failureTerminationBehavior: .gracefullyShutdownGroup),
      ], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(settings.stopSeconds)
    let group = ServiceGroup(configuration: configuration)
    do { try await group.run() } catch let failure as Failure {
      // The ledger cannot be written any more, or is another one by its path, so what could still
      // be folded is left for later.
      do { try await close(ledger, work, lookups, webhooks, folds: false) } catch {
        logger.error("the ledger could not be closed", metadata: ["reason": "\(error)"])
      }
      throw failure
    } catch {
      try await close(ledger, work, lookups, webhooks)
      // Whether the key is that of the certificate is only seen when the server starts.
      if error is NIOSSLError || error is BoringSSLError, let certificate = settings.certificate,
        let key = settings.key
      {
        throw TLSFiles(certificate: certificate, key: key).unusable(error)
      }
      throw Failure(description: failure(error))
    }
    try await close(ledger, work, lookups, webhooks)
  }

  /// How many threads there must be room for: those that it has under load, and some more.
  package static var threadsMin: Int {
    ServiceLimits.threadsMin
      + ServiceLimits.threadsPerCore * ProcessInfo.processInfo.activeProcessorCount
  }

  /// How many file descriptors the process must be allowed, connections included.
  package static var descriptorsMin: Int { ConnectionRoom.descriptorsMin }

  /// Whether it may have so many, once it has raised its limit.
  package static var hasDescriptors: Bool { FileRoom.raise() >= descriptorsMin }

  /// Why the service could not listen, or ended by itself.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  private func failure(_ error: any Error) -> String {
    let address = "\(settings.host), port \(settings.port)"
    switch error {
    case let error as IOError where error.errnoCode == EADDRINUSE:
      return "\(address) is used by another program: end that one, or name another --port."
    case let error as IOError:
      return "cannot serve on \(address): \(error.reasonText)."
    case is SocketAddressError, is SocketAddressError.UnknownHost:
      return "cannot serve on \(address): the host is not known here; expected a name or an "
        + "address of this machine."
    default: return "stopped on \(address): \(error)"
    }
  }

  /// What takes in notifications; nil if no app is named.
  private func desk() throws -> NotificationDesk? {
    let apps = try settings.notificationApps()
    guard !apps.isEmpty else { return nil }
    var roots = TrustedRoots.apple
    if let file = settings.roots {
      do {
        roots = try TrustedRoots(file: Array(try Data(contentsOf: URL(filePath: file))))
      } catch {
        throw ServiceSettings.Invalid(
          description: "roots: \(file): expected certificates in PEM or DER: \(error)")
      }
    }
    return NotificationDesk(
      intake: NotificationIntake(apps: apps, roots: roots),
      refused: RefusedNotifications(ledger: settings.ledger))
  }

  private func close(
    _ ledger: Ledger, _ work: LedgerWork, _ lookups: Entitlements, _ webhooks: WebhookKeeper,
    folds: Bool = true
  ) async throws {
    try await work.end()
    lookups.release()
    try webhooks.close()
    if folds { try ledger.foldBeforeLeaving() }
    try ledger.close()
  }

  private static let serverName = "daybook"

  private func server(_ verdicts: QuickVerdicts) throws -> HTTPServerBuilder {
    let idle = TimeAmount.seconds(ServiceLimits.idleSeconds)
    let http1 = HTTP1Channel.Configuration(
      additionalChannelHandlers: [QuickAnswerDoor(verdicts)], idleTimeout: idle,
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: ServiceLimits.headerBytesMax,
        maxHeaderListSize: ServiceLimits.headerBytesMax))
    let gate = ConnectionGate(
      most: settings.connectionsPerAddress > 0 ? settings.connectionsPerAddress : nil,
      proxies: settings.proxies)
    guard let certificate = settings.certificate, let key = settings.key else {
      return HTTPServerBuilder { responder in
        GuardedChannel(base: HTTP1Channel(responder: responder, configuration: http1), gate: gate)
      }
    }
    let files = TLSFiles(certificate: certificate, key: key)
    let tls = try files.configuration()
    do {
      // The files are looked at here, and not when the server starts.
      _ = try NIOSSLContext(configuration: tls)
      let streams = StreamGate(
        ofAddress: ConnectionGate(most: ServiceLimits.streamsOfAddress, proxies: settings.proxies))
      var stream = http1
      stream.additionalChannelHandlers = { [StreamLimit(streams), QuickAnswerDoor(verdicts)] }
      let http2 = HTTP2Channel.Configuration(
        idleTimeout: .seconds(ServiceLimits.idleSeconds), streamConfiguration: stream)
      return HTTPServerBuilder { responder in
        GuardedChannel(
          base: try HTTP2UpgradeChannel(
            tlsConfiguration: tls, configuration: http2, responder: responder), gate: gate)
      }
    } catch {
      throw files.unusable(error)
    }
  }
}

extension IOError {
  /// What the system says of the error.
  fileprivate var reasonText: String {
    POSIXError.Code(rawValue: errnoCode).map { POSIXError($0).localizedDescription }
      ?? "error \(errnoCode)"
  }
}
