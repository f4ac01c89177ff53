import Crypto
import Foundation
import LedgerEvents
import SignedStoreData
import StoreImport

/// What the store signs. No random bytes have its signature, so `payloads` signs what it gives to
/// the decoder, as a local test does.
extension Target {
  static func signed(_ samples: Samples) throws -> [Target] {
    let sample = try samples.file("Tools/Fuzz/Corpus/jws/notification.bin")
    let roots = try TrustedRoots(file: try root(of: sample))
    return [
      try texts(sample, roots),
      Target("roots", [try root(of: sample)]) { bytes in
        do { return try !TrustedRoots(file: bytes).certificates.isEmpty } catch {
          return try refused(error)
        }
      },
      try payloads(),
      try receipts(samples),
      try receiptContents(samples),
    ]
  }

  /// A receipt under its own root. What is not signed may be another, and nothing that it says.
  private static func receipts(_ samples: Samples) throws -> Target {
    let text = try samples.file("Tools/samples/sample.receipt")
    let der = Array(Data(base64Encoded: Data(text), options: .ignoreUnknownCharacters) ?? Data())
    let roots = try TrustedRoots(file: samples.file("Tools/samples/sample-root.pem"))
    let verifier = SignedDataVerifier(
      app: ExpectedApp(bundleID: "com.example.tides", environments: [.production]), roots: roots)
    let right = try verifier.verify(receipt: der, at: verifiedAt)
    return Target("receipt", [der, text], tokens: ber, inputsPerRound: 50) { bytes in
      do {
        let data = try verifier.verify(receipt: bytes, at: verifiedAt)
        try Broken.unless(data.receipt == right.receipt, "a receipt that nobody signed")
        try Broken.unless(data.certificates == right.certificates, "other certificates")
        return true
      } catch { return try refused(error) }
    }
  }

  /// What a receipt says, if nobody asks whether it was signed, as far as events.
  private static func receiptContents(_ samples: Samples) throws -> Target {
    let text = try samples.file("Tools/samples/sample.receipt")
    let der = Array(Data(base64Encoded: Data(text), options: .ignoreUnknownCharacters) ?? Data())
    let options = ImportOptions(
      fileName: "fuzz.receipt", digestKey: [UInt8](repeating: 7, count: 16), account: "ada",
      environment: .production)
    return Target("receipt-contents", [der], tokens: ber) { bytes in
      do {
        _ = try AppReceipt(unverified: bytes)
      } catch { return try refused(error) }
      do {
        let receipt = try ReceiptImport(receipt: bytes, options: options, trust: .unverified)
        for event in try receipt.outcome().events { try event.validate() }
        return true
      } catch let error as ImportError {
        try Broken.unless(!error.reason.isEmpty, "an error without a reason")
        return false
      }
    }
  }

  /// Tags and lengths of ASN.1, known, unknown and too long; dates and identifiers of receipts.
  private static let ber: [[UInt8]] =
    [
      [0x30, 0x80], [0x24, 0x80], [0xA0, 0x80], [0, 0], [0x31], [0x04], [0x0C, 0], [0x16, 0],
      [0x02, 1, 0], [0x02, 2, 0x06, 0xA7], [0x80], [0x81, 0xFF], [0x84, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x88, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x1F, 0xFF], [5, 0],
    ] + ["2023-08-02T10:00:00Z", "+0100", "MII", "=", "\n"].map { Array($0.utf8) }

  /// A notification under the root that it carries itself. Its key is not kept.
  private static func texts(_ sample: [UInt8], _ roots: TrustedRoots) throws -> Target {
    let app = ExpectedApp(
      bundleID: "com.example.shop", appAppleID: 1_234_567_890, environments: [.production])
    let verifier = SignedDataVerifier(app: app, roots: roots)
    // The sample is in the corpus, which every target gets.
    return Target("jws", [], tokens: letters, inputsPerRound: 50) { bytes in
      do {
        let data = try verifier.verify(bytes, at: verifiedAt)
        try Broken.unless(bytes == sample, "signed text that nobody signed")
        try Broken.unless(data.nested.count == 2, "it lost what is in it")
        return true
      } catch { return try refused(error) }
    }
  }

  /// Payloads that are signed whatever they say.
  private static func payloads() throws -> Target {
    let key = try P256.Signing.PrivateKey(
      rawRepresentation: SHA256.hash(data: Array("leaf".utf8)))
    let certificate = Array(Data(base64Encoded: localCertificate) ?? Data())
    let verifier = SignedDataVerifier(
      app: ExpectedApp(bundleID: "com.example.shop", environments: [.xcode, .localTesting]),
      pinned: [CertificateFingerprint(ofDER: certificate)])
    let header = base64URL(Array("{\"alg\":\"ES256\",\"x5c\":[\"\(localCertificate)\"]}".utf8))
    let rest = "\"bundleId\":\"com.example.shop\",\"environment\":\"Xcode\""
    let seeds = [
      "{\"transactionId\":\"1\",\"signedDate\":1685700000049.7297,\(rest),\"price\":null}",
      "{\"notificationUUID\":\"u\",\"signedDate\":1685700000000,\"data\":{\(rest)}}",
      "{\"notificationType\":\"TEST\",\"signedDate\":1685700000000,\"summary\":{\(rest)}}",
      "{\"receiptType\":\"LocalTesting\",\"receiptCreationDate\":1685700000000,\(rest)}",
      "{\"autoRenewStatus\":1,\"signedDate\":1685700000000,\(rest)}",
    ].map { Array($0.utf8) }
    return Target("payloads", seeds, tokens: json) { bytes in
      let signed = Array("\(header).\(base64URL(bytes))".utf8)
      let signature = try key.signature(for: SHA256.hash(data: signed)).rawRepresentation
      do {
        let data = try verifier.verify(
          signed + Array(".\(base64URL(Array(signature)))".utf8), at: verifiedAt)
        try Broken.unless(data.payload == bytes, "another payload than the one that was signed")
        try Broken.unless(data.isLocal, "a local test that passes as the store's")
        try Broken.unless(data.nested.isEmpty, "signed data that nobody signed")
        return true
      } catch { return try refused(error) }
    }
  }

  private static func refused(_ error: any Error) throws -> Bool {
    guard let error = error as? SignedDataError else { throw error }
    try Broken.unless(
      !error.reason.isEmpty && !error.remedy.isEmpty, "an error without a reason or a remedy")
    try Broken.unless(error.description.utf8.count < 4_000, "an endless error")
    return false
  }

  /// The certificate in DER that the header of a JWS names last.
  private static func root(of text: [UInt8]) throws -> [UInt8] {
    let header = String(decoding: text.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
      .replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - header.utf8.count % 4) % 4)
    let json = Array(Data(base64Encoded: header + padding) ?? Data())
    let last = try JSONValue(json: json)["x5c"]?.array?.last?.string ?? ""
    return Array(Data(base64Encoded: last) ?? Data())
  }

  private static func base64URL(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }

  private static let verifiedAt = Instant(microseconds: 1_800_000_000_000_000)

  /// Parts of texts in base64url: full stops, padding, and the beginnings of headers.
  private static let letters: [[UInt8]] = [
    ".", "..", "=", "==", "-", "_", "+", "/", "A", "AAAA", "e30", "e30.e30.", "\n", " ",
    "eyJhbGciOiJub25lIn0", "eyJhbGciOiJFUzI1NiIsIng1YyI6W10",
  ].map { Array($0.utf8) }

  /// A certificate like Xcode's for the key of `payloads`, valid from 2023 to 2043.
  private static let localCertificate = """
    MIIBYDCCAQegAwIBAgIFOlN0b3IwCgYIKoZIzj0EAwIwJDEiMCAGA1UEAwwZU3RvcmVLaXQgVGVzdGluZyBpbiBYY29k\
    ZTAeFw0yMzAxMDEwMDAwMDBaFw00MzAxMDEwMDAwMDBaMCQxIjAgBgNVBAMMGVN0b3JlS2l0IFRlc3RpbmcgaW4gWGNv\
    ZGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQFsjbK8aPm2Jbj1uvXSPdrp7SDmv9xF6ZPP66XYk3YZA16sNLCi0xY\
    qLV7SfoQFkpoUlXHtObx8PhQKCTlb1UpoyYwJDASBgNVHRMBAf8ECDAGAQH/AgEAMA4GA1UdDwEB/wQEAwIHgDAKBggq\
    hkjOPQQDAgNHADBEAiAaMtUdcpLxOUTMGOf02Xz/AcAtzd2B0YoLZkILaU6M4wIgb8U+Z6/DgzVunlWcIDjSCfGov8xq\
    IYobOQgf4NP2MBo=
    """
}
