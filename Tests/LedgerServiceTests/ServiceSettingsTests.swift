import Foundation
import Testing

@testable import LedgerService

/// What an operator says, and where.
@Suite("The service's settings") struct ServiceSettingsTests {
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appending(
      path: "daybook-settings-\(UUID().uuidString)")

    init() throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func write(_ text: String) throws -> String {
      let file = url.appending(path: "settings.json")
      try Data(text.utf8).write(to: file)
      return file.path
    }

    deinit {
      do { try FileManager.default.removeItem(at: url) } catch { print("left \(url): \(error)") }
    }
  }

  @Test("are those of the flag, else of the variable, else of the file, else the usual ones")
  func precedence() async throws {
    let folder = try Folder()
    let file = try folder.write(
      #"{"port":1,"ledger":"f","logLevel":"error","stopSeconds":7,"connections":9,"open":true}"#)
    let settings = try await ServiceSettings.read(
      flags: [.port: ["3"]],
      environment: [
        "DAYBOOK_PORT": "2", "DAYBOOK_LEDGER": "v", "DAYBOOK_LOG_LEVEL": "debug",
        "DAYBOOK_STOP_SECONDS": "8",
      ], file: file)
    #expect(settings.port == 3)
    #expect(settings.ledger == "v")
    #expect(settings.logLevel == "debug")
    #expect(settings.stopSeconds == 8)
    #expect(settings.connectionsMax == 9)
    #expect(settings.isOpen)
    #expect(settings.host == "127.0.0.1")
    #expect(settings.certificate == nil)
    let usual = try await ServiceSettings.read(flags: [:], environment: [:], file: nil)
    let unnamed = try await ServiceSettings.read(
      flags: [:], environment: ["DAYBOOK_LEDGER": ""], file: nil)
    #expect(unnamed.ledger == usual.ledger)
    #expect(usual.port == 8_470)
    #expect(usual.ledger == "./daybook.ledger")
    #expect(!usual.isOpen)
    #expect(usual.connectionsPerAddress == 256)
    #expect(usual.proxies.isEmpty)
    #expect(!usual.allowsPlaintext)
  }

  @Test("that cannot be are refused by name") func refused() async throws {
    let wrong: [([ServiceSettings.Name: String], [String: String], String)] = [
      ([.port: "65536"], [:], "port"), ([.port: "-1"], [:], "port"),
      ([.port: "http"], [:], "port"), ([:], ["DAYBOOK_PORT": "8470x"], "port"),
      ([.ledger: ""], [:], "ledger"),
      ([.open: "true", .host: "0.0.0.0"], [:], "open"),
      ([.open: "true", .host: "0.0.0.0", .plaintext: "true"], [:], "open"),
      ([.host: "0.0.0.0"], [:], "host"), ([.host: "example.com"], [:], "host"),
      ([.certificate: "c.pem"], [:], "certificate and key"),
      ([.key: "k.pem"], [:], "certificate and key"),
      ([:], ["DAYBOOK_CERTIFICATE": "c.pem"], "certificate and key"),
      ([.logLevel: "loud"], [:], "logLevel"), ([:], ["DAYBOOK_LOG_LEVEL": "loud"], "logLevel"),
      ([.connections: "0"], [:], "connections"), ([.proxies: "proxy"], [:], "proxies"),
      ([.connectionsPerAddress: "-1"], [:], "connectionsPerAddress"),
      ([:], ["DAYBOOK_PROXIES": "10.0.0.1,10.0.0"], "proxies"),
      ([.stopSeconds: "x"], [:], "stopSeconds"),
      ([:], ["DAYBOOK_OPEN": "maybe"], "open"), ([:], ["DAYBOOK_PLAINTEXT": "2"], "plaintext"),
    ]
    for (flags, environment, name) in wrong {
      let error = await #expect(throws: ServiceSettings.Invalid.self, "\(flags) \(environment)") {
        try await ServiceSettings.read(
          flags: flags.mapValues { [$0] }, environment: environment, file: nil)
      }
      #expect(error?.description.hasPrefix("\(name):") == true, "\(error?.description ?? "")")
    }
    for host in ["127.0.0.1", "localhost", "::1", "127.0.0.2"] {
      let settings = try await ServiceSettings.read(
        flags: [.host: [host], .open: ["true"]], environment: [:], file: nil)
      #expect(settings.isLoopback)
    }
  }

  @Test("of a file are refused if the file has anything else") func files() async throws {
    let folder = try Folder()
    for (text, said) in [
      (#"{"prot":1}"#, "did you mean port?"), (#"{"port":"x"}"#, "port"),
      (#"{"port":70000}"#, "port"), (#"{"logLevel":"loud"}"#, "logLevel"),
      (#"{"open":3}"#, "open"), (#"{"port":true}"#, "port"), (#"{"port":1.5}"#, "port"),
      (#"{"proxies":"10.0.0.1"}"#, "proxies"), (#"{"connectionsPerAddress":true}"#, "connections"),
      (#"{"ledger":3}"#, "ledger"), (#"{"ledger":""}"#, "ledger"), (#"{"host":true}"#, "host"),
      ("[]", "expected a JSON object"), ("{", "expected a JSON object"),
      (#"{"port":1,"port":2}"#, "port"),
    ] {
      let file = try folder.write(text)
      let error = await #expect(throws: ServiceSettings.Invalid.self, "\(text)") {
        try await ServiceSettings.read(flags: [:], environment: [:], file: file)
      }
      #expect(error?.description.contains(said) == true, "\(text): \(error?.description ?? "")")
    }
    await #expect(throws: ServiceSettings.Invalid.self) {
      try await ServiceSettings.read(flags: [:], environment: [:], file: "/nowhere/settings.json")
    }
  }

  @Test("that are wrong end the program with a status and a sentence") func program() async throws {
    for (words, status, said) in [
      (["--port", "99999"], 64, "port: expected"),
      (["--host", "0.0.0.0", "--open"], 64, "open: without tokens"),
      (["--certificate", "c.pem"], 64, "certificate and key"),
      (["--ledger", "/nowhere/at.all", "--port", "0"], 66, "/nowhere/at.all"),
      (["--prot", "1"], 64, "--prot"),
    ] as [([String], Int32, String)] {
      let ended = try BuiltProgram.run("daybook-serve", words)
      #expect(ended.status == status, "\(words): \(ended.errors)")
      #expect(ended.errors.contains(said), "\(ended.errors)")
    }
  }

  @Test(
    "do not let root serve another user's ledger",
    .enabled(if: geteuid() == 0, "only the superuser gives files away"))
  func foreignRoot() throws {
    let made = try MadeLedger()
    try FileManager.default.setAttributes([.ownerAccountID: 8470], ofItemAtPath: made.path)
    // No machine has this address, so the program ends in any case.
    let ended = try BuiltProgram.run(
      "daybook-serve",
      ["--ledger", made.path, "--host", "192.0.2.1", "--port", "0", "--plaintext"])
    #expect(ended.status == 77, "\(ended.errors)")
    #expect(ended.errors.contains("belongs to the user 8470"), "\(ended.errors)")
  }
}
