import ArgumentParser
import Foundation
import LMDB
import LedgerAnswers
import LedgerService
import LedgerStore
import ServiceAccess
import WorkThreads

/// What starts the program, before anything in it needs a second thread.
@main
enum Start {
  @MainActor static func main() async {
    StopSignals.ignoreHangup()
    let count = LedgerService.threadsMin
    guard ThreadRoom.isFree(for: count) else {
      DaybookServe.say(
        "daybook serve: \(count) threads cannot be started: raise the limit of processes "
          + "(ulimit -u, TasksMax)")
      DaybookServe.exit(withError: ExitCode(74))
    }
    if let problem = StartWords.problem() {
      DaybookServe.say("daybook serve: \(problem)")
      DaybookServe.exit(withError: ExitCode(64))
    }
    guard LedgerService.hasDescriptors else {
      DaybookServe.say(
        "daybook serve: too few files can be open: raise their limit to "
          + "\(LedgerService.descriptorsMin) at least (ulimit -Hn, LimitNOFILE)")
      DaybookServe.exit(withError: ExitCode(74))
    }
    await DaybookServe.main()
  }
}

/// The program behind `daybook serve`.
struct DaybookServe: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "daybook-serve",
    abstract: "Takes in events and answers questions over HTTP.",
    discussion: """
      Every setting is a flag, a variable of the environment (DAYBOOK_PORT for --port) or a member \
      of a JSON file (--config). Clients need a token: `daybook token create`. SIGTERM ends it \
      after the requests that have begun. Example:

        daybook serve --ledger books.ledger --port 8470
      """)

  @Option(help: "The ledger (default: $DAYBOOK_LEDGER, else ./daybook.ledger).")
  var ledger: String?

  @Option(help: "The address to listen on (default: 127.0.0.1).")
  var host: String?

  @Option(help: "The port to listen on; 0 for any (default: 8470).")
  var port: String?

  @Option(help: ArgumentHelp("The certificate chain for TLS, in PEM.", valueName: "file"))
  var certificate: String?

  @Option(help: ArgumentHelp("The private key of the certificate, in PEM.", valueName: "file"))
  var key: String?

  @Flag(
    help: "Let other machines reach the service without TLS: something in front of it ends TLS.")
  var plaintext = false

  @Flag(help: "Ask nobody for a token; only on an address of this machine.")
  var open = false

  @Option(
    name: .customLong("app"),
    help: ArgumentHelp(
      "Take the App Store's notifications about this app: its bundle id, and after = Apple's "
        + "number of it, which production needs (repeatable).", valueName: "bundle[=number]"))
  var apps: [String] = []

  @Option(
    help: ArgumentHelp(
      "Believe these root certificates in place of Apple's; for tests.", valueName: "file"))
  var roots: String?

  @Option(
    name: .customLong("log-level"),
    help: "trace, debug, info, notice, warning, error or critical (default: info).")
  var logLevel: String?

  @Option(help: "The most connections at the same time (default: 4096).")
  var connections: String?

  @Option(
    name: .customLong("connections-per-address"),
    help: ArgumentHelp(
      "The most connections of one address, but for this machine's; 0 for any number (default: "
        + "256).", valueName: "number"))
  var connectionsPerAddress: String?

  @Option(
    name: .customLong("proxy"),
    help: ArgumentHelp(
      "The address of a proxy, which has any number of connections (repeatable).",
      valueName: "address"))
  var proxies: [String] = []

  @Option(
    name: .customLong("stop-seconds"),
    help: ArgumentHelp(
      "How long requests may go on after SIGTERM (default: 25).", valueName: "seconds"))
  var stopSeconds: String?

  @Option(
    name: .customLong("requests-per-second"),
    help: ArgumentHelp(
      "How many requests each token, and each address without one, may send (default: any number).",
      valueName: "number"))
  var requestsPerSecond: String?

  @Option(
    help: ArgumentHelp(
      "How many of them at once (default: those of one second).", valueName: "number"))
  var burst: String?

  @Option(help: ArgumentHelp("A file of settings, a JSON object.", valueName: "file"))
  var config: String?

  func run() async throws {
    do {
      let settings = try await ServiceSettings.read(
        flags: flags, environment: ProcessInfo.processInfo.environment, file: config)
      if let refusal = LedgerOwner.refusal(ledger: settings.ledger) {
        Self.say("daybook serve: \(refusal)")
        throw ExitCode(77)
      }
      Self.prepareForDamage(of: settings.ledger)
      try await LedgerService(settings, version: ProgramVersion.current) { port in
        Self.say("daybook serve: listening on \(settings.host), port \(port)")
      }.run()
    } catch let invalid as ServiceSettings.Invalid {
      Self.say("daybook serve: \(invalid.description)")
      throw ExitCode(64)
    } catch let failure as LedgerService.Failure {
      Self.say("daybook serve: \(failure.description)")
      throw ExitCode(74)
    } catch let error as LedgerError {
      Self.say("daybook serve: \(error.message)")
      throw ExitCode(error.code == .noLedger ? 66 : error.code == .busy ? 75 : 74)
    }
  }

  private var flags: [ServiceSettings.Name: [String]] {
    let stated: [ServiceSettings.Name: String?] = [
      .ledger: ledger, .host: host, .port: port, .certificate: certificate, .key: key,
      .plaintext: plaintext ? "true" : nil, .open: open ? "true" : nil, .roots: roots,
      .logLevel: logLevel, .connections: connections,
      .connectionsPerAddress: connectionsPerAddress, .stopSeconds: stopSeconds,
      .requestsPerSecond: requestsPerSecond, .burst: burst,
    ]
    var flags = stated.compactMapValues { text in text.map { [$0] } }
    if !apps.isEmpty { flags[.apps] = apps }
    if !proxies.isEmpty { flags[.proxies] = proxies }
    return flags
  }

  /// Makes a signal that a damaged page causes lead to `daybook`, which is beside this program: it
  /// checks the pages and says which ones are damaged. If it is not there, the signal ends the
  /// process as ever.
  private static func prepareForDamage(of ledger: String) {
    guard let own = Bundle.main.executablePath else { return }
    let daybook = URL(fileURLWithPath: own).deletingLastPathComponent().appending(path: "daybook")
    FaultSignals.run(daybook.path) { DamageHandover.words($0, ledger: ledger) }
  }

  fileprivate static func say(_ text: String) {
    do {
      try FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    } catch {
      // There is nowhere left to complain.
      return
    }
  }
}
