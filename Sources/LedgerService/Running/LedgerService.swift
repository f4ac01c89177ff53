import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import HummingbirdTLS
import LedgerStore
import Logging
import Metrics
import NIOCore
import NIOSSL
import ServiceAccess
import ServiceLifecycle
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

  /// Runs until SIGTERM or SIGINT. Requests that have begun are then answered, and what was appended
  /// is folded.
  ///
  /// - Throws: `LedgerError` if the ledger cannot be opened, ``ServiceSettings/Invalid`` for a
  ///   certificate that cannot be used, and what listening throws.
  package func run() async throws {
    let output = LogOutput()
    let level = Logger.Level(rawValue: settings.logLevel) ?? .info
    LoggingSystem.bootstrap { JSONLogHandler(label: $0, level: level, output: output) }
    let registry = PrometheusRegistry()
    MetricsSystem.bootstrap(PrometheusFactory(registry: registry))
    let logger = Logger(label: "daybook.serve")

    let ledger = try Ledger(at: settings.ledger, access: .readWrite)
    let work = LedgerWork(ledger)
    let watch = LogWatch(ledger.log, logger)
    let routes = ServiceRoutes(
      work: work, watch: watch,
      gate: settings.isOpen
        ? .open : .tokens(TokenKeeper(TokenStore(ledger: settings.ledger))),
      metrics: registry, audit: Logger(label: "daybook.audit"), version: version)
    let application = Application(
      router: routes.router(), server: try server(),
      configuration: ApplicationConfiguration(
        address: .hostname(settings.host, port: settings.port), serverName: "daybook",
        availableConnectionsDelegate: MaximumAvailableConnections(settings.connectionsMax)),
      onServerRunning: { [onListening] channel in
        await onListening(channel.localAddress?.port ?? 0)
      },
      logger: logger)
    var configuration = ServiceGroupConfiguration(
      // The last one is stopped first. Streams of followers go on as long as the watch does, and the
      // application waits for them.
      services: [application, watch], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(settings.stopSeconds)
    let group = ServiceGroup(configuration: configuration)
    do { try await group.run() } catch {
      try await close(ledger, work)
      throw error
    }
    try await close(ledger, work)
  }

  private func close(_ ledger: Ledger, _ work: LedgerWork) async throws {
    try await work.end()
    try ledger.foldBeforeLeaving()
    try ledger.close()
  }

  private func server() throws -> HTTPServerBuilder {
    let idle = TimeAmount.seconds(ServiceLimits.idleSeconds)
    let http1 = HTTP1Channel.Configuration(
      idleTimeout: idle,
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: ServiceLimits.headerBytesMax,
        maxHeaderListSize: ServiceLimits.headerBytesMax))
    guard let certificate = settings.certificate, let key = settings.key else {
      return .http1(configuration: http1)
    }
    do {
      let tls = TLSConfiguration.makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map {
          .certificate($0)
        },
        privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
      // Whether the key is that of the certificate is only seen here.
      return try .http2Upgrade(
        tlsConfiguration: tls,
        configuration: HTTP2Channel.Configuration(
          idleTimeout: .seconds(ServiceLimits.idleSeconds), streamConfiguration: http1))
    } catch {
      throw ServiceSettings.Invalid(
        description: "certificate \(certificate) and key \(key): expected a chain of certificates "
          + "and its private key in PEM: \(error)")
    }
  }
}
