import CryptoExtras
import Foundation
import LedgerEvents
import SwiftASN1
import Testing
import X509

@testable import SignedStoreData

@Suite("An app receipt") struct ReceiptTests {
  private let samples: ReceiptSamples

  init() throws { samples = try ReceiptSamples() }

  private func verify(
    _ receipt: [UInt8], environments: Set<StoreEnvironment> = [.production],
    at now: Instant = ReceiptSamples.now
  ) throws -> VerifiedReceipt {
    try samples.verifier(environments: environments).verify(receipt: receipt, at: now)
  }

  @Test("is verified with SHA-256 and with SHA-1, whatever names the signature") func digests()
    throws
  {
    for digest in [SignedReceipt.Digest.sha256, .sha1] {
      var form = ReceiptForm()
      form.digest = digest
      let own: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, digest == .sha1 ? 5 : 11]
      for name in [form.signatureIdentifier, own] {
        form.signatureIdentifier = name
        for parameters in [[5, 0], []] as [[UInt8]] {
          form.parameters = parameters
          let data = try verify(try samples.receipt(ReceiptSamples.attributes(), form))
          #expect(data.environment == .production)
          #expect(data.createdAt.rfc3339 == ReceiptSamples.createdAt)
          #expect(data.bundleID == ReceiptSamples.bundleID)
          #expect(!data.isLocal)
          #expect(data.certificates.map(\.role) == [.leaf, .intermediate, .root])
          #expect(
            data.certificates.map(\.fingerprint)
              == samples.der.map(CertificateFingerprint.init(ofDER:)))
        }
      }
    }
  }

  @Test("says what its attributes say") func fields() throws {
    let receipt = try verify(try samples.receipt()).receipt
    #expect(receipt.type == "Production")
    #expect(receipt.bundleID == "com.example.shop")
    #expect(receipt.appVersion == "7")
    #expect(receipt.originalAppVersion == "1.0")
    #expect(receipt.originalPurchasedAt?.rfc3339 == "2022-08-01T07:00:00Z")
    #expect(receipt.expiresAt == nil)
    #expect(receipt.otherAttributes.map(\.type) == [1, 8])
    let purchase = try #require(receipt.purchases.first)
    #expect(receipt.purchases.count == 1)
    #expect(purchase.quantity == 2)
    #expect(purchase.product == "com.example.pro")
    #expect(purchase.transaction == "1002")
    #expect(purchase.originalTransaction == "1001")
    #expect(purchase.purchasedAt?.rfc3339 == "2023-08-02T10:00:00Z")
    #expect(purchase.originalPurchasedAt?.rfc3339 == "2023-07-02T10:00:00Z")
    #expect(purchase.expiresAt?.rfc3339 == "2023-09-02T10:00:00Z")
    #expect(purchase.cancelledAt == nil)
    #expect(purchase.webOrderLineItem == 1_000_000_012_345_678)
    #expect(purchase.isTrial == false)
    #expect(purchase.isIntroductoryOffer == true)
    #expect(purchase.promotionalOffer == nil)
    #expect(purchase.otherAttributes.map(\.type) == [1707])
  }

  @Test("is for one device, by the hash that it carries") func devices() throws {
    let receipt = try verify(try samples.receipt()).receipt
    #expect(receipt.isFor(device: [1, 2, 3]))
    #expect(!receipt.isFor(device: [1, 2, 4]))
    let bare = try AppReceipt(content: ReceiptSamples.content([]))
    #expect(!bare.isFor(device: []))
  }

  @Test("is read as DER, BER and base64 with line breaks") func encodings() throws {
    var form = ReceiptForm()
    form.isUnbounded = true
    let der = try samples.receipt()
    let ber = try samples.receipt(ReceiptSamples.attributes(), form)
    #expect(ber.starts(with: [0x30, 0x80]))
    let expected = try verify(der).receipt
    for bytes in [der, ber] {
      let text = Data(bytes).base64EncodedData(options: .lineLength76Characters)
      let crlf = Data(bytes).base64EncodedData(options: [
        .lineLength64Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
      ])
      for file in [bytes, Array(text), Array(crlf) + [13, 10]] {
        #expect(try verify(file).receipt == expected)
        #expect(try AppReceipt(unverified: file) == expected)
      }
    }
  }

  @Test("needs neither its root nor an order of its certificates") func certificateSets() throws {
    let content = ReceiptSamples.content(ReceiptSamples.attributes())
    let (leaf, intermediate, root) = (samples.der[0], samples.der[1], samples.der[2])
    for set in [[leaf, intermediate], [leaf, root, intermediate], [leaf, leaf, intermediate]] {
      _ = try verify(try samples.receipt(signing: content, certificates: set))
    }
    let unordered = try samples.receipt(signing: content, certificates: [leaf, intermediate, root])
    let swapped = Array(unordered).replacing(leaf + intermediate, with: intermediate + leaf)
    #expect(swapped != unordered)
    _ = try verify(swapped)
    let missing = expectRefusal(.brokenChain, .leaf) {
      try verify(try samples.receipt(signing: content, certificates: [leaf, root]))
    }
    #expect(missing.contains("was issued by CN=Authority, whose certificate is not in the receipt"))
    expectRefusal(.brokenChain, .leaf) {
      try verify(try samples.receipt(signing: content, certificates: []))
    }
    expectRefusal(.wrongCertificateCount) {
      try verify(
        try samples.receipt(
          signing: content,
          certificates: [[UInt8]](repeating: leaf, count: receiptCertificatesMax + 1)))
    }
    expectRefusal(.malformedCertificate) {
      try verify(
        try samples.receipt(
          signing: content, certificates: samples.der + [element(0x30, integer(1))]))
    }
    expectRefusal(.tooLarge) {
      let large = element(0x30, text(String(repeating: "a", count: certificateBytesMax)))
      return try verify(try samples.receipt(signing: content, certificates: samples.der + [large]))
    }
  }

  @Test("is refused if its form is another than the store's") func forms() throws {
    func expect(
      _ code: SignedDataError.Code, _ comment: Comment, _ role: CertificateRole? = nil,
      _ change: (inout ReceiptForm) -> Void
    ) throws {
      var form = ReceiptForm()
      change(&form)
      expectRefusal(code, role, comment: comment) {
        try verify(try samples.receipt(ReceiptSamples.attributes(), form))
      }
    }
    try expect(.malformed, "another type") { $0.outerType = [1, 2, 840, 113_549, 1, 7, 3] }
    try expect(.malformed, "another content") { $0.contentType = [1, 2, 840, 113_549, 1, 7, 2] }
    try expect(.malformed, "detached") { $0.isDetached = true }
    try expect(.malformed, "no signer") { $0.signerCount = 0 }
    try expect(.malformed, "two signers") { $0.signerCount = 2 }
    try expect(.malformed, "version 3") { $0.version = 3 }
    try expect(.malformed, "signer 3") { $0.signerVersion = 3 }
    try expect(.malformed, "signed attributes") { $0.signedAttributes = element(0xA0, []) }
    try expect(.unsupportedAlgorithm, "MD5") {
      $0.digestIdentifier = [1, 2, 840, 113_549, 2, 5]
    }
    try expect(.unsupportedAlgorithm, "RSA-PSS") {
      $0.signatureIdentifier = [1, 2, 840, 113_549, 1, 1, 10]
    }
    try expect(.unsupportedAlgorithm, "SHA-1 named for SHA-256") {
      $0.signatureIdentifier = [1, 2, 840, 113_549, 1, 1, 5]
    }
    try expect(.unsupportedAlgorithm, "parameters") { $0.parameters = integer(1) }
    try expect(.badSignature, "another key", .leaf) { $0.key = ReceiptKeys.other }
    try expect(.badSignature, "another digest", .leaf) {
      $0.digestIdentifier = [1, 3, 14, 3, 2, 26]
    }
    try expect(.brokenChain, "another signer", .leaf) { $0.serialNumber = [1, 2, 3] }
    // Nobody signed these, and nobody reads them.
    var form = ReceiptForm()
    form.unsignedAttributes = element(
      0xA1, element(0x30, identifier([1, 2, 3]) + element(0x31, [])))
    _ = try verify(try samples.receipt(ReceiptSamples.attributes(), form))
  }

  @Test("is refused with anything before, behind or in place of it") func others() throws {
    let receipt = try samples.receipt()
    let text = Array(Data(receipt).base64EncodedString().utf8)
    let wrong: [[UInt8]] = [
      [], [0x30], [0x30, 0x80], [0x30, 0x80, 0, 0], receipt + [0], receipt + receipt,
      Array(receipt.dropLast()), [0] + receipt, text.dropLast() + [], text + text, [0x20], [0x0A],
      Array("{\"receipt-data\":\"\"}".utf8), Array("MII".utf8), Array("MIIé".utf8),
    ]
    for bytes in wrong {
      expectRefusal(.malformed, comment: "\(bytes.prefix(8))") { try verify(bytes) }
    }
    expectRefusal(.tooLarge) {
      try verify([UInt8](repeating: UInt8(ascii: "M"), count: receiptTextBytesMax + 1))
    }
    expectRefusal(.tooLarge) {
      try verify([0x30] + [UInt8](repeating: 0, count: receiptBytesMax))
    }
    expectRefusal(.tooLarge) {
      let large = Data(repeating: 0x30, count: receiptBytesMax + 1)
      return try verify(Array(large.base64EncodedData()))
    }
  }

  @Test("is refused if it says that it is longer than it is, or is nested without end")
  func hostile() throws {
    var form = ReceiptForm()
    form.isUnbounded = true
    let ber = try samples.receipt(ReceiptSamples.attributes(), form)
    for length in [[0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x88] + [UInt8](repeating: 0xFF, count: 8)] {
      let bytes = [0x30] + length.map { UInt8($0) } + ber.dropFirst(2)
      expectRefusal(.malformed) { try verify(Array(bytes)) }
    }
    for open in [[0x30, 0x80], [0x24, 0x80], [0xA0, 0x80]] as [[UInt8]] {
      for (count, code) in [(60_000, SignedDataError.Code.malformed), (500_000, .tooLarge)] {
        expectRefusal(code) {
          try verify([0x30, 0x80] + Array([[UInt8]](repeating: open, count: count).joined()))
        }
      }
    }
    // A string of strings of strings, which is one byte in the end.
    var nested = element(0x04, [1])
    for _ in 0..<100 { nested = element(0x24, nested) }
    expectRefusal(.malformed) {
      try verify(element(0x30, identifier([1, 2, 840, 113_549, 1, 7, 2]) + element(0xA0, nested)))
    }
  }
}

@Suite("The attributes of a receipt") struct ReceiptAttributeTests {
  private func read(_ attributes: [[UInt8]]) throws -> AppReceipt {
    try AppReceipt(content: ReceiptSamples.content(attributes))
  }

  private func purchase(_ attributes: [[UInt8]]) throws -> AppReceipt.Purchase {
    let receipt = try read([attribute(17, ReceiptSamples.content(attributes))])
    return try #require(receipt.purchases.first)
  }

  @Test("name the environment") func environments() throws {
    let names: [(String, StoreEnvironment?)] = [
      ("Production", .production), ("ProductionVPP", .production),
      ("ProductionSandbox", .sandbox), ("ProductionVPPSandbox", .sandbox), ("Sandbox", .sandbox),
      ("Xcode", .xcode), ("LocalTesting", .localTesting), ("production", nil), ("Else", nil),
    ]
    for (name, environment) in names {
      #expect(try read([attribute(0, text(name))]).environment == environment)
    }
    #expect(try read([]).environment == nil)
  }

  @Test("have dates with and without an offset, or none") func dates() throws {
    func created(_ text: String) throws -> Instant? {
      try read([attribute(12, date(text))]).createdAt
    }
    #expect(try created("") == nil)
    #expect(try created("2023-08-02T10:00:00Z")?.rfc3339 == "2023-08-02T10:00:00Z")
    #expect(try created("2020-07-22T18:33:15+0100")?.rfc3339 == "2020-07-22T17:33:15Z")
    #expect(try created("2020-07-22T18:33:15-01:00")?.rfc3339 == "2020-07-22T19:33:15Z")
    for wrong in [
      "2023", "2023-08-02", "2023-13-02T10:00:00Z", "+0100", "yesterday", "-1000",
      // What seems to be four characters from the end is a single one.
      "\u{600}+\u{301}\u{301}",
      // Years that no time in UTC can be written with.
      "0000-01-01T00:00:00+0001", "9999-12-31T23:59:59-23:59",
    ] {
      let message = expectRefusal(.malformedPayload) { try created(wrong) }
      #expect(message.hasPrefix("attribute 12 of the receipt is not a date. "))
    }
  }

  @Test("are refused with another type of value") func types() throws {
    let wrong: [[UInt8]] = [
      attribute(2, integer(1)), attribute(2, [0x0C, 2, 0xC3, 0x28]), attribute(2, [0x0C]),
      attribute(2, text("a") + [0]), attribute(2, element(0x2C, text("a"))),
      attribute(12, integer(5)), attribute(17, []), attribute(17, [5, 0]),
      attribute(17, ReceiptSamples.content([attribute(1701, text("1"))])),
      attribute(
        17, ReceiptSamples.content([attribute(1701, element(0x02, [1, 2, 3, 4, 5, 6, 7, 8, 9]))])),
      attribute(17, ReceiptSamples.content([attribute(1719, integer(2))])),
      element(0x30, []), element(0x30, integer(1) + integer(1)),
      element(0x30, integer(1) + integer(1) + element(0x04, []) + integer(1)),
      element(0x30, integer(1) + integer(1) + text("")), element(0x02, [1]),
    ]
    for (index, bytes) in wrong.enumerated() {
      expectRefusal(.malformedPayload, comment: "\(index)") { try read([bytes]) }
    }
    for content in [[], [5, 0], element(0x30, []), element(0x31, []) + [0]] as [[UInt8]] {
      expectRefusal(.malformedPayload) { try AppReceipt(content: content) }
    }
  }

  @Test("of an empty value are none") func empty() throws {
    let receipt = try read([attribute(0, []), attribute(2, []), attribute(3, text(""))])
    #expect(receipt.type == nil && receipt.bundleID == nil && receipt.appVersion == nil)
    let purchase = try purchase([attribute(1701, []), attribute(1703, text(""))])
    #expect(purchase.quantity == nil && purchase.transaction == nil)
  }

  @Test("may be repeated with the same value, and with no other") func repeated() throws {
    let one = attribute(2, text("a"))
    #expect(try read([one, one]).bundleID == "a")
    let message = expectRefusal(.malformedPayload) { try read([one, attribute(2, text("b"))]) }
    #expect(message.hasPrefix("the receipt has attribute 2 twice, with two values. "))
    let inner = expectRefusal(.malformedPayload) {
      try purchase([attribute(1703, text("1")), attribute(1703, text("2"))])
    }
    #expect(inner.hasPrefix("purchase 1 of the receipt has attribute 1703 twice"))
    let two = [
      attribute(17, ReceiptSamples.content([])), attribute(17, ReceiptSamples.content([])),
    ]
    #expect(try read(two).purchases.count == 2)
  }

  @Test("that nobody knows are kept") func unknown() throws {
    let receipt = try read([
      attribute(9_999, [1, 2, 3], version: 4), attribute(-1, []), attribute(9_999, [5]),
    ])
    #expect(
      receipt.otherAttributes == [
        ReceiptAttribute(type: 9_999, version: 4, value: [1, 2, 3]),
        ReceiptAttribute(type: -1, version: 1, value: []),
        ReceiptAttribute(type: 9_999, version: 1, value: [5]),
      ])
  }
}
