package import LedgerQueries
import SignedStoreData
import StoreImport

/// Why a notification was not taken: which check failed, what was found, and whether sending it
/// again can help.
package struct IntakeRefusal: Error, Sendable {
  /// What is wrong.
  package enum Kind: Sendable {
    /// It is not a notification of version 2, or lacks what each of them has.
    case unreadable
    /// It is not believed: a signature, a certificate, its purpose or its environment is wrong.
    case untrusted
    /// The store signed it, and it is about an app that is not in the table of apps, or the table
    /// has another number for that app, or none.
    case otherApp
    /// It contradicts what the ledger has: it names another owner of a purchase, for example.
    case contradiction
    /// The ledger could not be read or written. The notification may be right.
    case tryAgain(LedgerError)
  }

  /// What is wrong.
  package let kind: Kind

  /// The check that failed, as one word for logs and counters: a code of `SignedDataError`, of
  /// `ImportError` or of `LedgerError`, such as `badSignature`.
  package let check: String

  /// Which check failed, what was expected and found, and what to do about it, in one or two
  /// sentences without control characters.
  package let message: String

  /// Whether the store should send the notification again: what failed is here, and not in the
  /// notification.
  package var shouldRetry: Bool {
    if case .tryAgain = kind { true } else { false }
  }

  init(_ kind: Kind, check: String, _ message: String) {
    self.kind = kind
    self.check = check
    self.message = message
  }

  /// Creates a refusal because of what could not be verified.
  init(_ error: SignedDataError) {
    let kind: Kind =
      switch error.code {
      case .tooLarge, .malformed, .malformedPayload, .unknownKind, .otherKind: .unreadable
      // What a notification carries is for the notification's own app, whichever that is.
      case .otherApp: error.path.isEmpty ? .otherApp : .untrusted
      case .appNotStated: .otherApp
      case .unsupportedAlgorithm, .wrongCertificateCount, .malformedCertificate, .untrustedRoot,
        .unpinnedCertificate, .brokenChain, .wrongPurpose, .notYetValid, .expired, .badSignature,
        .noSigningDate, .signedInFuture, .otherEnvironment, .environmentNotStated, .notLocal,
        .contradiction:
        .untrusted
      }
    self.init(kind, check: error.code.rawValue, "not believed (\(error.code)): \(error)")
  }

  /// Creates a refusal because of what the notification says.
  init(_ error: ImportError) {
    let kind: Kind =
      switch error.code {
      case .malformed, .otherFormat, .badValue, .missing, .refusedByStore: .unreadable
      case .notBelieved: .untrusted
      case .contradiction, .ownedByAnother: .contradiction
      }
    self.init(kind, check: error.code.rawValue, error.description)
  }

  /// Creates a refusal because of the ledger.
  init(_ error: LedgerError) {
    self.init(.tryAgain(error), check: "\(error.code)", error.message)
  }

  init(_ failure: IntakeFailure) {
    switch failure {
    case .file(let error): self.init(error)
    case .ledger(let error): self.init(error)
    case .outrun:
      self.init(
        LedgerError(
          .conditionFailed,
          "The ledger changed each of \(PurchaseIntake.attemptsMax) times that this notification "
            + "was compared with it: send it again, nothing is doubled."))
    }
  }
}

extension IntakeRefusal: CustomStringConvertible {
  package var description: String { message }
}
