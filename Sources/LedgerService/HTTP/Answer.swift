import HTTPTypes
import Hummingbird
import LedgerAnswers
import LedgerEvents

/// What a question is answered with, before it has a form.
struct Answer: Sendable {
  enum Content: Sendable {
    /// One JSON object. In a table, the elements of the member `rows` are the rows.
    case document(String, rows: String?)
    /// A page of JSON objects, and the cursor of the next page.
    case page([String], next: Cursor?)
    /// A text that has the form already, such as a page for people.
    case text(String)
    /// JSON objects that are lines, or rows of a table.
    case lines([String])
  }

  var content: Content
  /// The columns of a table; if it is empty, the members are the columns.
  var columns: [String] = []
  /// The last position that the answer knows.
  var position: UInt64
  /// The store time of the answer; nil if it does not depend on that.
  var at: Instant?
  /// When the answer changes because time passes; nil for never.
  var changesAt: Instant?
}

/// The form of an answer.
enum AnswerForm: String, CaseIterable {
  case json, jsonl, csv
  /// A page for people.
  case html

  /// The forms that every answer has.
  static let usual: [AnswerForm] = [.json, .jsonl, .csv]

  var contentType: String {
    switch self {
    case .json: "application/json"
    case .jsonl: "application/x-ndjson"
    case .csv: "text/csv; charset=utf-8; header=present"
    case .html: "text/html; charset=utf-8"
    }
  }

  /// The form that a request accepts: the parameter `format`, else the first type of `Accept` that
  /// is known.
  ///
  /// - Parameters:
  ///   - items: The parameters.
  ///   - accept: The header.
  ///   - known: The forms that the answer has.
  /// - Throws: ``Problem``: `notAcceptable`, `badRequest`.
  init(
    _ items: QueryItems, accept: String?, among known: [AnswerForm] = usual
  ) throws(Problem) {
    if let text = try items.text("format") {
      guard let form = AnswerForm(rawValue: text), known.contains(form) else {
        throw QueryItems.unknown("format", text, among: known.map(\.rawValue))
      }
      self = form
      return
    }
    guard let accept, !accept.isEmpty else {
      self = .json
      return
    }
    for range in accept.split(separator: ",") {
      let parts = range.split(separator: ";").map { $0.trimming(while: \.isWhitespace) }
      if parts.dropFirst().contains(where: { $0 == "q=0" || $0 == "q=0.0" }) { continue }
      switch parts.first?.lowercased() {
      case "application/json", "application/*", "*/*", "application/problem+json":
        self = .json
        return
      case "application/x-ndjson", "application/jsonl", "application/json-seq":
        self = .jsonl
        return
      case "text/csv", "text/*":
        self = .csv
        return
      case "text/html" where known.contains(.html):
        self = .html
        return
      default: continue
      }
    }
    throw Problem(
      .notAcceptable,
      "Accept: expected application/json, application/x-ndjson or text/csv"
        + (known.contains(.html) ? ", or text/html." : "."))
  }
}

extension Substring {
  fileprivate func trimming(while isTrimmed: (Character) -> Bool) -> Substring {
    var text = drop(while: isTrimmed)
    while let last = text.last, isTrimmed(last) { text.removeLast() }
    return text
  }
}

extension Answer {
  /// The answer in a form.
  func body(_ form: AnswerForm) -> String {
    switch (form, content) {
    case (_, .text(let text)): text
    case (.csv, .document(let json, let rows)): table([json], rows: rows)
    case (_, .document(let json, _)): json + "\n"
    case (.csv, .page(let items, _)), (.csv, .lines(let items)): table(items, rows: nil)
    case (.json, .page(let items, let next)): page(items, next)
    case (_, .page(let items, _)), (_, .lines(let items)): items.map { $0 + "\n" }.joined()
    }
  }

  private func page(_ items: [String], _ next: Cursor?) -> String {
    var json = JSONText()
    json.object { json in
      json.member("position", position)
      json.member("at", at)
      // One item a line, so that a long page can be read and compared.
      json.key("items")
      json.raw("[" + items.joined(separator: ",\n") + "]")
      json.member("next", next?.text)
    }
    return json.text + "\n"
  }

  private func table(_ items: [String], rows: String?) -> String {
    var table = CSVAnswer()
    if !columns.isEmpty { table.declare(columns, list: rows) }
    var bytes: [UInt8] = []
    for item in items {
      for line in table.lines(adding: Array(item.utf8)) { bytes += line }
    }
    for line in table.lastLines() { bytes += line }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The tag of a body: the position that it knows, and a hash of what it says, without the moment
  /// of the question, which a cursor in it repeats. So two answers have one tag if nothing but time
  /// has passed between them.
  ///
  /// Source: RFC 9110, section 8.8.3.
  static func tag(of body: String, position: UInt64, at: Instant?) -> String {
    var text = body
    if let at, let range = text.firstRange(of: "\"next\":\"\(position)-\(at.microseconds)-") {
      text.removeSubrange(range)
    }
    if let moment = at?.rfc3339, let range = text.firstRange(of: "\"at\":\"\(moment)\"") {
      text.removeSubrange(range)
    }
    let hash = XXH64.hash(Array(text.utf8).span)
    return "\"\(position)-\(String(hash, radix: 16))\""
  }

  /// The response to a request.
  ///
  /// - Parameters:
  ///   - form: The form that it accepts.
  ///   - request: Its headers say which answer it has.
  func response(_ form: AnswerForm, to request: Request) -> Response {
    let body = body(form)
    let tag = Self.tag(of: body, position: position, at: at)
    var headers: HTTPFields = [
      .eTag: tag, .cacheControl: "private, no-cache", .positionName: "\(position)",
    ]
    if case .page(_, let next?) = content {
      headers[.linkName] = "<?\(Self.query(request, next: next))>; rel=\"next\""
    }
    if Self.names(tag, in: request.headers[values: .ifNoneMatch]) {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentType] = form.contentType
    return Response(
      status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
  }

  /// The query of the next page: that of this one, with another cursor.
  private static func query(_ request: Request, next: Cursor) -> String {
    let others = (request.uri.query ?? "").split(separator: "&").filter {
      !$0.hasPrefix("cursor=") && $0 != "cursor"
    }
    return (others + ["cursor=\(next.text)"]).joined(separator: "&")
  }

  /// Whether a list of tags names one. Weak tags count as strong ones here.
  private static func names(_ tag: String, in lists: [String]) -> Bool {
    lists.joined(separator: ",").split(separator: ",").contains { part in
      let named = part.trimming(while: \.isWhitespace)
      return named == "*" || named == tag || named == "W/\(tag)"
    }
  }
}
