import ArgumentParser
import Foundation
import LedgerEvents
import LedgerStore
import SignedStoreData
import StoreImport

/// The options that only apply to what the App Store signs.
struct SignedDataOptions: ParsableArguments {
  @Option(
    name: .customLong("app-apple-id"),
    help: ArgumentHelp(
      "The app's number in the App Store, which production's notifications must state.",
      valueName: "number"))
  var appAppleID: Int64?

  @Option(
    name: .customLong("pin"),
    help: ArgumentHelp(
      "The SHA-256 of Xcode's certificate, to believe what Xcode signs.", valueName: "sha256"),
    transform: { text in
      guard let fingerprint = CertificateFingerprint(text) else {
        throw ValidationError("expected 64 hexadecimal digits, found \"\(text)\".")
      }
      return fingerprint
    })
  var pinned: [CertificateFingerprint] = []

  @Option(
    name: .customLong("root"),
    help: ArgumentHelp(
      "Trusts the certificates in a file (DER or PEM) in place of Apple's. May be repeated.",
      valueName: "file"),
    completion: .file())
  var roots: [String] = []

  @Flag(
    name: .customLong("unverified"),
    help: "Reads signed texts without verifying them, and records the import as not verified.")
  var isUnverified = false

  /// The first option that was given.
  var stated: String? {
    if appAppleID != nil { return "--app-apple-id" }
    if !pinned.isEmpty { return "--pin" }
    if !roots.isEmpty { return "--root" }
    return isUnverified ? "--unverified" : nil
  }

  func validate() throws {
    if isUnverified, let option = stated, option != "--unverified" {
      throw ValidationError("\(option) verifies, and --unverified does not: leave one out.")
    }
  }

  /// What is believed: without an app that it must be for, nothing that is signed.
  func trust(_ command: Import) throws -> SignatureTrust {
    if isUnverified { return .unverified }
    guard let app = command.app else { return .noApp }
    var environments: Set<StoreEnvironment> = [.production, .sandbox]
    if !pinned.isEmpty { environments.formUnion([.xcode, .localTesting]) }
    if let named = command.environment?.environment { environments = [named] }
    let expected = ExpectedApp(
      bundleID: app.text, appAppleID: appAppleID, environments: environments)
    return .verified(
      SignedDataVerifier(app: expected, roots: try trustedRoots(), pinned: Set(pinned)),
      at: EventLog.systemClock())
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
}
