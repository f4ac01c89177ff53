import LedgerEvents
import SignedDataSamples
import SwiftASN1
import Testing
import X509

@testable import SignedStoreData

@Suite("The certificate of a local test") struct LocalTestTests {
  private let local: SigningSamples
  private let fingerprint: CertificateFingerprint
  private let everywhere = Set(StoreEnvironment.allCases)

  init() throws {
    local = try SigningSamples.local()
    fingerprint = CertificateFingerprint(ofDER: local.der[0])
  }

  private func verify(
    _ environment: String, at time: String = SigningSamples.signedAt,
    pinned: Set<CertificateFingerprint>
  ) throws -> VerifiedData {
    try local.verifier(environments: everywhere, pinned: pinned).verify(
      try local.jws(SigningSamples.transaction(at: time, environment: environment)),
      at: SigningSamples.now)
  }

  @Test("is believed if it is pinned, for local environments") func pinned() throws {
    for (name, environment) in [
      ("Xcode", StoreEnvironment.xcode), ("LocalTesting", .localTesting),
    ] {
      let data = try verify(name, pinned: [fingerprint])
      #expect(data.environment == environment)
      #expect(data.isLocal)
      #expect(data.certificates.map(\.role) == [.local])
      #expect(data.certificates[0].fingerprint == fingerprint)
    }
  }

  @Test("is never believed as the store's") func neverProduction() throws {
    for name in ["Production", "Sandbox", "Other"] {
      expectRefusal(.notLocal, .local) { try verify(name, pinned: [fingerprint]) }
    }
  }

  @Test("is not believed if another one is pinned, or if it is a trusted root") func notPinned()
    throws
  {
    let other = CertificateFingerprint(ofDER: try SigningSamples().der[0])
    for pins in [[], [other]] as [Set<CertificateFingerprint>] {
      let text = expectRefusal(.unpinnedCertificate, .local) { try verify("Xcode", pinned: pins) }
      #expect(text.contains("SHA-256 \(fingerprint)"))
      expectRefusal(.unpinnedCertificate, .local) { try verify("Production", pinned: pins) }
    }
  }

  @Test("is checked at the time of signing") func time() throws {
    expectRefusal(.expired, .local) {
      try verify("Xcode", at: "2024-01-01T00:00:01Z", pinned: [fingerprint])
    }
    expectRefusal(.notYetValid, .local) {
      try verify("Xcode", at: "2022-12-31T23:59:59Z", pinned: [fingerprint])
    }
  }

  @Test("does not sign what stands in a payload of the store, nor the other way round")
  func mixed() throws {
    let store = try SigningSamples()
    let verifier = try store.verifier(environments: everywhere, pinned: [fingerprint])
    func notification(_ outer: SigningSamples, _ inner: SigningSamples) throws -> [UInt8] {
      let text = try inner.jws(SigningSamples.transaction(environment: "Xcode"))
      let member = ",\"signedTransactionInfo\":\"\(String(decoding: text, as: UTF8.self))\""
      return try outer.jws(
        SigningSamples.notification(SigningSamples.data(environment: "Xcode", more: member)))
    }
    for (outer, inner) in [(store, local), (local, store)] {
      expectRefusal(.contradiction, at: "data.signedTransactionInfo") {
        try verifier.verify(try notification(outer, inner), at: SigningSamples.now)
      }
    }
    for samples in [store, local] {
      let data = try verifier.verify(
        try notification(samples, samples), at: SigningSamples.now)
      #expect(data.nested.first?.data.isLocal == data.isLocal)
    }
  }

  @Test("is named by its SHA-256, as OpenSSL or macOS writes it") func fingerprints() {
    let text = fingerprint.description
    #expect(text.utf8.count == 64)
    #expect(CertificateFingerprint(text) == fingerprint)
    #expect(CertificateFingerprint(text.uppercased()) == fingerprint)
    let digits = Array(text)
    let pairs = stride(from: 0, to: 64, by: 2).map { String(digits[$0...($0 + 1)]) }
    #expect(CertificateFingerprint(pairs.joined(separator: ":")) == fingerprint)
    for wrong in [
      "", ":", String(text.dropLast()), text + "0", text + "00", "g" + text.dropFirst(),
      text + ":", pairs.joined(separator: "::"), "é" + text.dropFirst(2),
    ] {
      #expect(CertificateFingerprint(wrong) == nil, "\(wrong)")
    }
  }
}

@Suite("Trusted roots") struct TrustedRootsTests {
  @Test("of Apple are those that Apple publishes") func apple() {
    let roots = TrustedRoots.apple.certificates
    #expect(
      roots.map(\.fingerprint.description) == [
        "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179",
        "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024",
      ])
    #expect(roots[0].subject.contains("CN=Apple Root CA - G3"))
    #expect(roots[1].subject.contains("CN=Apple Root CA"))
    #expect(roots.map(\.issuer) == roots.map(\.subject))
    #expect(roots.map(\.notBefore.rfc3339) == ["2014-04-30T18:19:06Z", "2006-04-25T21:40:36Z"])
    #expect(roots.map(\.notAfter.rfc3339) == ["2039-04-30T18:19:06Z", "2035-02-09T21:40:36Z"])
  }

  @Test("are read from a file in DER or PEM") func files() throws {
    let samples = try SigningSamples()
    let root = samples.der[2]
    let pem = try samples.certificates[2].serializeAsPEM().pemString + "\n"
    let expected = [CertificateFingerprint(ofDER: root)]
    for file in [root, Array(pem.utf8)] {
      #expect(try TrustedRoots(file: file).certificates.map(\.fingerprint) == expected)
    }
    let two = try TrustedRoots(file: Array((pem + pem).utf8))
    #expect(two.certificates.map(\.fingerprint) == expected + expected)
    for file in [
      [], root + [0], Array(root.dropLast()), Array("-----BEGIN CERTIFICATE-----\n".utf8),
      Array(pem.replacing("CERTIFICATE", with: "PUBLIC KEY").utf8), Array("text".utf8),
    ] {
      expectRefusal(.malformedCertificate, .root) { try TrustedRoots(file: file) }
    }
    expectRefusal(.untrustedRoot, .root) { try TrustedRoots(der: []) }
    expectRefusal(.tooLarge, .root) {
      try TrustedRoots(der: [[UInt8](repeating: 0, count: certificateBytesMax + 1)])
    }
  }
}
