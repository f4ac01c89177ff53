import LedgerEvents
import Replay

/// The edits of a replay in the body of a request, in their order:
/// `{"edits":[{"drop":12},{"move":14,"after":20},{"repeat":3},{"insert":[{…}],"after":20}]}`.
enum ReplayEdits {
  /// - Throws: ``Problem``: `badRequest`, `invalidEvent`.
  static func read(_ body: [UInt8]) throws(Problem) -> [ReplayEdit] {
    let document: JSONValue
    do throws(EventError) { document = try JSONValue(document: body) } catch {
      throw Problem(.badRequest, "The body: \(error)")
    }
    guard let members = document.object, members.count == 1, members[0].name == "edits",
      let list = members[0].value.array, !list.isEmpty
    else {
      throw Problem(
        .badRequest, "Expected a JSON object with “edits”, a list such as [{\"drop\":12}].")
    }
    guard list.count <= ServiceLimits.replayEditsMax else { throw tooMany }
    var edits: [ReplayEdit] = []
    var inserted = 0
    for (index, value) in list.enumerated() {
      let edit = try edit(value, "edits[\(index)]")
      if case .insert(let events, _) = edit { inserted += events.count }
      guard inserted <= ServiceLimits.replayEditsMax else { throw tooMany }
      edits.append(edit)
    }
    return edits
  }

  private static var tooMany: Problem {
    Problem(
      .badRequest,
      "edits: expected up to \(ServiceLimits.replayEditsMax) edits that insert as many events.")
  }

  private static func edit(_ value: JSONValue, _ path: String) throws(Problem) -> ReplayEdit {
    let names = value.object?.map(\.name).sorted() ?? []
    func position(_ name: String, from least: Int64) throws(Problem) -> UInt64 {
      guard let number = value[name]?.wholeNumber, number >= least else {
        throw Problem(
          .badRequest, "\(path).\(name): expected a position, a whole number from \(least).")
      }
      return UInt64(number)
    }
    switch names {
    case ["drop"]: return .drop(try position("drop", from: 1))
    case ["repeat"]: return .repeat(try position("repeat", from: 1))
    case ["after", "move"]:
      return .move(try position("move", from: 1), after: try position("after", from: 0))
    case ["insert"]: return .insert(try events(value["insert"], path), after: nil)
    case ["after", "insert"]:
      return .insert(try events(value["insert"], path), after: try position("after", from: 0))
    default:
      throw Problem(
        .badRequest,
        "\(path): expected {\"drop\":12}, {\"move\":14,\"after\":20}, {\"repeat\":3}, or "
          + "{\"insert\":[events],\"after\":20}, in which after may be missing.")
    }
  }

  private static func events(
    _ value: JSONValue?, _ path: String
  ) throws(Problem) -> [EventInput] {
    guard let list = value?.array, !list.isEmpty else {
      throw Problem(.badRequest, "\(path).insert: expected a list of events.")
    }
    var inputs: [EventInput] = []
    for (index, event) in list.enumerated() {
      do throws(EventError) {
        inputs.append(try EventDecoder().decode(line: event.json, number: index + 1))
      } catch {
        throw Problem(.invalidEvent, "\(path).insert[\(index)]: \(error)")
      }
    }
    return inputs
  }
}
