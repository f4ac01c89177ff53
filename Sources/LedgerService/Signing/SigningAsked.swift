import LedgerAnswers
import LedgerEvents
import ServiceAccess

/// How an answer is to be signed, as a request asks for it.
struct SigningAsked: Sendable {
  /// The parameters of an address whose answers can be signed.
  static let parameters = ["signed", "audience", "nonce", "validSeconds"]
  /// What the type of a signed answer is, in its header.
  static let type = "daybook-answer+jwt"
  static let contentType = "application/jwt"

  private let account: Name
  /// For whom the answer is: a device, or an installation of an app.
  private let audience: String
  /// What the client has made up for this request.
  private let nonce: String?
  private let validSeconds: Int64

  /// nil if the answer is not to be signed.
  ///
  /// - Throws: ``Problem``: `badRequest`.
  init?(_ items: QueryItems) throws(Problem) {
    guard try items.flag("signed") else {
      for name in Self.parameters.dropFirst() where !items.texts(name).isEmpty {
        throw Problem(.badRequest, "\(name) is about a signed answer: send signed=true.")
      }
      return nil
    }
    for name in ["at", "asOf", "transaction", "original", "format"]
    where items.takes(name) && !items.texts(name).isEmpty {
      throw Problem(
        .badRequest,
        "signed cannot be combined with \(name): a signed answer is about an account and the "
          + "present, and has one form.")
    }
    account = try items.required("account")
    guard let audience = try items.short("audience") else {
      throw Problem(
        .badRequest,
        "audience is missing: say for which device or installation the answer is, so that it is "
          + "worth nothing on another one.")
    }
    self.audience = audience
    nonce = try items.short("nonce")
    let seconds = try items.number("validSeconds", in: 1...ServiceLimits.signedSecondsMax)
    validSeconds = Int64(seconds ?? ServiceLimits.signedSeconds)
  }

  /// The signed answer, in compact form.
  ///
  /// - Parameters:
  ///   - answer: The answer as JSON.
  ///   - question: What was asked.
  ///   - position: The position that the answer knows.
  ///   - changesAt: When the answer changes because time passes; nil for never.
  ///   - now: The present.
  ///   - issuer: The ledger.
  ///   - signer: The key.
  /// - Throws: ``Problem``: `unavailable`.
  func signed(
    _ answer: String, to question: String, position: UInt64, changesAt: Instant?, now: Instant,
    issuer: String, by signer: AnswerSigner
  ) throws(Problem) -> String {
    let begin = now.microseconds / Instant.second
    var end = begin + validSeconds
    // A signed answer is true as long as it is valid, but for events that come later. One that has
    // changed since it was looked up has expired when it is signed.
    if let changesAt { end = min(end, changesAt.microseconds / Instant.second) }
    let payload = JSONText.text { json in
      json.object { json in
        json.member("iss", issuer)
        json.member("sub", account)
        json.member("aud", audience)
        json.member("iat", begin)
        json.member("exp", end)
        if let nonce { json.member("nonce", nonce) }
        json.member("question", question)
        json.member("position", position)
        json.key("answer")
        json.raw(answer)
      }
    }
    do throws(TokenError) {
      return try signer.signed(Array(payload.utf8), type: Self.type)
    } catch {
      throw Problem(.unavailable, error.message)
    }
  }
}

extension QueryItems {
  /// A text that is repeated in an answer.
  fileprivate func short(_ name: String) throws(Problem) -> String? {
    guard let text = try text(name) else { return nil }
    guard text.utf8.count <= ServiceLimits.signedTextBytesMax else {
      throw Problem(
        .badRequest, "\(name): expected up to \(ServiceLimits.signedTextBytesMax) bytes.")
    }
    return text
  }
}
