import HTTPTypes
import Hummingbird
import LedgerAnswers
import LedgerStore

/// What became of the events of a request.
struct AppendAnswer: Sendable {
  enum Outcome: Sendable {
    case appended(UInt64)
    case duplicate(UInt64)
    case refused(Problem.Kind, Problem.LineError)

    var position: UInt64? {
      switch self {
      case .appended(let position), .duplicate(let position): position
      case .refused: nil
      }
    }
  }

  struct Line: Sendable {
    let number: Int
    /// nil if the line is so broken that its id cannot be read.
    let id: String?
    let outcome: Outcome
  }

  var lines: [Line]

  var lastPosition: UInt64? { lines.compactMap(\.outcome.position).max() }

  private var refused: [(kind: Problem.Kind, error: Problem.LineError)] {
    lines.compactMap { line in
      if case .refused(let kind, let error) = line.outcome { (kind, error) } else { nil }
    }
  }

  /// 200 if every event is in the ledger; else the status of what was refused, if all was refused
  /// for one reason, and 422 if not.
  private var status: HTTPResponse.Status {
    let kinds = Set(refused.map(\.kind.status.code))
    if kinds.isEmpty { return .ok }
    // 412 and 507 say something about the whole request, so they never stand for a line.
    guard kinds.count == 1, let code = kinds.first, [400, 409, 413].contains(code) else {
      return .unprocessableContent
    }
    return .init(code: code)
  }

  /// The response, after all events are durable.
  ///
  /// - Parameter request: What it asked for.
  func response(to request: AppendRequest) -> Response {
    let body = request.answersLines ? text : document
    var headers: HTTPFields = [
      .contentType: request.answersLines ? "application/x-ndjson" : "application/json",
      .cacheControl: "no-store",
    ]
    if let lastPosition { headers[.positionName] = "\(lastPosition)" }
    return Response(
      status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
  }

  /// A line for each event, as recorders read it.
  private var text: String {
    lines.map { line in JSONText.text { json in line.write(to: &json) } + "\n" }.joined()
  }

  private var document: String {
    let positions = lines.compactMap { line in
      if case .appended(let position) = line.outcome { position } else { nil }
    }
    let refused = refused.count
    let json = JSONText.text { json in
      json.object { json in
        json.member("appended", positions.count)
        json.member("duplicates", lines.count - positions.count - refused)
        json.member("rejected", refused)
        json.member("firstPosition", positions.min())
        json.member("lastPosition", positions.max())
        json.member("events", each: lines) { $1.write(to: &$0) }
      }
    }
    return json + "\n"
  }
}

extension AppendAnswer.Line {
  func write(to json: inout JSONText) {
    json.object { json in
      json.member("line", number)
      json.member("id", id)
      switch outcome {
      case .appended(let position):
        json.member("position", position)
        json.member("status", "appended")
      case .duplicate(let position):
        json.member("position", position)
        json.member("status", "duplicate")
      case .refused(_, let error):
        json.member("status", "rejected")
        if let column = error.column { json.member("column", column) }
        if let field = error.field, !field.isEmpty { json.member("field", field) }
        json.member("refused", error.reason)
      }
    }
  }
}
