import Foundation
import NIOSSL

/// The files of the service's certificate chain and of its private key.
struct TLSFiles {
  let certificate: String
  let key: String

  /// What a server with these files speaks.
  ///
  /// - Throws: `ServiceSettings.Invalid`, with the file and what is wrong with it.
  func configuration() throws(ServiceSettings.Invalid) -> TLSConfiguration {
    let chain = try Self.bytes("certificate", certificate)
    let secret = try Self.bytes("key", key)
    var tls = TLSConfiguration.makeServerConfiguration(
      certificateChain: try Self.certificates(chain, certificate),
      privateKey: .privateKey(try Self.privateKey(secret, key)))
    // Source: RFC 8996, by which TLS 1.0 and 1.1 must not be used.
    tls.minimumTLSVersion = .tlsv12
    return tls
  }

  /// What is wrong if the two cannot be used together.
  func unusable(_ error: any Error) -> ServiceSettings.Invalid {
    ServiceSettings.Invalid(
      description: "certificate \(certificate) and key \(key): expected a chain of certificates "
        + "and its private key in PEM: \(error)")
  }

  /// The library says of a file neither its name nor why it cannot be read.
  private static func bytes(
    _ name: String, _ file: String
  ) throws(ServiceSettings.Invalid) -> [UInt8] {
    do { return Array(try Data(contentsOf: URL(filePath: file))) } catch {
      throw ServiceSettings.Invalid(
        description: "\(name): \(file) cannot be read: \(reason(error)). Is the path right, and "
          + "may the user of the service read it?")
    }
  }

  private static func reason(_ error: any Error) -> String {
    let cause = (error as? CocoaError)?.underlying ?? error
    // The system's reason comes after a sentence that says nothing.
    return cause.localizedDescription.replacing("The operation could not be completed. ", with: "")
  }

  private static func certificates(
    _ bytes: [UInt8], _ file: String
  ) throws(ServiceSettings.Invalid) -> [NIOSSLCertificateSource] {
    var chain: [NIOSSLCertificateSource] = []
    do { chain = try NIOSSLCertificate.fromPEMBytes(bytes).map { .certificate($0) } } catch {
      throw ServiceSettings.Invalid(
        description: "certificate: \(file): expected certificates in PEM: \(error)")
    }
    guard chain.isEmpty else { return chain }
    throw ServiceSettings.Invalid(
      description: "certificate: \(file): expected certificates in PEM, and found none.")
  }

  private static func privateKey(
    _ bytes: [UInt8], _ file: String
  ) throws(ServiceSettings.Invalid) -> NIOSSLPrivateKey {
    // Without a passphrase, the library would ask for one at a terminal, or fail without a reason.
    // Source: RFC 7468, section 11, and RFC 1421, section 4.6.1.1, for the older form.
    let text = String(decoding: bytes, as: UTF8.self)
    guard !text.contains("BEGIN ENCRYPTED PRIVATE KEY"), !text.contains("Proc-Type: 4,ENCRYPTED")
    else {
      throw ServiceSettings.Invalid(
        description: "key: \(file) has a passphrase, and keys with one are not taken: `openssl "
          + "pkey -in FILE -out OTHER` writes it without one. Let only the service's user read "
          + "that file.")
    }
    do { return try NIOSSLPrivateKey(bytes: bytes, format: .pem) } catch {
      throw ServiceSettings.Invalid(
        description: "key: \(file): expected a private key in PEM: \(error)")
    }
  }
}
