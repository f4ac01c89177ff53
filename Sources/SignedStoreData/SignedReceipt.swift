internal import Crypto
internal import CryptoExtras
internal import SwiftASN1
internal import X509

/// The signed data of an app receipt, taken apart and not verified: PKCS#7 in DER or BER.
///
/// Source: RFC 2315 and RFC 5652, 5. Of what the format allows, this reads what the store and Xcode
/// write: one signer, named by issuer and serial number, no signed attributes, and the content
/// inside.
struct SignedReceipt {
  /// What is signed: the attributes of the receipt.
  let content: [UInt8]
  /// The certificates in DER, in any order.
  let certificates: [[UInt8]]
  /// Who issued the signer's certificate.
  let issuer: DistinguishedName
  /// The serial number of the signer's certificate.
  let serialNumber: Certificate.SerialNumber
  let digest: Digest
  /// PKCS#1, version 1.5 (RFC 8017, 8.2).
  let signature: [UInt8]

  /// The digest that is signed.
  enum Digest: String {
    /// Until 2023, and in old versions of apps until 2025.
    case sha1 = "SHA-1"
    case sha256 = "SHA-256"

    fileprivate static let identifiers: [ASN1ObjectIdentifier: Digest] = [
      [1, 3, 14, 3, 2, 26]: .sha1, [2, 16, 840, 1, 101, 3, 4, 2, 1]: .sha256,
    ]

    /// The algorithms by which a signature of this digest can be named: `rsaEncryption`, or the
    /// digest together with it.
    fileprivate var signatures: [ASN1ObjectIdentifier] {
      let own: ASN1ObjectIdentifier =
        self == .sha1 ? [1, 2, 840, 113_549, 1, 1, 5] : [1, 2, 840, 113_549, 1, 1, 11]
      return [[1, 2, 840, 113_549, 1, 1, 1], own]
    }
  }

  private init(
    content: [UInt8], certificates: [[UInt8]], issuer: DistinguishedName,
    serialNumber: Certificate.SerialNumber, digest: Digest, signature: [UInt8]
  ) {
    self.content = content
    self.certificates = certificates
    self.issuer = issuer
    self.serialNumber = serialNumber
    self.digest = digest
    self.signature = signature
  }

  private static let signedDataType: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 2]
  private static let dataType: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 1]
  private static let knownVersion = 1

  /// - Parameter file: The receipt as DER or BER, or as base64 with or without line breaks.
  /// - Complexity: O(*n*) in the number of bytes.
  init(_ file: [UInt8]) throws(SignedDataError) {
    let bytes = try Self.bytes(of: file)
    let parts: SignedReceipt
    do { parts = try Self.contentInfo(ReceiptElements.parse(bytes[...])) } catch {
      if let error = error as? SignedDataError { throw error }
      throw Self.malformed("expected a receipt (PKCS#7 in DER or BER), found something else")
    }
    self = parts
  }

  /// The first byte of a receipt, and of no base64 of one: that begins with `M`.
  private static let sequenceTag: UInt8 = 0x30

  private static func bytes(of file: [UInt8]) throws(SignedDataError) -> [UInt8] {
    var bytes = file
    if file.first != sequenceTag {
      guard file.count <= receiptTextBytesMax else {
        throw tooLarge("the text", file.count, receiptTextBytesMax)
      }
      let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
      let text = file.starts(with: mark) ? file[mark.count...] : file[...]
      let letters = text.filter { !isSpace($0) }
      guard let decoded = StrictBase64.decode(letters.span, .padded), !decoded.isEmpty else {
        throw malformed("expected a receipt in base64, DER or BER, found something else")
      }
      bytes = decoded
    }
    guard bytes.count <= receiptBytesMax else {
      throw tooLarge("the receipt", bytes.count, receiptBytesMax)
    }
    return bytes
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  static func malformed(_ reason: String) -> SignedDataError {
    SignedDataError(.malformed, reason, remedy: takeUnchanged)
  }

  private static func tooLarge(_ what: String, _ count: Int, _ max: Int) -> SignedDataError {
    SignedDataError(
      .tooLarge, "\(what) has \(count) bytes, more than \(max)",
      remedy: "Pass one receipt at a time")
  }

  /// The remedy for bytes that are not as the app has them.
  static let takeUnchanged = "Pass the receipt exactly as the app has it"
}

// MARK: - The parts

extension SignedReceipt {
  /// `ContentInfo` (RFC 5652, 3).
  private static func contentInfo(_ node: ASN1Node) throws -> SignedReceipt {
    try BER.sequence(node, identifier: .sequence) { nodes in
      guard try ASN1ObjectIdentifier(berEncoded: &nodes) == signedDataType else {
        throw malformed("the PKCS#7 is not signed data")
      }
      return try BER.explicitlyTagged(
        &nodes, tagNumber: 0, tagClass: .contextSpecific, signedData)
    }
  }

  /// `SignedData` (RFC 5652, 5.1).
  private static func signedData(_ node: ASN1Node) throws -> SignedReceipt {
    try BER.sequence(node, identifier: .sequence) { nodes in
      try checkVersion(&nodes)
      // What the signer used stands beside its signature. These are hints for a single pass.
      _ = try set(&nodes)
      let content = try content(&nodes)
      let certificates = try BER.optionalImplicitlyTagged(
        &nodes, tagNumber: 0, tagClass: .contextSpecific, certificates)
      // Lists of revoked certificates: nobody asks for them here.
      _ = skip(1, &nodes)
      var signers = try set(&nodes).makeIterator()
      guard let signer = signers.next() else { throw malformed("expected one signer, found none") }
      guard signers.next() == nil else { throw malformed("expected one signer, found several") }
      return try receipt(
        signer, content: content, certificates: certificates ?? [])
    }
  }

  /// `EncapsulatedContentInfo` (RFC 5652, 5.2).
  private static func content(_ nodes: inout ASN1NodeCollection.Iterator) throws -> [UInt8] {
    guard let node = nodes.next() else { throw malformed("the receipt has no content") }
    return try BER.sequence(node, identifier: .sequence) { nodes in
      guard try ASN1ObjectIdentifier(berEncoded: &nodes) == dataType else {
        throw malformed("the content of the receipt is not plain data")
      }
      let content = try BER.optionalExplicitlyTagged(
        &nodes, tagNumber: 0, tagClass: .contextSpecific
      ) { Array(try ASN1OctetString(berEncoded: $0).bytes) }
      guard let content else { throw malformed("the receipt has no content") }
      return content
    }
  }

  private static func certificates(_ node: ASN1Node) throws -> [[UInt8]] {
    guard case .constructed(let nodes) = node.content else {
      throw malformed("the certificates of the receipt are not a set")
    }
    var certificates: [[UInt8]] = []
    for certificate in nodes {
      guard certificates.count < receiptCertificatesMax else {
        throw SignedDataError(
          .wrongCertificateCount,
          "the receipt has more than \(receiptCertificatesMax) certificates",
          remedy: takeUnchanged)
      }
      certificates.append(Array(certificate.encodedBytes))
    }
    return certificates
  }

  /// `SignerInfo` (RFC 5652, 5.3).
  private static func receipt(
    _ signer: ASN1Node, content: [UInt8], certificates: [[UInt8]]
  ) throws -> SignedReceipt {
    try BER.sequence(signer, identifier: .sequence) { nodes in
      try checkVersion(&nodes)
      let (issuer, serialNumber) = try signerName(&nodes)
      let digest = try digest(&nodes)
      guard skip(0, &nodes) == nil else {
        // Then the signature is over them and not over the content (RFC 5652, 5.4).
        throw malformed("the receipt has signed attributes, which the store does not write")
      }
      let algorithm = try algorithm(&nodes)
      guard digest.signatures.contains(algorithm) else {
        throw unsupported("RSA with \(digest.rawValue)", "the algorithm \(algorithm)")
      }
      let signature = try ASN1OctetString(berEncoded: &nodes)
      _ = skip(1, &nodes)
      return SignedReceipt(
        content: content, certificates: certificates, issuer: issuer, serialNumber: serialNumber,
        digest: digest, signature: Array(signature.bytes))
    }
  }

  /// Skips an optional part; nil if it is absent.
  private static func skip(
    _ tag: UInt, _ nodes: inout ASN1NodeCollection.Iterator
  ) -> ASN1Node? {
    BER.optionalImplicitlyTagged(&nodes, tagNumber: tag, tagClass: .contextSpecific) { $0 }
  }

  /// Version 1: the signer is named by issuer and serial number, and nothing newer is in it.
  private static func checkVersion(_ nodes: inout ASN1NodeCollection.Iterator) throws {
    let found = try Int(derEncoded: &nodes)
    guard found == knownVersion else {
      throw malformed("expected version \(knownVersion) of the signed data, found \(found)")
    }
  }

  private static func signerName(
    _ nodes: inout ASN1NodeCollection.Iterator
  ) throws -> (DistinguishedName, Certificate.SerialNumber) {
    guard let node = nodes.next() else { throw malformed("the receipt does not name its signer") }
    return try BER.sequence(node, identifier: .sequence) { nodes in
      guard let issuer = nodes.next() else {
        throw malformed("the receipt does not name its signer")
      }
      return (
        try DistinguishedName(derEncoded: issuer),
        .init(bytes: try ArraySlice<UInt8>(derEncoded: &nodes))
      )
    }
  }

  private static func digest(_ nodes: inout ASN1NodeCollection.Iterator) throws -> Digest {
    let identifier = try algorithm(&nodes)
    guard let digest = Digest.identifiers[identifier] else {
      throw unsupported("SHA-256 or SHA-1", "the digest \(identifier)")
    }
    return digest
  }

  /// `AlgorithmIdentifier`, whose parameters must be NULL or absent.
  private static func algorithm(
    _ nodes: inout ASN1NodeCollection.Iterator
  ) throws -> ASN1ObjectIdentifier {
    guard let node = nodes.next() else { throw malformed("an algorithm is missing") }
    return try BER.sequence(node, identifier: .sequence) { nodes in
      let identifier = try ASN1ObjectIdentifier(berEncoded: &nodes)
      if let parameters = nodes.next(), parameters.identifier != .null {
        throw unsupported("an algorithm without parameters", "\(identifier) with some")
      }
      return identifier
    }
  }

  private static func unsupported(_ expected: String, _ found: String) -> SignedDataError {
    SignedDataError(
      .unsupportedAlgorithm, "expected \(expected), found \(found)",
      remedy: "The store signs receipts with RSA alone: do not believe this")
  }

  /// The elements of the set that comes next.
  private static func set(
    _ nodes: inout ASN1NodeCollection.Iterator
  ) throws -> ASN1NodeCollection {
    guard let set = nodes.next(), set.identifier == .set, case .constructed(let nodes) = set.content
    else { throw malformed("a set of the signed data is missing") }
    return nodes
  }
}

// MARK: - The signature

extension SignedReceipt {
  /// Whether the content was signed by a key.
  func isSigned(by key: _RSA.Signing.PublicKey) -> Bool {
    let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
    return switch digest {
    case .sha1:
      key.isValidSignature(
        signature, for: Insecure.SHA1.hash(data: content), padding: .insecurePKCS1v1_5)
    case .sha256:
      key.isValidSignature(
        signature, for: SHA256.hash(data: content), padding: .insecurePKCS1v1_5)
    }
  }
}
