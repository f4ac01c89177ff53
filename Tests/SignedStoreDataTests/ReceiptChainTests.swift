import Crypto
import CryptoExtras
import Foundation
import LedgerEvents
import SignedDataSamples
import SwiftASN1
import Testing
import X509

@testable import SignedStoreData

@Suite("The certificates of a receipt") struct ReceiptChainTests {
  private func verify(
    _ samples: ReceiptSamples, roots: TrustedRoots? = nil,
    at time: String = ReceiptSamples.createdAt,
    type: String = "Production", environments: Set<StoreEnvironment> = [.production],
    pinned: Set<CertificateFingerprint> = [], now: Instant = ReceiptSamples.now,
    bundleID: String = ReceiptSamples.bundleID
  ) throws -> VerifiedReceipt {
    let app = ExpectedApp(bundleID: ReceiptSamples.bundleID, environments: environments)
    let verifier = SignedDataVerifier(app: app, roots: try roots ?? samples.roots, pinned: pinned)
    return try verifier.verify(
      receipt: try samples.receipt(
        ReceiptSamples.attributes(type: type, bundleID: bundleID, at: time)),
      at: now)
  }

  private func changed(
    _ change: (inout ReceiptChainRecipe) throws -> Void
  ) throws -> ReceiptSamples {
    var recipe = ReceiptChainRecipe()
    try change(&recipe)
    return try ReceiptSamples(recipe)
  }

  @Test("are checked to the second at the time of creation") func times() throws {
    let samples = try ReceiptSamples()
    _ = try verify(samples, at: "2022-09-02T00:00:00Z")
    _ = try verify(samples, at: "2024-10-01T00:00:00Z")
    expectRefusal(.notYetValid, .leaf) { try verify(samples, at: "2022-09-01T23:59:59Z") }
    expectRefusal(.expired, .leaf) { try verify(samples, at: "2024-10-01T00:00:01Z") }
    expectRefusal(.expired, .intermediate) {
      try verify(try changed { $0.intermediateDates.1 = "2023-09-02T09:59:59Z" })
    }
    expectRefusal(.expired, .root) {
      try verify(try changed { $0.rootDates.1 = "2023-09-02T09:59:59Z" })
    }
  }

  @Test("may be signed with SHA-1 until the store's ended") func historic() throws {
    let samples = try ReceiptSamples.historic()
    _ = try verify(samples, at: "2023-01-01T00:00:00Z")
    let late = try ReceiptSamples.historic(to: "2030-01-01T00:00:00Z")
    _ = try verify(late, at: "2025-01-25T23:59:59Z")
    let message = expectRefusal(.brokenChain, .intermediate) {
      try verify(late, at: "2025-01-26T00:00:00Z")
    }
    #expect(message.hasPrefix("the intermediate certificate is signed with SHA-1, and this was "))
    _ = try verify(
      try changed { $0.leafDates.1 = "2030-01-01T00:00:00Z" }, at: "2025-01-26T00:00:00Z")
  }

  @Test("with SHA-1 are never those of a JWS") func historicJWS() throws {
    let samples = try ReceiptSamples.historic()
    expectRefusal(.brokenChain, .intermediate) {
      try SigningChain(samples.der, roots: samples.roots, pinned: [])
    }
  }

  @Test("are refused if they are for something else, or nobody issued them") func purposes() throws
  {
    let cases:
      [(SignedDataError.Code, CertificateRole, (inout ReceiptChainRecipe) throws -> Void)] =
        [
          (.wrongPurpose, .leaf, { $0.leafMark = nil }),
          (.wrongPurpose, .leaf, { $0.leafMark = CertificatePurpose.intermediateMark }),
          (.wrongPurpose, .intermediate, { $0.intermediateMark = nil }),
          (
            .wrongPurpose, .intermediate, { $0.intermediateConstraints = .notCertificateAuthority }
          ),
          (
            .wrongPurpose, .leaf,
            { $0.leafConstraints = .isCertificateAuthority(maxPathLength: nil) }
          ),
          (.wrongPurpose, .leaf, { $0.leafUsage = KeyUsage(keyEncipherment: true) }),
          (
            .wrongPurpose, .leaf,
            {
              $0.moreOfLeaf = [
                try Certificate.Extension(ExtendedKeyUsage([.serverAuth]), critical: false)
              ]
            }
          ),
          (
            .wrongPurpose, .leaf,
            { $0.moreOfLeaf = [.init(oid: [1, 2, 3], critical: true, value: [5, 0])] }
          ),
          (.wrongPurpose, .leaf, { $0.leafKey = .init(SigningSamples.key("leaf").publicKey) }),
          (.brokenChain, .leaf, { $0.leafSigner = ReceiptKeys.other }),
          (.brokenChain, .intermediate, { $0.intermediateSigner = ReceiptKeys.other }),
          (.badSignature, .leaf, { $0.leafKey = .init(ReceiptKeys.other.publicKey) }),
        ]
    for (code, role, change) in cases {
      expectRefusal(code, role) { try verify(try changed(change)) }
    }
  }

  @Test("are refused under another root, with its SHA-256") func roots() throws {
    let samples = try ReceiptSamples()
    let message = expectRefusal(.untrustedRoot, .root) { try verify(samples, roots: .apple) }
    #expect(message.contains("CN=Root (SHA-256 \(CertificateFingerprint(ofDER: samples.der[2])))"))
    let other = try changed { $0.rootName = "Another" }
    expectRefusal(.untrustedRoot, .root) { try verify(samples, roots: try other.roots) }
    // A root of the same name with another key did not issue it.
    expectRefusal(.brokenChain, .intermediate) {
      try verify(samples, roots: try SigningSamples().roots)
    }
  }

  @Test("do not make a receipt of another app, environment or time") func statements() throws {
    let samples = try ReceiptSamples()
    expectRefusal(.otherApp) { try verify(samples, bundleID: "com.example.other") }
    expectRefusal(.otherEnvironment) { try verify(samples, type: "ProductionSandbox") }
    expectRefusal(.otherEnvironment) { try verify(samples, type: "Else") }
    expectRefusal(.otherEnvironment) { try verify(samples, type: "Xcode") }
    _ = try verify(samples, type: "ProductionSandbox", environments: [.sandbox])
    expectRefusal(.signedInFuture) {
      try verify(samples, now: SigningSamples.instant("2023-09-01T09:59:59Z"))
    }
    _ = try verify(samples, now: SigningSamples.instant("2023-09-01T10:00:00Z"))
    func without(_ type: Int64, _ code: SignedDataError.Code) throws {
      let attributes = ReceiptSamples.attributes().filter {
        !$0.dropFirst(2).starts(with: integer(type))
      }
      #expect(attributes.count == ReceiptSamples.attributes().count - 1)
      expectRefusal(code) {
        try samples.verifier().verify(
          receipt: try samples.receipt(attributes), at: ReceiptSamples.now)
      }
    }
    try without(0, .environmentNotStated)
    try without(2, .appNotStated)
    try without(12, .noSigningDate)
  }

  @Test("of a local test are believed if pinned, for local environments alone") func local() throws
  {
    let local = try ReceiptSamples.local()
    let pin = CertificateFingerprint(ofDER: local.der[0])
    let everywhere = Set(StoreEnvironment.allCases)
    let verified = try verify(local, type: "Xcode", environments: everywhere, pinned: [pin])
    #expect(verified.isLocal)
    #expect(verified.environment == .xcode)
    #expect(verified.certificates.map(\.role) == [.local])
    for type in ["Production", "ProductionSandbox", "Else"] {
      expectRefusal(.notLocal, .local) {
        try verify(local, type: type, environments: everywhere, pinned: [pin])
      }
    }
    for pins in [[], [CertificateFingerprint(ofDER: try ReceiptSamples().der[0])]] as [Set] {
      let text = expectRefusal(.unpinnedCertificate, .local) {
        try verify(local, type: "Xcode", environments: everywhere, pinned: pins)
      }
      #expect(text.contains("SHA-256 \(pin)"))
    }
    // A pinned certificate is never the store's, even if the chain would be.
    let samples = try ReceiptSamples()
    expectRefusal(.notLocal, .local) {
      try verify(samples, pinned: [CertificateFingerprint(ofDER: samples.der[0])])
    }
    expectRefusal(.otherEnvironment) { try verify(local, type: "Xcode", pinned: [pin]) }
    expectRefusal(.expired, .local) {
      try verify(
        local, at: "2041-01-01T00:00:00Z", type: "Xcode", environments: everywhere, pinned: [pin],
        now: SigningSamples.instant("2042-01-01T00:00:00Z"))
    }
  }
}

@Suite("A changed receipt") struct ChangedReceiptTests {
  /// Changes each byte in turn, and expects that what is believed all the same says the same.
  private func check(_ receipt: [UInt8], _ samples: ReceiptSamples) throws -> (Int, Int) {
    let verifier = try samples.verifier()
    let right = try verifier.verify(receipt: receipt, at: ReceiptSamples.now)
    var (refused, believed) = (0, 0)
    for index in receipt.indices {
      var changed = receipt
      changed[index] ^= 1 << UInt8(index % 8)
      do {
        let data = try verifier.verify(receipt: changed, at: ReceiptSamples.now)
        #expect(data.receipt == right.receipt, "byte \(index)")
        #expect(data.certificates == right.certificates, "byte \(index)")
        believed += 1
      } catch { refused += 1 }
    }
    return (refused, believed)
  }

  @Test("is refused or says the same, whatever byte is changed", arguments: [false, true])
  func bytes(isUnbounded: Bool) throws {
    let samples = try ReceiptSamples()
    var form = ReceiptForm()
    form.isUnbounded = isUnbounded
    let receipt = try samples.receipt(ReceiptSamples.attributes(), form)
    let (refused, believed) = try check(receipt, samples)
    // What is not covered by the signature: the root that comes along, and hints about digests.
    #expect(refused > 4 * believed, "\(refused), \(believed)")
    #expect(believed > 0)
  }

  @Test("is refused if a byte of its content, its signature or its chain is changed")
  func parts() throws {
    let samples = try ReceiptSamples()
    let content = ReceiptSamples.content(ReceiptSamples.attributes())
    let receipt = try samples.receipt(signing: content)
    let verifier = try samples.verifier()
    let signature = try SignedReceipt(receipt).signature
    for part in [content, signature, samples.der[0], samples.der[1]] {
      let range = try #require(receipt.firstRange(of: part))
      for index in range {
        var changed = receipt
        changed[index] ^= 0x10
        #expect(throws: SignedDataError.self, "byte \(index - range.lowerBound)") {
          try verifier.verify(receipt: changed, at: ReceiptSamples.now)
        }
      }
    }
  }
}
