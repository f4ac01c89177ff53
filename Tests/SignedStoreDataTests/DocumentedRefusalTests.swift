import Foundation
import LedgerEvents
import SignedDataSamples
import Testing

@testable import SignedStoreData

@Suite("The page about signed data") struct DocumentedRefusalTests {
  private let samples: SigningSamples
  private let local: SigningSamples

  init() throws {
    samples = try SigningSamples()
    local = try SigningSamples.local()
  }

  private typealias Refusal = (code: SignedDataError.Code, verify: () throws -> VerifiedData)

  @Test("shows each kind of refusal in its own words") func words() throws {
    var rows = ["| code | an example |", "| --- | --- |"]
    for refusal in forms() + chains() + payloads() {
      let error = #expect(throws: SignedDataError.self) { _ = try refusal.verify() }
      let found = try #require(error)
      #expect(found.code == refusal.code, "\(found)")
      let text = found.description.replacing(/[0-9a-f]{64}/, with: "…")
      rows.append("| `\(found.code)` | \(text) |")
    }
    let shown = rows.joined(separator: "\n") + "\n"
    for code in SignedDataError.Code.allCases {
      #expect(shown.contains("| `\(code)` |"), "no example of \(code)")
    }
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs/signed-data.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let start = try #require(text.range(of: "<!-- refusals -->\n"))
    let stop = try #require(text.range(of: "<!-- end of refusals -->"))
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      let updated = text.replacingCharacters(in: start.upperBound..<stop.lowerBound, with: shown)
      try Data(updated.utf8).write(to: page)
    }
    let now = try String(contentsOf: page, encoding: .utf8)
    #expect(now.contains("<!-- refusals -->\n" + shown + "<!-- end of refusals -->"), "\(shown)")
  }

  private func verify(
    _ payload: String, header: String? = nil, as kind: SignedDataKind? = nil,
    by signer: SigningSamples? = nil, pinned: Set<CertificateFingerprint> = [],
    at now: Instant = SigningSamples.now
  ) throws -> VerifiedData {
    try samples.verifier(pinned: pinned).verify(
      try (signer ?? samples).jws(payload, header: header), as: kind, at: now)
  }

  private func forms() -> [Refusal] {
    let good = SigningSamples.transaction()
    return [
      (
        .tooLarge,
        {
          try samples.verifier().verify(
            [UInt8](repeating: 65, count: signedDataBytesMax + 1), at: SigningSamples.now)
        }
      ),
      (
        .malformed,
        { try samples.verifier().verify(Array("{\"a\":1}".utf8), at: SigningSamples.now) }
      ),
      (
        .unsupportedAlgorithm,
        { try verify(good, header: SigningSamples.header(samples.der, algorithm: "none")) }
      ),
      (
        .badSignature,
        {
          let signed = try samples.jws(good)
          return try samples.verifier().verify(
            SigningSamples.changed(signed, at: signed.count - 9), at: SigningSamples.now)
        }
      ),
    ]
  }

  private func chains() -> [Refusal] {
    let good = SigningSamples.transaction()
    func changed(_ change: @escaping (inout ChainRecipe) -> Void) -> () throws -> VerifiedData {
      {
        var recipe = ChainRecipe()
        change(&recipe)
        return try verify(good, by: try SigningSamples(recipe))
      }
    }
    return [
      (
        .wrongCertificateCount,
        { try verify(good, header: SigningSamples.header(Array(samples.der[..<2]))) }
      ),
      (
        .malformedCertificate,
        { try verify(good, header: SigningSamples.header([[48, 0]] + samples.der[1...])) }
      ),
      (
        .untrustedRoot,
        changed {
          $0.rootName = "Another Root"
        }
      ),
      (.brokenChain, changed { $0.leafSigner = "other" }),
      (.wrongPurpose, changed { $0.leafMark = nil }),
      (.expired, changed { $0.leafDates.1 = "2023-05-01T00:00:00Z" }),
      (.notYetValid, changed { $0.leafDates.0 = "2023-06-03T00:00:00Z" }),
      (
        .unpinnedCertificate,
        { try verify(SigningSamples.transaction(environment: "Xcode"), by: local) }
      ),
      (
        .notLocal,
        {
          try verify(good, by: local, pinned: [CertificateFingerprint(ofDER: local.der[0])])
        }
      ),
    ]
  }

  private func payloads() -> [Refusal] {
    let good = SigningSamples.transaction()
    return [
      (.malformedPayload, { try verify("{\"transactionId\":\"1\",\"bundleId\":5}") }),
      (.unknownKind, { try verify("{}") }),
      (.otherKind, { try verify(good, as: .notification) }),
      (.otherApp, { try verify(SigningSamples.transaction(bundleID: "com.example.other")) }),
      (.appNotStated, { try verify(SigningSamples.renewal()) }),
      (
        .otherEnvironment,
        { try verify(SigningSamples.transaction(environment: "Sandbox")) }
      ),
      (.environmentNotStated, { try verify(SigningSamples.transaction(environment: nil)) }),
      (
        .noSigningDate,
        { try verify(good.replacing("signedDate", with: "date")) }
      ),
      (
        .signedInFuture,
        { try verify(good, at: SigningSamples.instant("2023-01-01T00:00:00Z")) }
      ),
      (
        .contradiction,
        {
          let inner = try samples.jws(SigningSamples.transaction(environment: "Sandbox"))
          let text = String(decoding: inner, as: UTF8.self)
          return try verify(
            SigningSamples.notification(
              SigningSamples.data(more: ",\"signedTransactionInfo\":\"\(text)\"")))
        }
      ),
    ]
  }
}
