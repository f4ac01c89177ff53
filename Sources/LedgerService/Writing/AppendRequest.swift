import HTTPTypes
import Hummingbird
import LedgerAnswers
import LedgerEvents
import LedgerStore
import ServiceAccess

/// What a request to append says beside its events.
struct AppendRequest: Sendable {
  /// The form of the body.
  enum Form: Sendable {
    case lines, event, cloudEvent, cloudEvents
    /// One CloudEvent whose attributes are headers.
    case binaryCloudEvent(attributes: [(name: String, value: String)])
  }

  var form: Form
  /// Whether all events are appended or none.
  var isAtomic: Bool
  /// Whether types that resemble one of the vocabulary are appended.
  var allowsUnknownTypes: Bool
  /// The environment of events that state none.
  var environment: StoreEnvironment?
  var condition: AppendCondition?
  /// What makes the ids of events that state none; nil if each event has to state its id.
  var idempotencyKey: String?
  /// Whether the answer has a line for each event.
  var answersLines: Bool
  var token: AccessToken
}

extension AppendRequest {
  /// The parameters of an append.
  static let parameters = [
    "environment", "allowUnknown", "atomic", "account", "transaction", "original", "product",
    "type",
  ]
  /// The longest `Idempotency-Key`, in characters.
  static let keyCountMax = 255

  /// - Throws: ``Problem``: `badRequest`, `unsupportedMediaType`.
  init(_ request: Request, _ items: QueryItems, _ token: AccessToken) throws(Problem) {
    self.token = token
    form = try Self.form(request)
    environment = try items.environment()
    allowsUnknownTypes = try items.flag("allowUnknown")
    let filter = EventFilter(
      account: try items.name("account"), transaction: try items.name("transaction"),
      originalTransaction: try items.name("original"), product: try items.name("product"),
      type: try items.text("type").map { EventType(text: $0) })
    condition = try Self.condition(request, filter)
    let atomic = try items.flag("atomic")
    // A condition is about all of it.
    isAtomic = atomic || condition != nil
    idempotencyKey = try Self.key(request)
    let accepted = request.headers[values: .accept].joined(separator: ",").lowercased()
    let wantsDocument = accepted.contains("application/json")
    if case .lines = form { answersLines = !wantsDocument } else { answersLines = false }
  }

  private static func form(_ request: Request) throws(Problem) -> Form {
    let type = (request.headers[.contentType] ?? "").lowercased()
    let coding = request.headers[.contentEncoding]?.lowercased() ?? "identity"
    guard coding == "identity" else {
      throw Problem(
        .unsupportedMediaType, "Content-Encoding: expected none: send the body as it is.")
    }
    let essence = type.split(separator: ";").first.map { $0.filter { !$0.isWhitespace } } ?? ""
    if request.headers[.cloudEventsVersion] != nil {
      return .binaryCloudEvent(
        attributes: request.headers.compactMap { field in
          let name = field.name.canonicalName
          return name.hasPrefix("ce-") ? (String(name.dropFirst(3)), field.value) : nil
        })
    }
    switch essence {
    case "application/x-ndjson", "application/jsonl", "application/ndjson": return .lines
    case "application/json": return .event
    case "application/cloudevents+json": return .cloudEvent
    case "application/cloudevents-batch+json": return .cloudEvents
    default:
      throw Problem(
        .unsupportedMediaType,
        "Content-Type: expected application/x-ndjson for JSON Lines, application/json for one "
          + "event, application/cloudevents+json or application/cloudevents-batch+json.")
    }
  }

  /// The condition of `If-Match`: the tag, or the position, of what the client has read. Without a
  /// filter no event at all may stand after it.
  private static func condition(
    _ request: Request, _ filter: EventFilter
  ) throws(Problem) -> AppendCondition? {
    guard let text = request.headers[.ifMatch] else {
      guard filter == EventFilter() else {
        throw Problem(
          .badRequest,
          "account, transaction, original, product and type say what If-Match is about: send that "
            + "header with the ETag of what you have read.")
      }
      return nil
    }
    guard let match = text.wholeMatch(of: /(?:W\/)?"?([0-9]+)(?:-[0-9a-f]+)?"?/),
      let position = UInt64(match.1)
    else {
      throw Problem(
        .badRequest, "If-Match: expected an ETag of this service, which begins with a position.")
    }
    return .noEvent(matching: filter, after: position)
  }

  /// The `Idempotency-Key` of a request; nil if it has none.
  ///
  /// - Throws: ``Problem``: `badRequest`.
  static func key(_ request: Request) throws(Problem) -> String? {
    guard var key = request.headers[.idempotencyKey] else { return nil }
    // The header is a string of structured fields, and often sent without its quotes.
    if key.count >= 2, key.hasPrefix("\""), key.hasSuffix("\"") {
      key = String(key.dropFirst().dropLast())
    }
    guard (1...keyCountMax).contains(key.count) else {
      throw Problem(.badRequest, "Idempotency-Key: expected 1 to \(keyCountMax) characters.")
    }
    return key
  }
}
