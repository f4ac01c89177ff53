import ArgumentParser
import LedgerEvents
import LedgerStore
import SignedStoreData
import StoreImport

/// The options by which an import believes what the store signed.
struct SignatureOptions: ParsableArguments {
  @Option(
    name: .customLong("root"),
    help: ArgumentHelp(
      "Trusts the certificates in a file (DER or PEM) in place of Apple's. May be repeated.",
      valueName: "file"),
    completion: .file())
  var roots: [String] = []

  @Option(
    name: .customLong("pin"),
    help: ArgumentHelp(
      "Believes this certificate of Xcode or another local test. May be repeated.",
      valueName: "sha256"),
    transform: fingerprint)
  var pins: [CertificateFingerprint] = []

  @Flag(
    name: .customLong("unverified"),
    help: "Imports without looking at signatures, and records that.")
  var isUnverified = false

  func validate() throws {
    guard !isUnverified || roots.isEmpty && pins.isEmpty else {
      throw ValidationError(
        "--unverified looks at no certificate: leave out --root and --pin, or leave it out.")
    }
  }

  /// The first option that was given.
  var stated: String? {
    if !roots.isEmpty { return "--root" }
    if !pins.isEmpty { return "--pin" }
    return isUnverified ? "--unverified" : nil
  }

  /// Returns what is believed.
  ///
  /// Without an environment, the store's two are, and local tests if a certificate is pinned: a
  /// ledger keeps environments apart.
  func trust(app: Name?, environment: StoreEnvironment?) throws -> SignatureTrust {
    if isUnverified { return .unverified }
    guard let app else { return .noApp }
    let local: Set<StoreEnvironment> = pins.isEmpty ? [] : [.xcode, .localTesting]
    let expected = ExpectedApp(
      bundleID: app.text,
      environments: environment.map { [$0] } ?? local.union([.production, .sandbox]))
    let verifier = SignedDataVerifier(
      app: expected, roots: try trustedRoots(), pinned: Set(pins))
    return .verified(verifier, at: EventLog.systemClock())
  }

  private func trustedRoots() throws -> TrustedRoots {
    guard !roots.isEmpty else { return .apple }
    var certificates: [[UInt8]] = []
    for file in roots {
      let bytes = try Import.bytes(of: file)
      do throws(SignedDataError) {
        certificates += try TrustedRoots(file: bytes).encoded
      } catch { throw InputProblem("\(file): \(error)") }
    }
    do throws(SignedDataError) { return try TrustedRoots(der: certificates) } catch {
      throw InputProblem(error.description)
    }
  }

  private static func fingerprint(_ text: String) throws -> CertificateFingerprint {
    guard let fingerprint = CertificateFingerprint(text) else {
      throw ValidationError(
        "expected the SHA-256 of a certificate in 64 hexadecimal digits, found \"\(text)\".")
    }
    return fingerprint
  }
}
