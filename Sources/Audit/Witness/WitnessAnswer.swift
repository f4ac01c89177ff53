/// What a witness answers. A server sends the status, the content type and the body as they are.
///
/// Source: c2sp.org/tlog-witness, "add-checkpoint".
public struct WitnessAnswer: Sendable, Hashable {
  /// The kind of answer. The raw value is the status of HTTP.
  public enum Status: Int, Sendable {
    /// The checkpoint is cosigned.
    case cosigned = 200
    /// The request is malformed, or its old size is larger than the checkpoint.
    case badRequest = 400
    /// No trusted key of the log has signed the checkpoint, or one of their signatures is false.
    case notSigned = 403
    /// The witness does not know the log.
    case unknownLog = 404
    /// The old size is not that of the checkpoint that was cosigned last.
    case conflict = 409
    /// The checkpoint does not extend the one that was cosigned last.
    case inconsistent = 422
  }

  public let status: Status
  /// The media type of the body.
  public let contentType: String
  /// Lines of signatures if the checkpoint is cosigned, and the size of the checkpoint that was
  /// cosigned last in a conflict. Otherwise, the reason.
  public let body: String
  /// Why the request was refused, for people; nil if it was not.
  public let reason: String?

  static func cosigned(_ signature: SignedNote.Signature) -> WitnessAnswer {
    WitnessAnswer(
      status: .cosigned, contentType: plain, body: SignedNote.lines(of: [signature]), reason: nil)
  }

  static func conflict(knowing size: UInt64, _ reason: String) -> WitnessAnswer {
    WitnessAnswer(
      status: .conflict, contentType: "text/x.tlog.size", body: "\(size)\n", reason: reason)
  }

  static func refused(_ status: Status, _ reason: String) -> WitnessAnswer {
    WitnessAnswer(status: status, contentType: plain, body: reason + "\n", reason: reason)
  }

  private static let plain = "text/plain; charset=utf-8"
}
