import Foundation
import Testing

@testable import StorePull

/// A server with TLS whose certificate it signed itself. `openssl s_server` answers any request.
final class TLSServer {
  private let process = Process()
  let address: String

  init(in folder: URL) throws {
    let (key, certificate) = (folder.appending(path: "tls.key"), folder.appending(path: "tls.cer"))
    let made = Process()
    made.executableURL = URL(fileURLWithPath: ResponderVoice.openSSL)
    made.arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
      key.path, "-out", certificate.path, "-days", "3650", "-subj", "/CN=localhost", "-addext",
      "subjectAltName=DNS:localhost,IP:127.0.0.1",
    ]
    made.standardError = FileHandle.nullDevice
    try made.run()
    made.waitUntilExit()
    try #require(made.terminationStatus == 0)
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: ResponderVoice.openSSL)
    process.arguments = [
      "s_server", "-accept", "127.0.0.1:0", "-cert", certificate.path, "-key", key.path, "-www",
    ]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    // It names the port that the system chose.
    var said = ""
    while !said.contains("\n") || !said.contains("ACCEPT ") {
      let bytes = output.fileHandleForReading.availableData
      try #require(!bytes.isEmpty, "openssl s_server ended")
      said += String(decoding: bytes, as: UTF8.self)
    }
    let port = try #require(said.firstMatch(of: /ACCEPT [^\n]*:([0-9]+)/))
    address = "https://127.0.0.1:\(port.output.1)/"
  }

  deinit { stop() }

  func stop() { if process.isRunning { process.terminate() } }
}
