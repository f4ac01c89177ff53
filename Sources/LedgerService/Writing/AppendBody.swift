import LedgerEvents
import ServiceAccess
import StoreImport

/// The events of a body, each as a line of JSON with its number.
struct AppendBody {
  /// An event as it came, or why it is none.
  struct Line {
    let number: Int
    let json: Result<[UInt8], Problem.LineError>
  }

  /// The most events of one request.
  static let eventsMax = 10_000

  let lines: [Line]

  /// - Throws: ``Problem``: `badRequest`, `tooLarge`, `invalidEvent`.
  init(_ bytes: [UInt8], _ request: AppendRequest) throws(Problem) {
    var found: [Line] = []
    switch request.form {
    case .lines: found = try Self.lines(of: bytes)
    // A document may span several lines, and an event is one.
    case .event: found = [Line(number: 1, json: .success(try Self.document(bytes).json))]
    case .cloudEvent: found = [Self.line(1, try CloudEvent(Self.document(bytes)))]
    case .binaryCloudEvent(let attributes):
      found = [Self.line(1, try CloudEvent(attributes: attributes, data: Self.document(bytes)))]
    case .cloudEvents:
      for (index, element) in try Self.elements(of: bytes).enumerated() {
        found.append(Self.line(index + 1, CloudEvent(try Self.document(Array(element)))))
      }
    }
    guard let key = request.idempotencyKey else {
      lines = found
      return
    }
    lines = found.map { line in
      Line(
        number: line.number,
        json: line.json.map { json in
          Self.named(json, key, line.number, by: request.token.name)
        })
    }
  }

  private static func check(count: Int) throws(Problem) {
    guard count <= eventsMax else {
      throw Problem(.tooLarge, "The body has more than \(eventsMax) events: send it in parts.")
    }
  }

  /// The elements of a batch, which are counted before one of them is read.
  private static func elements(of bytes: [UInt8]) throws(Problem) -> [ArraySlice<UInt8>] {
    var found: [ArraySlice<UInt8>] = []
    do throws(JSONElements.NoArray) {
      var elements = try JSONElements(bytes)
      while let element = try elements.next() {
        found.append(element)
        if found.count > eventsMax { break }
      }
    } catch {
      throw Problem(.invalidEvent, "Expected a JSON array of CloudEvents.")
    }
    try check(count: found.count)
    return found
  }

  /// How many bytes an event has with its envelope: its own, escaped, and as many attributes.
  private static let documentBytesMax = 2 * eventSizeBytesMax

  /// The values of a document take thirty times its room.
  private static func document(_ bytes: [UInt8]) throws(Problem) -> JSONValue {
    guard bytes.count <= documentBytesMax else {
      throw Problem(
        .tooLarge,
        "An event has \(bytes.count) bytes, more than the \(documentBytesMax) of the largest one "
          + "with its envelope.")
    }
    do throws(EventError) { return try JSONValue(document: bytes, nulls: .refused) } catch {
      throw Problem(.invalidEvent, "\(error)")
    }
  }

  private static func line(_ number: Int, _ event: CloudEvent) -> Line {
    Line(
      number: number,
      json: event.eventJSON.mapError { reason in
        Problem.LineError(line: number, reason: reason.text)
      })
  }

  /// One line after the other: a body of the largest size can have millions, which together would
  /// take a hundred times its room.
  private static func lines(of bytes: [UInt8]) throws(Problem) -> [Line] {
    var lines: [Line] = []
    var number = 0
    var rest = bytes[...]
    while !rest.isEmpty {
      let line = rest.prefix { $0 != UInt8(ascii: "\n") }
      rest = rest[line.endIndex...].dropFirst()
      number += 1
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
      lines.append(Line(number: number, json: .success(Array(line))))
      try check(count: lines.count)
    }
    return lines
  }

  /// The id that follows from a key.
  ///
  /// - Parameters:
  ///   - key: The `Idempotency-Key` of a request.
  ///   - number: The number of the event in the request.
  ///   - client: The name of the token, which keeps the keys of two clients apart.
  static func id(key: String, _ number: Int, by client: String) -> String {
    "key:" + Digest.hex([client, key, "\(number)"])
  }

  /// An event without an id gets one that follows from the key of the request, so that the same
  /// request again is the same event.
  private static func named(
    _ json: [UInt8], _ key: String, _ number: Int, by client: String
  ) -> [UInt8] {
    // The decoder refuses what is longer, and its values would take thirty times its room.
    guard json.count <= eventSizeBytesMax else { return json }
    do throws(EventError) {
      guard var members = try JSONValue(document: json, nulls: .refused).object,
        !members.contains(where: { $0.name == "id" })
      else { return json }
      members.insert((name: "id", value: .string(id(key: key, number, by: client))), at: 0)
      return JSONValue.object(members).json
    } catch {
      // The decoder says what is wrong with the line.
      return json
    }
  }
}
