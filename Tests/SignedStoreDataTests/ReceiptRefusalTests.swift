import Foundation
import LedgerEvents
import SwiftASN1
import Testing

@testable import SignedStoreData

@Suite("The page about app receipts") struct ReceiptRefusalTests {
  private let samples: ReceiptSamples
  private let local: ReceiptSamples

  init() throws {
    samples = try ReceiptSamples()
    local = try ReceiptSamples.local()
  }

  private typealias Refusal = (code: SignedDataError.Code, verify: () throws -> VerifiedReceipt)

  @Test("shows the words in which receipts are refused") func words() throws {
    var rows = ["| code | an example |", "| --- | --- |"]
    for refusal in forms() + certificates() + contents() {
      let error = #expect(throws: SignedDataError.self) { _ = try refusal.verify() }
      let found = try #require(error)
      #expect(found.code == refusal.code, "\(found)")
      rows.append("| `\(found.code)` | \(found.description.replacing(/[0-9a-f]{64}/, with: "…")) |")
    }
    let shown = rows.joined(separator: "\n") + "\n"
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs/signed-data.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let start = try #require(text.range(of: "<!-- receipt refusals -->\n"))
    let stop = try #require(text.range(of: "<!-- end of receipt refusals -->"))
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      let updated = text.replacingCharacters(in: start.upperBound..<stop.lowerBound, with: shown)
      try Data(updated.utf8).write(to: page)
    }
    let now = try String(contentsOf: page, encoding: .utf8)
    #expect(
      now.contains("<!-- receipt refusals -->\n" + shown + "<!-- end of receipt refusals -->"),
      "\(shown)")
  }

  private func verify(
    _ receipt: [UInt8], pinned: Set<CertificateFingerprint> = []
  ) throws -> VerifiedReceipt {
    try samples.verifier(pinned: pinned).verify(receipt: receipt, at: ReceiptSamples.now)
  }

  private func changed(_ change: (inout ReceiptForm) -> Void) throws -> [UInt8] {
    var form = ReceiptForm()
    change(&form)
    return try samples.receipt(ReceiptSamples.attributes(), form)
  }

  private func forms() -> [Refusal] {
    [
      (.tooLarge, { try verify([0x30] + [UInt8](repeating: 0, count: receiptBytesMax)) }),
      (.malformed, { try verify(Array("{\"status\":0}".utf8)) }),
      (.malformed, { try verify(try changed { $0.signedAttributes = element(0xA0, []) }) }),
      (.malformed, { try verify(try changed { $0.signerCount = 2 }) }),
      (
        .unsupportedAlgorithm,
        { try verify(try changed { $0.digestIdentifier = [1, 2, 840, 113_549, 2, 5] }) }
      ),
      (.badSignature, { try verify(try changed { $0.key = ReceiptKeys.other }) }),
    ]
  }

  private func certificates() -> [Refusal] {
    let content = ReceiptSamples.content(ReceiptSamples.attributes())
    return [
      (
        .wrongCertificateCount,
        {
          let many = [[UInt8]](repeating: samples.der[0], count: receiptCertificatesMax + 1)
          return try verify(try samples.receipt(signing: content, certificates: many))
        }
      ),
      (
        .malformedCertificate,
        {
          let other = [samples.der[0], element(0x30, [])]
          return try verify(try samples.receipt(signing: content, certificates: other))
        }
      ),
      (
        .brokenChain,
        { try verify(try samples.receipt(signing: content, certificates: [samples.der[0]])) }
      ),
      (
        .brokenChain,
        {
          let late = try ReceiptSamples.historic(to: "2030-01-01T00:00:00Z")
          return try verify(
            try late.receipt(ReceiptSamples.attributes(at: "2026-01-01T00:00:00Z")))
        }
      ),
      (
        .untrustedRoot,
        {
          var recipe = ReceiptChainRecipe()
          recipe.rootName = "Another Root"
          return try verify(try ReceiptSamples(recipe).receipt())
        }
      ),
      (
        .unpinnedCertificate,
        { try verify(try local.receipt(ReceiptSamples.attributes(type: "Xcode"))) }
      ),
      (
        .notLocal,
        { try verify(local.receipt(), pinned: [CertificateFingerprint(ofDER: local.der[0])]) }
      ),
    ]
  }

  private func contents() -> [Refusal] {
    func without(_ type: Int64) throws -> VerifiedReceipt {
      let attributes = ReceiptSamples.attributes().filter {
        !$0.dropFirst(2).starts(with: integer(type))
      }
      return try verify(try samples.receipt(attributes))
    }
    let attributes = ReceiptSamples.attributes()
    return [
      (
        .malformedPayload,
        { try verify(try samples.receipt(attributes + [attribute(12, date("today"))])) }
      ),
      (.malformedPayload, { try verify(try samples.receipt([attribute(12, date("today"))])) }),
      (
        .malformedPayload,
        { try verify(try samples.receipt(purchase(attribute(1703, integer(5))))) }
      ),
      (.appNotStated, { try without(2) }),
      (.environmentNotStated, { try without(0) }),
      (
        .otherEnvironment,
        { try verify(try samples.receipt(ReceiptSamples.attributes(type: "ProductionSandbox"))) }
      ),
      (.noSigningDate, { try without(12) }),
    ]
  }

  private func purchase(_ attribute: [UInt8]) -> [[UInt8]] {
    ReceiptSamples.attributes(purchases: [[attribute]])
  }
}
