import LedgerEvents

/// An answer of the store that is not what was asked for, and what follows from it.
///
/// Source: Error codes (App Store Server API).
struct StoreFault {
  /// What to do about it.
  enum Verdict: Equatable {
    /// Wait, and send the same request again.
    case again
    /// Wait until the store says, and send the same request again.
    case throttled
    case failed(PullError.Kind)
  }

  /// Codes that the store calls retryable, and its general internal error.
  private static let retryable: Set<Int64> = [
    4_040_002, 4_040_004, 4_040_006, 5_000_001, 5_000_000,
  ]
  /// The transaction, or the original transaction, is not known there.
  private static let unknownTransaction: Set<Int64> = [4_040_010, 4_040_005]
  /// The revision, or the pagination token, is invalid, or the token has expired.
  private static let refusedCursor: Set<Int64> = [4_000_005, 4_000_014, 4_000_017]
  /// The first moment of the notification history is too long ago by now.
  private static let tooFarBack: Int64 = 4_000_012

  /// The codes about times: what was asked for, and how long a token is good.
  private static let codesOfTime: Set<Int64> = [
    4_000_012, 4_000_013, 4_000_015, 4_000_016, 4_000_017,
  ]

  let status: Int
  let code: Int64?
  let message: String?

  /// How many characters of the store's words are shown. Its own messages have fewer than 100.
  static let messageCharactersMax = 200

  /// - Parameter blanked: Takes out what must not be shown.
  init(_ answer: TransportAnswer, blanked: (String) -> String = { $0 }) {
    status = answer.status
    var code: Int64?
    var message: String?
    do throws(EventError) {
      let body = try JSONValue(document: answer.body, nulls: .leftOut)
      code = body["errorCode"]?.integer
      message = body["errorMessage"]?.string
    } catch {
      // A proxy answers with a page, and 401 has no body. The status says enough then.
      message = nil
    }
    (self.code, self.message) = (code, message.map { Self.cut(blanked($0)) })
  }

  /// The beginning of a text that somebody else wrote.
  static func cut(_ text: String) -> String {
    let beginning = text.prefix(messageCharactersMax)
    return beginning.endIndex < text.endIndex ? beginning + "…" : text
  }

  var verdict: Verdict {
    if status == 429 { return .throttled }
    if status == 401 { return .failed(.unauthorized) }
    if let code {
      if Self.retryable.contains(code) { return .again }
      if Self.unknownTransaction.contains(code) { return .failed(.notFound) }
      if Self.refusedCursor.contains(code) || code == Self.tooFarBack {
        return .failed(.cursorRefused)
      }
    }
    return status >= 500 || status == 408 ? .again : .failed(.refused)
  }

  /// The store's own words, with the code and the status.
  var words: String {
    let said = message.map { " “\($0)”" } ?? ""
    return code.map { "\(status), error \($0)\(said)" } ?? "\(status)\(said)"
  }

  /// What to do about codes that a user can do something about.
  var advice: String {
    switch code {
    case 4_000_005: " The store does not take the revision that it gave."
    case 4_000_006, 4_000_008: " Check the transaction's identifier."
    case 4_000_012: " The first moment that was asked for is too long ago."
    case 4_000_013: " The first moment that was asked for is after the last one."
    case 4_000_014: " The store does not take the pagination token that it gave."
    case 4_000_015, 4_000_016: " The store does not take the time that was asked for."
    case 4_000_017: " The pagination token has expired."
    case 4_000_183: " The account must be a UUID."
    case 4_000_185: " Only the purchaser's transaction can have a token, not a family member's."
    case 4_000_187: " Name the original transaction: the first one of the chain."
    case 4_040_003: " The app is not in this environment: check --app."
    case nil: statusAdvice
    default: ""
    }
  }

  /// What to do about a status without a code, which the API always states.
  private var statusAdvice: String {
    switch status {
    case 300..<400:
      " It names another address, which is not followed, because the request has a bearer token. "
        + "Check --host, and whether a proxy is between."
    case 400..<500:
      " An error of the App Store Server API has a code: check --host, and whether a proxy is "
        + "between."
    default: ""
    }
  }

  /// Whether a wrong clock of this machine can be the cause.
  var canBeTheClock: Bool {
    status == 401 || code.map(Self.codesOfTime.contains) == true
  }
}
