/// Why signed data was not believed: which check of which certificate or statement failed, what was
/// expected, and what to do about it.
///
/// Two errors are equal if their codes are.
public struct SignedDataError: Error, Sendable {
  /// The kind of a failure.
  public enum Code: String, CaseIterable, Sendable {
    /// There are more bytes than the limit for this part allows.
    case tooLarge
    /// The text is not a JWS in compact form, or its header is not what the format demands.
    case malformed
    /// The header names another algorithm than ES256.
    case unsupportedAlgorithm
    /// There are neither three certificates nor a single one.
    case wrongCertificateCount
    /// A certificate is not X.509 in DER, or breaks a rule of its format.
    case malformedCertificate
    /// The last certificate is not a trusted root.
    case untrustedRoot
    /// The only certificate is one of local testing that nobody pinned.
    case unpinnedCertificate
    /// A certificate was not issued by the next one.
    case brokenChain
    /// A certificate is not meant for what it is used for.
    case wrongPurpose
    /// A certificate was not valid yet at the time of signing.
    case notYetValid
    /// A certificate had expired at the time of signing.
    case expired
    /// The signature is not that of the leaf certificate's key over these bytes.
    case badSignature
    /// The payload is not a JSON object, or a member has another type than Apple documents.
    case malformedPayload
    /// The payload is of no known kind.
    case unknownKind
    /// The payload is of another kind than the caller expects.
    case otherKind
    /// The payload does not say when it was signed.
    case noSigningDate
    /// The payload says that it was signed after it was verified.
    case signedInFuture
    /// The payload is about another app.
    case otherApp
    /// The payload, or the caller, does not say which app it is about.
    case appNotStated
    /// The payload is from another environment than the caller expects.
    case otherEnvironment
    /// The payload does not say which environment it is from.
    case environmentNotStated
    /// A certificate of local testing signed something that claims to come from the store.
    case notLocal
    /// A payload and the one in it contradict each other.
    case contradiction
  }

  /// Which failure it is.
  public let code: Code
  /// The certificate that failed; nil if the failure is not about a certificate.
  public let certificate: CertificateRole?
  /// The place of the failing JWS in an outer payload, such as `data.signedTransactionInfo`; empty
  /// for the outer JWS itself.
  public internal(set) var path: String
  /// What was expected and what was found, without a full stop.
  public let reason: String
  /// What to do about it, without a full stop.
  public let remedy: String

  init(_ code: Code, _ reason: String, remedy: String) {
    self.init(code, nil, reason, remedy: remedy)
  }

  init(_ code: Code, _ certificate: CertificateRole?, _ reason: String, remedy: String) {
    self.code = code
    self.certificate = certificate
    path = ""
    self.reason = Self.printable(reason)
    self.remedy = remedy
  }

  /// The maximum length of a reason, in UTF-8 bytes.
  private static let reasonBytesMax = 1_000

  /// A reason without control characters and of bounded length. It may quote what nobody has
  /// signed, and is written to logs and terminals.
  private static func printable(_ reason: String) -> String {
    var text = ""
    for scalar in reason.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
        .unassigned:
        text += scalar.escaped(asASCII: true)
      default: text.unicodeScalars.append(scalar)
      }
      if text.utf8.count > reasonBytesMax { return text + "…" }
    }
    return text
  }

  /// Returns the same error for a JWS at a place in an outer payload.
  func within(_ path: String) -> SignedDataError {
    var error = self
    error.path = self.path.isEmpty ? path : "\(path).\(self.path)"
    return error
  }

  /// The remedy for bytes that are not as the store sent them.
  static let takeUnchanged = "Pass the signed text exactly as the store sent it"
}

extension SignedDataError: Equatable, CustomStringConvertible {
  public static func == (left: SignedDataError, right: SignedDataError) -> Bool {
    left.code == right.code
  }

  /// `data.signedTransactionInfo: the signature does not fit …. Pass the signed text ….`
  public var description: String {
    (path.isEmpty ? "" : "\(path): ") + "\(reason). \(remedy)."
  }
}
