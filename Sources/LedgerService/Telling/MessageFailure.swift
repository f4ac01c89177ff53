import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Why an attempt to send a message has failed, in words for whoever runs the service or the
/// receiver.
struct MessageFailure: Error {
  /// What happened, and what to do.
  let text: String
  /// Whether this machine had no connection to give, so that the receiver had no part in it.
  let isOwn: Bool

  init(_ text: String, isOwn: Bool = false) { (self.text, self.isOwn) = (text, isOwn) }

  /// The answer did not come in time, or not to its end.
  static func late(seconds: Int64) -> MessageFailure {
    MessageFailure(
      "the answer was not complete within \(seconds) seconds: a receiver answers first, and works "
        + "afterwards")
  }

  /// The body of the answer has no end, or nearly none.
  static let tooLong = MessageFailure(
    "the answer has more than \(ServiceLimits.webhookAnswerBytesMax) bytes: a status and a few "
      + "words are enough")

  static let withoutStatus = MessageFailure("the answer has no status from 100 to 599")

  private static let stopped = MessageFailure("the service was stopped", isOwn: true)

  private static let brokenOff = MessageFailure(
    "the receiver closed the connection before its answer was complete")

  /// - Parameters:
  ///   - error: What the client has thrown.
  ///   - seconds: How long an answer may take.
  ///   - connectSeconds: How long connecting may take.
  init(_ error: any Error, seconds: Int64, connectSeconds: Int64) {
    switch error {
    case let error as MessageFailure: self = error
    case is CancellationError: self = .stopped
    case let error as HTTPClientError: self = .of(error, seconds, connectSeconds)
    case ChannelError.connectTimeout: self = .unconnected(connectSeconds)
    case let error as NIOConnectionError:
      guard let first = error.connectionErrors.first else {
        self.init("the host \(error.host) was not found: is the name right, and does DNS know it?")
        return
      }
      self.init(first.error, seconds: seconds, connectSeconds: connectSeconds)
    case let error as IOError: self = .of(error, connectSeconds)
    case HTTPParserError.invalidEOFState, NIOSSLError.uncleanShutdown: self = .brokenOff
    case is HTTPParserError:
      self.init("the answer is not HTTP, or not well-formed: is the URL that of the receiver?")
    case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: self = .of(tls: error)
    default: self.init("the connection failed: \(Self.plain("\(error)"))")
    }
  }

  private static func unconnected(_ seconds: Int64) -> MessageFailure {
    MessageFailure(
      "no connection within \(seconds) seconds, with TLS if the URL is https: is the receiver "
        + "running, and does no firewall keep this machine out?")
  }

  private static func of(
    _ error: HTTPClientError, _ seconds: Int64, _ connectSeconds: Int64
  ) -> MessageFailure {
    switch error {
    case .deadlineExceeded, .readTimeout, .writeTimeout: late(seconds: seconds)
    case .connectTimeout: unconnected(connectSeconds)
    case .tlsHandshakeTimeout:
      MessageFailure(
        "the TLS handshake was not complete within \(connectSeconds) seconds: does the receiver "
          + "speak TLS at this port?")
    case .getConnectionFromPoolTimeout:
      MessageFailure(
        "the service had no connection to this host within \(connectSeconds) seconds, and tries "
          + "again soon",
        isOwn: true)
    case .remoteConnectionClosed, .uncleanShutdown: brokenOff
    case .cancelled: stopped
    default: MessageFailure("the request failed: \(error.shortDescription)")
    }
  }

  private static func of(_ error: IOError, _ connectSeconds: Int64) -> MessageFailure {
    switch POSIXErrorCode(rawValue: error.errnoCode) {
    case .ECONNREFUSED:
      MessageFailure(
        "the connection was refused: nothing takes connections at this host and port. Is the "
          + "receiver running?")
    case .EHOSTUNREACH, .ENETUNREACH, .EHOSTDOWN, .ENETDOWN:
      MessageFailure("this machine has no way to the receiver: look at the network and its routes")
    case .ETIMEDOUT: unconnected(connectSeconds)
    case .ECONNRESET, .EPIPE: brokenOff
    case .EMFILE, .ENFILE:
      MessageFailure(
        "the service has no file descriptor left for a connection: raise its limit (LimitNOFILE)",
        isOwn: true)
    case .EADDRNOTAVAIL, .ENOBUFS, .ENOMEM:
      MessageFailure(
        "this machine has no port or no memory left for a connection", isOwn: true)
    case let code?:
      MessageFailure("the connection failed: \(POSIXError(code).localizedDescription)")
    case nil: MessageFailure("the connection failed: error \(error.errnoCode) of the system")
    }
  }

  // MARK: - TLS

  /// NIOSSL tells BoringSSL's reasons only in its text, with the place in the source.
  private static func of(tls error: any Error) -> MessageFailure {
    if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
      return MessageFailure(
        "the receiver's certificate is for another name than the URL has: give it one for that name"
      )
    }
    // NIOSSL throws this without a reason where it finds no file or folder of roots, and looks for
    // them once in a process.
    if case BoringSSLError.unknownError(let reasons) = error, reasons.isEmpty {
      return MessageFailure(
        "this system has no trusted roots: install ca-certificates, then restart the service",
        isOwn: true)
    }
    let text = "\(error)"
    func has(_ reasons: String...) -> Bool { reasons.contains { text.contains($0) } }
    if has("CERTIFICATE_VERIFY_FAILED", "unableToValidateCertificate") {
      return MessageFailure(
        "the receiver's certificate is not trusted: it is out of date, or signed by itself or by "
          + "somebody whom this system does not know, or one between is missing. `openssl s_client "
          + "-connect HOST:PORT` says which; `apt-get install ca-certificates` renews those that "
          + "the system knows")
    }
    if has("UNSUPPORTED_PROTOCOL", "PROTOCOL_VERSION") {
      return MessageFailure(
        "the receiver speaks no TLS of version 1.2 or later, and nothing is sent by an older one")
    }
    if has("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST") {
      return MessageFailure(
        "the receiver does not speak TLS at this port: is the port that of https?")
    }
    if has("EOF during handshake", "eofDuringHandshake") {
      return MessageFailure("the receiver ended the TLS handshake: look into its log")
    }
    return MessageFailure("TLS failed: \(plain(text))")
  }

  /// An error's text without the places in the source, which say nothing to who runs the service:
  /// of BoringSSL's texts only the reason is left.
  static func plain(_ text: String) -> String {
    let reasons = text.split(separator: "OPENSSL_internal:").dropFirst().map { piece in
      String(piece.prefix { $0 != " " }).replacing("_", with: " ").lowercased()
    }
    guard reasons.isEmpty else { return reasons.joined(separator: ", ") }
    return String(text.split(separator: " at /").first ?? "")
  }
}
