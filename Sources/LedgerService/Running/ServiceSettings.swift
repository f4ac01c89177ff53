import Configuration
import Foundation
import LedgerEvents
import LedgerImport
import Logging
import SystemPackage

/// What an operator can set: by a flag, by a variable of the environment, or in a file, in this
/// order.
package struct ServiceSettings: Sendable {
  /// The folder of the ledger.
  package var ledger: String
  package var host: String
  package var port: Int
  /// The files of the certificate chain and of its private key, in PEM; nil for no TLS.
  package var certificate: String?
  package var key: String?
  /// Whether the service may be reached from other machines without TLS.
  package var allowsPlaintext: Bool
  /// Whether nobody needs a token. Only for an address of this machine.
  package var isOpen: Bool
  package var logLevel: String
  /// The apps whose notifications are taken, each as a bundle id, or as that, `=` and Apple's
  /// number of the app, which production needs.
  package var apps: [String]
  /// A file with the root certificates that are believed in place of Apple's; for tests.
  package var roots: String?
  /// The most connections at the same time.
  package var connectionsMax: Int
  /// The most connections of one address; 0 for any number.
  package var connectionsPerAddress: Int
  /// The addresses of proxies, which have the connections of many clients.
  package var proxies: [String]
  /// How long requests may go on after the service was told to stop, in seconds.
  package var stopSeconds: Int
  /// How many requests a second each token may send; 0 for any number.
  package var requestsPerSecond: Int
  /// How many it may send at once; 0 for those of one second.
  package var burst: Int

  /// Why settings cannot be used.
  package struct Invalid: Error, CustomStringConvertible {
    package let description: String
  }

  /// The names of the settings, with what a flag and a variable are called after.
  package enum Name: String, CaseIterable, Sendable {
    case ledger, host, port, certificate, key, plaintext, open, apps, roots, proxies
    case logLevel, connections, connectionsPerAddress, stopSeconds, requestsPerSecond, burst
  }

  /// Reads the settings.
  ///
  /// - Parameters:
  ///   - flags: What the command line says, by name.
  ///   - environment: The variables of the process: `DAYBOOK_` and the name in capitals.
  ///   - file: A file of JSON with the names as members; nil for none.
  /// - Throws: ``Invalid``, with the setting, what was expected, and what to do.
  package static func read(
    flags: [Name: [String]], environment: [String: String], file: String?
  ) async throws(Invalid) -> ServiceSettings {
    let reader: ConfigReader
    let inFile: [String]
    do {
      var values: [AbsoluteConfigKey: ConfigValue] = [:]
      for (name, texts) in flags {
        let isList = name == .apps || name == .proxies
        let content = isList ? ConfigContent.stringArray(texts) : .string(texts.last ?? "")
        values[AbsoluteConfigKey([name.rawValue])] = ConfigValue(content, isSecret: false)
      }
      var providers: [any ConfigProvider] = [
        InMemoryProvider(name: "flags", values: values),
        EnvironmentVariablesProvider(
          // An empty variable names no ledger, as for every other command.
          environmentVariables: environment.filter { $0 != ("DAYBOOK_LEDGER", "") }
        )
        .prefixKeys(with: "daybook"),
      ]
      inFile = try file.map(Self.members) ?? []
      if let file {
        providers.append(try await FileProvider<JSONSnapshot>(filePath: FilePath(file)))
      }
      reader = ConfigReader(providers: providers)
    } catch let invalid as Invalid {
      throw invalid
    } catch let error as EventError {
      throw Invalid(description: "\(file ?? ""): expected a JSON object of settings: \(error)")
    } catch {
      throw Invalid(
        description: "\(file ?? ""): expected a JSON object of settings, and it cannot be read: "
          + error.localizedDescription)
    }
    try refuseUnknown(inFile, in: file ?? "")
    return try checked(reader)
  }

  private static func members(of file: String) throws -> [String] {
    let bytes = Array(try Data(contentsOf: URL(filePath: file)))
    guard let object = try JSONValue(document: bytes).object else {
      throw Invalid(description: "\(file): expected a JSON object of settings.")
    }
    for (name, value) in object {
      if let name = Name(rawValue: name) { try check(name, value, in: file) }
    }
    return object.map(\.name)
  }

  /// The reader takes the default for a member of another type, and 3 for `true`.
  private static func check(
    _ name: Name, _ value: JSONValue, in file: String
  ) throws(Invalid) {
    let expected: String
    switch (name, value) {
    case (.port, .number(let text)), (.connections, .number(let text)),
      (.stopSeconds, .number(let text)), (.requestsPerSecond, .number(let text)),
      (.burst, .number(let text)), (.connectionsPerAddress, .number(let text)):
      if Int(text) != nil { return }
      expected = "a whole number"
    case (.port, _), (.connections, _), (.stopSeconds, _), (.requestsPerSecond, _), (.burst, _),
      (.connectionsPerAddress, _):
      expected = "a whole number"
    case (.plaintext, .boolean), (.open, .boolean): return
    case (.plaintext, _), (.open, _): expected = "true or false"
    case (.apps, .array(let texts)), (.proxies, .array(let texts)):
      if texts.allSatisfy({ $0.string != nil }) { return }
      expected = "a list of strings"
    case (.apps, _), (.proxies, _): expected = "a list of strings"
    case (_, .string): return
    default: expected = "a string"
    }
    throw Invalid(description: "\(name.rawValue): expected \(expected) in \(file).")
  }

  private static func refuseUnknown(_ names: [String], in file: String) throws(Invalid) {
    let known = Name.allCases.map(\.rawValue)
    guard let unknown = names.first(where: { !known.contains($0) }) else { return }
    let near = Spelling.nearest(to: unknown, among: known).map { "; did you mean \($0)?" }
    throw Invalid(
      description: "\(file): there is no setting “\(unknown)”\(near ?? ".") Expected "
        + known.joined(separator: ", ") + ".")
  }

  private static func checked(_ reader: ConfigReader) throws(Invalid) -> ServiceSettings {
    let settings = ServiceSettings(
      ledger: reader.string(forKey: "ledger", default: "./daybook.ledger"),
      host: reader.string(forKey: "host", default: "127.0.0.1"),
      port: try number(reader, .port, 8_470, in: 0...65_535),
      certificate: reader.string(forKey: "certificate"), key: reader.string(forKey: "key"),
      allowsPlaintext: try flag(reader, .plaintext), isOpen: try flag(reader, .open),
      logLevel: reader.string(forKey: "logLevel", default: "info"),
      apps: reader.stringArray(forKey: "apps", default: []), roots: reader.string(forKey: "roots"),
      connectionsMax: try number(reader, .connections, 4_096, in: 1...100_000),
      connectionsPerAddress: try number(
        reader, .connectionsPerAddress, ServiceLimits.connectionsOfAddress, in: 0...100_000),
      proxies: reader.stringArray(forKey: "proxies", default: []),
      stopSeconds: try number(reader, .stopSeconds, 25, in: 0...3_600),
      requestsPerSecond: try number(reader, .requestsPerSecond, 0, in: 0...1_000_000),
      burst: try number(reader, .burst, 0, in: 0...1_000_000))
    try settings.check()
    return settings
  }

  /// A number. The texts of flags and variables are read here, because a wrong one must be refused,
  /// and the reader would take the default.
  private static func number(
    _ reader: ConfigReader, _ name: Name, _ usual: Int, in range: ClosedRange<Int>
  ) throws(Invalid) -> Int {
    let key = ConfigKey(name.rawValue)
    let found = reader.int(forKey: key) ?? reader.string(forKey: key).map { Int($0) ?? .min }
    guard let number = found else { return usual }
    guard range.contains(number) else {
      throw Invalid(
        description: "\(name.rawValue): expected a number from \(range.lowerBound) to "
          + "\(range.upperBound).")
    }
    return number
  }

  private static func flag(_ reader: ConfigReader, _ name: Name) throws(Invalid) -> Bool {
    let key = ConfigKey(name.rawValue)
    if let flag = reader.bool(forKey: key) { return flag }
    guard let text = reader.string(forKey: key), text != "false" else { return false }
    if text == "true" { return true }
    throw Invalid(description: "\(name.rawValue): expected true or false, found “\(text)”.")
  }

  private func check() throws(Invalid) {
    guard !ledger.isEmpty else {
      throw Invalid(description: "ledger: it is empty: name the ledger's folder.")
    }
    guard (certificate == nil) == (key == nil) else {
      throw Invalid(
        description: "certificate and key: TLS needs both files, so name both or neither.")
    }
    guard Logger.Level(rawValue: logLevel) != nil else {
      let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
      throw Invalid(description: "logLevel: expected one of \(levels).")
    }
    _ = try notificationApps()
    if let wrong = proxies.first(where: { ConnectionGate.plain($0) == nil }) {
      throw Invalid(
        description: "proxies: expected addresses such as 10.0.0.2 or 2001:db8::2, found "
          + "“\(wrong)”.")
    }
    guard burst == 0 || requestsPerSecond > 0 else {
      throw Invalid(
        description: "burst: it is how many requests are taken at once of those of "
          + "requestsPerSecond, so name that, too.")
    }
    if isOpen, !isLoopback {
      throw Invalid(
        description: "open: without tokens, the service can only listen on an address of this "
          + "machine, such as 127.0.0.1. Make tokens with `daybook token create`.")
    }
    if certificate == nil, !isLoopback, !allowsPlaintext {
      throw Invalid(
        description:
          "host: \(host) can be reached from other machines, and without TLS everybody on "
          + "the way can read tokens and answers. Name a certificate and its key, or say plaintext "
          + "if something in front of the service ends TLS.")
    }
  }

  /// The apps whose notifications are taken.
  ///
  /// - Throws: ``Invalid``.
  func notificationApps() throws(Invalid) -> [NotificationApp] {
    var found: [NotificationApp] = []
    for text in apps {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let number = parts.count > 1 ? Int64(parts[1]) : nil
      guard !parts[0].isEmpty, parts.count == 1 || number != nil else {
        throw Invalid(
          description: "apps: expected a bundle id, or one with Apple's number of the app, such as "
            + "com.example.tides=1234567890, found “\(text)”.")
      }
      guard !found.contains(where: { $0.bundleID == String(parts[0]) }) else {
        throw Invalid(description: "apps: \(parts[0]) is there twice.")
      }
      found.append(NotificationApp(bundleID: String(parts[0]), appAppleID: number))
    }
    return found
  }

  /// Whether only this machine can reach the service.
  var isLoopback: Bool {
    host == "localhost" || host == "::1" || host == "[::1]" || host.hasPrefix("127.")
  }
}
