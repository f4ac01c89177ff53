/// Why a file of the store could not be imported: where it stands, what was expected there, and
/// what to do about it.
///
/// Two errors are equal where their codes are; texts are for people.
public struct ImportError: Error, Sendable {
  /// What sort of thing is wrong.
  public enum Code: String, CaseIterable, Sendable {
    /// The bytes are no JSON document in UTF-8, or larger than `importSizeBytesMax`.
    case malformed
    /// It is JSON, but not of this format.
    case otherFormat
    /// A field has a value that the format does not allow.
    case badValue
    /// A field is absent that the fact needs.
    case missing
    /// Two places of one file, or the file and an option, say different things.
    case contradiction
    /// The answer of verifyReceipt carries a status other than 0.
    case refusedByStore
    /// The ledger knows another owner of a purchase.
    case ownedByAnother
  }

  public var code: Code
  /// The file's name, as the options give it.
  public var file: String
  /// Where in the document, such as `receipt.in_app[3].purchase_date_ms`; empty for the whole.
  public var path: String
  /// What was expected and what was found.
  public var reason: String
  /// What to do about it.
  public var remedy: String
  /// The status of the store's answer, where that is what is wrong.
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

  /// The same error with the name of the file, which the readers inside do not know.
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
