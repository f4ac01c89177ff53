import HTTPTypes
import Hummingbird
import LedgerAnswers
import LedgerEvents
import LedgerStore
import ServiceAccess

extension ServiceRoutes {
  static let keysPath = "/v1/keys"

  /// The keys that verify signed answers. They are public, so it needs no token.
  func addKeys(to router: RouterGroup<ServiceContext>) {
    router.answer(RouterPath(Self.keysPath)) { _, _ in
      let keys = try await work.run { () throws(Problem) in
        do throws(TokenError) { return try answerKeys.published() } catch {
          throw Self.unsigned(error.message)
        }
      }
      return Response(
        status: .ok,
        headers: [
          .contentType: "application/jwk-set+json",
          .cacheControl: "public, max-age=\(ServiceLimits.keysSeconds)",
        ], body: ResponseBody(byteBuffer: ByteBuffer(string: AnswerKey.json(keys) + "\n")))
    }
  }

  /// The response with a signed answer.
  ///
  /// - Parameters:
  ///   - json: The answer.
  ///   - question: What was asked.
  ///   - asked: How it is to be signed.
  ///   - position: The position that the answer knows.
  ///   - changesAt: When the answer changes because time passes; nil for never.
  /// - Throws: ``Problem``: `unavailable`.
  func signed(
    _ json: String, to question: String, _ asked: SigningAsked, position: UInt64,
    changesAt: Instant?
  ) throws(Problem) -> Response {
    let signer: AnswerSigner?
    do throws(TokenError) { signer = try answerKeys.signer() } catch {
      throw Self.unsigned(error.message)
    }
    guard let signer else {
      throw Self.unsigned(
        "There is no key to sign with: make one with `daybook answer-key new`.")
    }
    let ledger = work.ledger.log.identity.ledger
    let text = try asked.signed(
      json, to: question, position: position, changesAt: changesAt, now: EventLog.systemClock(),
      issuer: "urn:daybook:ledger:"
        + ledger.map { byte in
          (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined(), by: signer)
    return Response(
      status: .ok,
      headers: [
        .contentType: SigningAsked.contentType, .cacheControl: "no-store",
        .positionName: "\(position)",
      ], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }

  private static func unsigned(_ reason: String) -> Problem {
    Problem(fault: reason, retryAfterSeconds: 30)
  }
}
