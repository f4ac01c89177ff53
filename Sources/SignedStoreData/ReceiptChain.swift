internal import Crypto
internal import CryptoExtras
internal import LedgerEvents
internal import SwiftASN1
internal import X509

/// The certificates of a receipt and the key that signed it, verified in everything that does not
/// depend on the time.
struct ReceiptChain: Sendable {
  /// The key that signed.
  let key: _RSA.Signing.PublicKey
  private let path: CertificatePath

  /// The leaf first.
  var certificates: [SigningCertificate] { path.certificates }

  /// Whether it is the pinned certificate of local testing.
  var isLocal: Bool { path.isLocal }

  /// Finds the certificate of the signer, the one that issued it, and the trusted root.
  ///
  /// The root itself need not be in the receipt. Every certificate has to be one that can be read;
  /// those that do not lead to the root are left alone.
  init(
    _ receipt: SignedReceipt, roots: TrustedRoots, pinned: Set<CertificateFingerprint>
  ) throws(SignedDataError) {
    let sent = try Self.read(receipt.certificates)
    let signer = sent.first {
      $0.certificate.issuer == receipt.issuer && $0.certificate.serialNumber == receipt.serialNumber
    }
    guard let signer else {
      throw SignedDataError(
        .brokenChain, .leaf, "the receipt does not contain the certificate of its signer",
        remedy: SignedReceipt.takeUnchanged)
    }
    let issuer = signer.certificate.issuer
    if pinned.contains(signer.fingerprint) || issuer == signer.certificate.subject {
      path = try CertificatePath(local: signer, pinned: pinned)
      key = try Self.signingKey(of: signer, .local)
      return
    }
    let named = sent.filter { $0.certificate.subject == issuer }
    let issued = named.first { CertificatePath.isSigned(signer.certificate, by: $0) }
    guard let intermediate = issued ?? named.first else {
      throw SignedDataError(
        .brokenChain, .leaf,
        "the leaf certificate was issued by \("\(issuer)".prefix(200)), "
          + "whose certificate is not in the receipt",
        remedy: SignedReceipt.takeUnchanged)
    }
    let root = try roots.issuer(of: intermediate, sent: sent)
    path = try CertificatePath(
      leaf: signer, intermediate: intermediate, root: root, digests: .historic)
    key = try Self.signingKey(of: signer, .leaf)
  }

  /// Throws if a certificate was not valid at the time of signing, or is one with SHA-1 after their
  /// end.
  func check(at signedAt: Instant) throws(SignedDataError) { try path.check(at: signedAt) }

  private static func read(_ certificates: [[UInt8]]) throws(SignedDataError) -> [ReadCertificate] {
    var read: [ReadCertificate] = []
    for der in certificates {
      do throws(SignedDataError) { read.append(try ReadCertificate(der, .leaf)) } catch {
        // It is not known yet which one this is.
        throw SignedDataError(
          error.code,
          error.code == .tooLarge
            ? "a certificate of the receipt has more than \(certificateBytesMax) bytes"
            : "a certificate of the receipt is not X.509 in DER",
          remedy: SignedReceipt.takeUnchanged)
      }
    }
    return read
  }

  private static func signingKey(
    of read: ReadCertificate, _ role: CertificateRole
  ) throws(SignedDataError) -> _RSA.Signing.PublicKey {
    guard let key = _RSA.Signing.PublicKey(read.certificate.publicKey) else {
      throw SignedDataError(
        .wrongPurpose, role,
        "expected a key for RSA in the \(role) certificate, found "
          + String(describing: read.certificate.publicKey),
        remedy: CertificatePurpose.remedy)
    }
    return key
  }
}

extension TrustedRoots {
  /// Returns the root that issued a certificate, by its name and its key.
  ///
  /// - Parameter sent: The certificates beside it, which are only looked at to name the one that is
  ///   not trusted.
  fileprivate func issuer(
    of read: ReadCertificate, sent: [ReadCertificate]
  ) throws(SignedDataError) -> ReadCertificate {
    let name = read.certificate.issuer
    let named = roots.filter { $0.certificate.subject == name }
    let issued = named.first { CertificatePath.isSigned(read.certificate, by: $0) }
    // If none of them did, the check of the signature says so.
    if let root = issued ?? named.first { return root }
    let fingerprint = sent.first { $0.certificate.subject == name }.map {
      " (SHA-256 \($0.fingerprint))"
    }
    throw SignedDataError(
      .untrustedRoot, .root,
      "the chain ends at \("\(name)".prefix(200))\(fingerprint ?? ""), "
        + "which is not a trusted root",
      remedy: "Do not believe it, unless you know that root: then trust it, too")
  }
}
