import Foundation
import HostedContent
import LedgerEvents
import LedgerQueries
import Synchronization

/// The ledger's requirements for a package, if there is a ledger.
struct LedgerExpectations {
  /// An error from a closure that cannot throw.
  private final class Failure: Sendable {
    let error = Mutex<LedgerError?>(nil)
  }

  let expectations: PackageExpectations
  /// Whether there is a ledger.
  let isThere: Bool
  /// What could not be compared, and why.
  let notice: String?
  private let failure = Failure()

  /// - Throws: An error if the ledger was named and does not exist, or if it cannot be read. A
  ///   ledger that nobody named need not exist.
  init(
    _ options: LedgerOptions, product: Name?, app: Name?, environment: StoreEnvironment
  ) throws {
    let isNamed =
      options.ledger != nil
      || !(ProcessInfo.processInfo.environment["DAYBOOK_LEDGER"] ?? "").isEmpty
    guard isNamed || FileManager.default.fileExists(atPath: options.path) else {
      expectations = PackageExpectations(product: product)
      isThere = false
      notice =
        "there is no ledger here: product and version are not compared with a catalogue "
        + "(name one with --ledger)."
      return
    }
    let ledger = try Ledger(at: options.path, access: .readOnly)
    let now = Instant(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
    let catalogue = try ledger.read { (view) throws(LedgerError) in
      try view.catalogue(in: environment, app: app, now: now)
    }
    isThere = true
    notice =
      catalogue.isEmpty
      ? "the ledger has no catalogue in force: the product is not compared with it." : nil
    expectations = PackageExpectations(
      product: product,
      knownProducts: catalogue.isEmpty ? nil : Set(catalogue.map(\.product)),
      versionOnOffer: { [failure] product in
        do throws(LedgerError) {
          let versions = try ledger.read { (view) throws(LedgerError) in
            try view.versionsOnOffer(of: [product], in: environment)
          }
          return versions[product].map { .version($0) } ?? .nothing
        } catch {
          failure.error.withLock { $0 = error }
          return .unknown
        }
      })
  }

  /// Throws the ledger's error from the time when the package was judged, if there was one.
  func rethrow() throws {
    if let error = failure.error.withLock({ $0 }) { throw error }
  }
}
