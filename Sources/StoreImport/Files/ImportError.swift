/// The reason why a file of the store could not be imported: where the error is, what was expected
/// there, and what to do about it.
///
/// Two errors are equal if their codes are equal.
public struct ImportError: Error, Sendable {
  /// The kind of error.
  public enum Code: String, CaseIterable, Sendable {
    /// The bytes are not a JSON document in UTF-8, or there are more than `importSizeBytesMax`.
    case malformed
    /// The file is JSON, but not of this format.
    case otherFormat
    /// A field has a value that the format does not allow.
    case badValue
    /// A field that the fact needs is absent.
    case missing
    /// The file contradicts itself or an option.
    case contradiction
    /// The answer of verifyReceipt has a status other than 0.
    case refusedByStore
    /// What is signed could not be verified.
    case notBelieved
    /// The ledger has another owner of a purchase.
    case ownedByAnother
  }

  public var code: Code
  /// The file's name, as given in the options.
  public var file: String
  /// The location in the document, such as `receipt.in_app[3].purchase_date_ms`; empty for the
  /// whole document.
  public var path: String
  /// What was expected and what was found.
  public var reason: String
  /// What to do about it.
  public var remedy: String
  /// The status of the store's answer, if the error is about the status.
  public var status: Int?

  public init(
    _ code: Code, file: String = "", path: String = "", reason: String, remedy: String,
    status: Int? = nil
  ) {
    self.code = code
    self.file = file
    self.path = path
    self.reason = reason
    self.remedy = remedy
    self.status = status
  }

  /// Returns the same error with the name of the file, which the inner readers do not know.
  func of(file: String) -> ImportError {
    var error = self
    error.file = file
    return error
  }
}

extension ImportError: Equatable, CustomStringConvertible {
  public static func == (left: ImportError, right: ImportError) -> Bool { left.code == right.code }

  /// `receipt.json: receipt.in_app[3].quantity: expected digits, found true. Write …`.
  public var description: String {
    var text = ""
    if !file.isEmpty { text += file + ": " }
    if !path.isEmpty { text += path + ": " }
    return text + reason + ". " + remedy + "."
  }
}
