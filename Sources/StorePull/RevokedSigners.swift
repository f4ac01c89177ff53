import Foundation
import SignedStoreData

/// The certificates of which a responder said that they were revoked: they stay revoked, whether
/// somebody answers the next time or not.
package struct RevokedSigners: Sendable {
  /// How many are remembered; beyond that, the first ones are forgotten. The store signs with a few
  /// at a time.
  static let countMax = 256
  private static let versionKnown = 1

  private struct File: Codable {
    var version = versionKnown
    var certificates: [Signer] = []
  }

  private struct Signer: Codable, Equatable {
    /// The SHA-256 of the certificate.
    var sha256: String
    /// Who said so.
    var responder: String?
  }

  private let folder: PullFolder

  package init(in folder: PullFolder) { self.folder = folder }

  private var path: String { "\(folder.path)/state/\(PullFolder.revokedName)" }

  /// The certificate of a chain that was found revoked before, and who said so; nil if none was.
  ///
  /// - Throws: ``PullError``: `disk` if the file cannot be read: it must not be guessed.
  func revoked(
    in chain: SignerChain
  ) throws(PullError) -> (certificate: SigningCertificate, responder: String?)? {
    let signers = try read().certificates
    for certificate in chain.certificates {
      if let signer = signers.first(where: { $0.sha256 == certificate.fingerprint.description }) {
        return (certificate, signer.responder)
      }
    }
    return nil
  }

  func add(_ answer: CertificateAnswer) throws(PullError) {
    var file = try read()
    let signer = Signer(
      sha256: answer.certificate.fingerprint.description, responder: answer.responder)
    guard !file.certificates.contains(where: { $0.sha256 == signer.sha256 }) else { return }
    file.certificates.append(signer)
    file.certificates.removeFirst(max(file.certificates.count - Self.countMax, 0))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let json: [UInt8]
    do { json = Array(try encoder.encode(file)) + [UInt8(ascii: "\n")] } catch {
      throw PullError(.disk, "\(path) cannot be written as JSON.")
    }
    try folder.save(json, record: PullFolder.revokedName)
  }

  private func read() throws(PullError) -> File {
    guard let bytes = try folder.record(PullFolder.revokedName) else { return File() }
    let file: File?
    do { file = try JSONDecoder().decode(File.self, from: Data(bytes)) } catch { file = nil }
    if let file, file.version == Self.versionKnown { return file }
    throw PullError(
      .disk,
      "\(path) is not a list of revoked certificates that this program knows. Remove it, and the "
        + "responders are asked again.")
  }
}
