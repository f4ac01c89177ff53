import CryptoExtras
import Foundation
import LedgerEvents
import SignedDataSamples
import SwiftASN1
import Testing
@_spi(FixedExpiryValidationTime) import X509

@testable import SignedStoreData

@Suite("A chain of certificates") struct ChainTests {
  /// Verifies what a chain signed, under its own root or another.
  private func verify(
    _ samples: SigningSamples, _ certificates: [[UInt8]]? = nil, roots: TrustedRoots? = nil,
    at time: String = SigningSamples.signedAt
  ) throws -> VerifiedData {
    let app = ExpectedApp(bundleID: SigningSamples.bundleID, environments: [.production])
    let verifier = SignedDataVerifier(app: app, roots: try roots ?? samples.roots)
    let header = SigningSamples.header(certificates ?? samples.der)
    return try verifier.verify(
      try samples.jws(SigningSamples.transaction(at: time), header: header),
      at: SigningSamples.now)
  }

  @Test("is checked to the second at the time of signing") func times() throws {
    let samples = try SigningSamples()
    _ = try verify(samples, at: "2022-06-01T00:00:00Z")
    _ = try verify(samples, at: "2024-06-01T00:00:00Z")
    _ = try verify(samples, at: "2024-06-01T00:00:00.999Z")
    let early = expectRefusal(.notYetValid, .leaf) {
      try verify(samples, at: "2022-05-31T23:59:59.999Z")
    }
    #expect(early.contains("was valid from 2022-06-01T00:00:00Z, and this was signed at"))
    let late = expectRefusal(.expired, .leaf) { try verify(samples, at: "2024-06-01T00:00:01Z") }
    #expect(
      late.hasPrefix(
        "the leaf certificate had expired at 2024-06-01T00:00:00Z when this was signed at "
          + "2024-06-01T00:00:01Z."))
  }

  @Test("is refused if its intermediate or its root was not valid") func otherTimes() throws {
    for (dates, code) in [
      (("2023-06-03T00:00:00Z", "2036-01-01T00:00:00Z"), SignedDataError.Code.notYetValid),
      (("2021-01-01T00:00:00Z", "2023-06-01T00:00:00Z"), .expired),
    ] {
      var recipe = ChainRecipe()
      recipe.intermediateDates = dates
      expectRefusal(code, .intermediate) { try verify(try SigningSamples(recipe)) }
      recipe = ChainRecipe()
      recipe.rootDates = dates
      expectRefusal(code, .root) { try verify(try SigningSamples(recipe)) }
    }
  }

  @Test("is refused without Apple's marks, or with them in the wrong place") func marks() throws {
    typealias Marks = (ASN1ObjectIdentifier?, ASN1ObjectIdentifier?)
    let (leaf, intermediate) = (CertificatePurpose.leafMark, CertificatePurpose.intermediateMark)
    let wrong: [(Marks, CertificateRole)] = [
      ((nil, intermediate), .leaf), ((leaf, nil), .intermediate),
      ((intermediate, leaf), .intermediate), ((leaf, leaf), .intermediate),
      ((intermediate, intermediate), .leaf),
      (([1, 2, 840, 113_635, 100, 6, 11], intermediate), .leaf),
    ]
    for (marks, role) in wrong {
      var recipe = ChainRecipe()
      (recipe.leafMark, recipe.intermediateMark) = marks
      let text = expectRefusal(.wrongPurpose, role) { try verify(try SigningSamples(recipe)) }
      #expect(text.contains("has no extension 1.2.840.113635.100.6."))
    }
  }

  @Test("is refused if a certificate is for something else") func purposes() throws {
    func expect(
      _ role: CertificateRole, _ comment: Comment, _ code: SignedDataError.Code = .wrongPurpose,
      _ change: (inout ChainRecipe) throws -> Void
    ) throws {
      var recipe = ChainRecipe()
      try change(&recipe)
      let samples = try SigningSamples(recipe)
      expectRefusal(code, role, comment: comment) { try verify(samples) }
    }
    let unknown = Certificate.Extension(oid: [1, 2, 3], critical: true, value: [5, 0])
    let server = try Certificate.Extension(ExtendedKeyUsage([.serverAuth]), critical: false)
    let names = try Certificate.Extension(
      NameConstraints(permittedDNSDomains: ["a"]), critical: true)
    try expect(.leaf, "an authority as leaf") {
      $0.leafConstraints = .isCertificateAuthority(maxPathLength: nil)
    }
    try expect(.intermediate, "no authority") {
      $0.intermediateConstraints = .notCertificateAuthority
    }
    try expect(.intermediate, "no constraints") { $0.intermediateConstraints = nil }
    try expect(.root, "a root without intermediates") {
      $0.rootConstraints = .isCertificateAuthority(maxPathLength: 0)
    }
    try expect(.root, "no authority") { $0.rootConstraints = .notCertificateAuthority }
    try expect(.leaf, "usage") { $0.leafUsage = KeyUsage(keyAgreement: true) }
    try expect(.intermediate, "usage") {
      $0.intermediateUsage = KeyUsage(digitalSignature: true)
    }
    try expect(.leaf, "a server") { $0.moreOfLeaf = [server] }
    try expect(.intermediate, "a server") { $0.moreOfIntermediate = [server] }
    try expect(.leaf, "unknown") { $0.moreOfLeaf = [unknown] }
    try expect(.intermediate, "unknown") { $0.moreOfIntermediate = [unknown] }
    try expect(.root, "unknown") { $0.moreOfRoot = [unknown] }
    try expect(.intermediate, "names") { $0.moreOfIntermediate = [names] }
    let broken = Certificate.Extension(oid: [2, 5, 29, 19], critical: true, value: [1, 1, 0xFF])
    try expect(.leaf, "broken constraints", .malformedCertificate) {
      $0.leafConstraints = nil
      $0.moreOfLeaf = [broken]
    }
    let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    try expect(.leaf, "RSA") { $0.leafKey = .init(rsa.publicKey) }
    let other = try P384.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 3, count: 48))
    try expect(.leaf, "P-384") { $0.leafKey = .init(other.publicKey) }
    let any = try Certificate.Extension(ExtendedKeyUsage([.any]), critical: true)
    var recipe = ChainRecipe()
    (recipe.leafUsage, recipe.intermediateUsage, recipe.moreOfLeaf) = (nil, nil, [any])
    recipe.leafConstraints = nil
    _ = try verify(try SigningSamples(recipe))
  }

  @Test("has three certificates in one order") func order() throws {
    let samples = try SigningSamples()
    let der = samples.der
    for order in [
      [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [0, 0, 2], [1, 1, 2],
    ] {
      #expect(throws: SignedDataError.self, "\(order)") {
        try verify(samples, order.map { der[$0] })
      }
    }
    expectRefusal(.brokenChain, .leaf) { try verify(samples, [der[0], der[2], der[2]]) }
    for order in [[], [0, 1], [1, 2], [0, 1, 2, 2], [0, 1, 1, 2], [0, 1, 2, 0, 1, 2]] {
      expectRefusal(.wrongCertificateCount, comment: "\(order)") {
        try verify(samples, order.map { der[$0] })
      }
    }
    expectRefusal(.unpinnedCertificate, .local) { try verify(samples, [der[0]]) }
  }

  @Test("is refused under another root, also one of the same name") func roots() throws {
    let samples = try SigningSamples()
    let unknown = expectRefusal(.untrustedRoot, .root) { try verify(samples, roots: .apple) }
    #expect(unknown.contains("CN=Root (SHA-256 \(CertificateFingerprint(ofDER: samples.der[2]))"))
    var recipe = ChainRecipe()
    (recipe.rootKeyName, recipe.intermediateSigner) = ("other", "other")
    let other = try SigningSamples(recipe)
    let named = expectRefusal(.untrustedRoot, .root) { try verify(other, roots: samples.roots) }
    #expect(named.contains("the name of a trusted root and another key"))
    // The trusted root in the place of the forged one.
    expectRefusal(.brokenChain, .intermediate) {
      try verify(other, [other.der[0], other.der[1], samples.der[2]], roots: samples.roots)
    }
    recipe = ChainRecipe()
    recipe.leafSigner = "other"
    expectRefusal(.brokenChain, .leaf) { try verify(try SigningSamples(recipe)) }
  }

  @Test("may end at the trusted root in another certificate, which then decides nothing")
  func reissuedRoot() throws {
    let trusted = try SigningSamples()
    var recipe = ChainRecipe()
    recipe.rootDates = ("2023-01-01T00:00:00Z", "2023-02-01T00:00:00Z")
    recipe.rootConstraints = .notCertificateAuthority
    let reissued = try SigningSamples(recipe)
    #expect(reissued.der[2] != trusted.der[2])
    let data = try verify(reissued, roots: trusted.roots)
    #expect(data.certificates[2].fingerprint == CertificateFingerprint(ofDER: trusted.der[2]))
    expectRefusal(.wrongPurpose, .root) { try verify(trusted, roots: reissued.roots) }
  }

  @Test("is refused with any byte of a certificate changed") func everyByte() throws {
    let samples = try SigningSamples()
    let roots = try samples.roots
    for number in 0..<2 {
      for index in samples.der[number].indices {
        var changed = samples.der
        changed[number][index] ^= 1 << (index % 8)
        #expect(throws: SignedDataError.self, "byte \(index) of certificate \(number)") {
          try SigningChain(changed, roots: roots, pinned: [])
            .check(at: SigningSamples.instant(SigningSamples.signedAt))
        }
      }
    }
    // The last certificate only names the trusted root, which is used in its place.
    var others = 0
    for index in samples.der[2].indices {
      var changed = samples.der
      changed[2][index] ^= 1 << (index % 8)
      do {
        let chain = try SigningChain(changed, roots: roots, pinned: [])
        #expect(chain.certificates[2] == roots.certificates[0], "byte \(index)")
      } catch { others += 1 }
    }
    #expect(others > 0)
  }

  @Test("is remembered without its time") func remembered() throws {
    let samples = try SigningSamples()
    let verifier = try samples.verifier()
    func verify(at time: String, header: String? = nil) throws {
      _ = try verifier.verify(
        try samples.jws(SigningSamples.transaction(at: time), header: header),
        at: SigningSamples.now)
    }
    try verify(at: "2023-06-02T10:00:00Z")
    #expect(verifier.rememberedChainCount == 1)
    expectRefusal(.expired, .leaf) { try verify(at: "2024-06-02T10:00:00Z") }
    expectRefusal(.notYetValid, .leaf) { try verify(at: "2022-05-02T10:00:00Z") }
    try verify(at: "2024-05-02T10:00:00Z")
    #expect(verifier.rememberedChainCount == 1)
    for number in 0...rememberedChainsMax {
      let header = SigningSamples.header(samples.der, more: ",\"kid\":\"\(number)\"")
      try verify(at: SigningSamples.signedAt, header: header)
    }
    #expect(verifier.rememberedChainCount == rememberedChainsMax)
    try verify(at: SigningSamples.signedAt)
  }

  @Test("is not remembered if it did not sign") func notRemembered() throws {
    let samples = try SigningSamples()
    let verifier = try samples.verifier()
    let signed = try samples.jws(SigningSamples.transaction())
    let text = SigningSamples.changed(signed, at: signed.count - 10)
    expectRefusal(.badSignature, .leaf) { try verifier.verify(text, at: SigningSamples.now) }
    #expect(verifier.rememberedChainCount == 0)
  }
}

@Suite("The judgement of swift-certificates") struct ChainOracleTests {
  /// Whether the verifier of swift-certificates takes a chain. It knows neither Apple's marks nor
  /// key usages, and builds its own path.
  private func isTaken(_ samples: SigningSamples, at time: Instant) async throws -> Bool {
    let seconds = Double(time.microseconds / Instant.second)
    var verifier = Verifier(rootCertificates: CertificateStore([samples.certificates[2]])) {
      RFC5280Policy(fixedExpiryValidationTime: .init(timeIntervalSince1970: seconds))
    }
    let result = await verifier.validate(
      leaf: samples.certificates[0],
      intermediates: CertificateStore([samples.certificates[1]]))
    if case .validCertificate = result { return true }
    return false
  }

  private func isOurs(_ samples: SigningSamples, at time: Instant) throws -> Bool {
    do {
      try SigningChain(samples.der, roots: samples.roots, pinned: []).check(at: time)
      return true
    } catch { return false }
  }

  @Test("is ours for chains that differ in what it judges") func agreement() async throws {
    let constraints: [BasicConstraints?] = [
      nil, .notCertificateAuthority, .isCertificateAuthority(maxPathLength: nil),
      .isCertificateAuthority(maxPathLength: 0),
    ]
    var taken = 0
    for root in constraints {
      for intermediate in constraints {
        for signers in [("root", "intermediate"), ("other", "intermediate"), ("root", "other")] {
          var recipe = ChainRecipe()
          (recipe.rootConstraints, recipe.intermediateConstraints) = (root, intermediate)
          (recipe.intermediateSigner, recipe.leafSigner) = signers
          let samples = try SigningSamples(recipe)
          for time in [
            "2022-05-31T23:59:59Z", "2022-06-01T00:00:00Z", "2024-06-01T00:00:00.5Z",
            "2024-06-01T00:00:01Z", "2040-01-01T00:00:00Z",
          ].map(SigningSamples.instant) {
            let theirs = try await isTaken(samples, at: time)
            let ours = try isOurs(samples, at: time)
            taken += ours ? 1 : 0
            #expect(
              ours == theirs,
              "root \(String(describing: root)), \(String(describing: intermediate)), \(signers)")
          }
        }
      }
    }
    #expect(taken == 4)
  }
}
