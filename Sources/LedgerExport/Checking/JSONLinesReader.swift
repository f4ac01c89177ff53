internal import Foundation
internal import LedgerEvents
internal import LedgerQueries

/// Reads JSON Lines back, and events by the rules of their format.
struct JSONLinesReader: RowReader {
  let path: String

  func read(
    _ table: ExportTable, _ body: ([ExportCell]) throws(ExportError) -> Void
  ) throws(ExportError) {
    var number = 0
    let decoder = EventDecoder()
    try lines { (line) throws(ExportError) in
      number += 1
      switch table {
      case .events: try body(try event(line, number, decoder))
      default: try body(try cells(line, number, table.columns))
      }
    }
  }

  private func event(
    _ line: [UInt8], _ number: Int, _ decoder: EventDecoder
  ) throws(ExportError) -> [ExportCell] {
    let input: EventInput
    do throws(EventError) { input = try decoder.decode(line: line) } catch {
      throw ExportError(.mismatch, "Line \(number) of \(path) is no event: \(error).")
    }
    guard let position = input.position, let recordedAt = input.recordedAt else {
      throw ExportError(.mismatch, "Line \(number) of \(path) has no position.")
    }
    return ExportRow.event(
      RecordedEvent(position: position, recordedAt: recordedAt, event: input.event))
  }

  private func cells(
    _ line: [UInt8], _ number: Int, _ columns: [ExportColumn]
  ) throws(ExportError) -> [ExportCell] {
    let object: [String: Any]?
    do {
      object = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
    } catch {
      throw ExportError(.mismatch, "Line \(number) of \(path) is no JSON.")
    }
    guard let object, object.count == columns.count else {
      throw ExportError(.mismatch, "Line \(number) of \(path) lacks a column.")
    }
    var cells: [ExportCell] = []
    for column in columns {
      guard let value = object[column.name], let cell = cell(value, column) else {
        throw ExportError(
          .mismatch, "Line \(number) of \(path): \(column.name) is missing or damaged.")
      }
      cells.append(cell)
    }
    return cells
  }

  private func cell(_ value: Any, _ column: ExportColumn) -> ExportCell? {
    if value is NSNull { return .absent }
    switch column.kind {
    case .text, .time: return (value as? String).map { .text($0) }
    case .integer: return (value as? Int64).map { .integer($0) }
    case .boolean: return (value as? Bool).map { .boolean($0) }
    case .decimal:
      return (value as? String).flatMap { ExactDecimal(exactly: $0) }.map { .decimal($0) }
    case .json: return .json("")
    }
  }

  private func lines(
    _ body: ([UInt8]) throws(ExportError) -> Void
  ) throws(ExportError) {
    let pieces = try FilePieces(path)
    var rest: [UInt8] = []
    while true {
      let piece = try pieces.next()
      if piece.isEmpty { break }
      rest += piece
      var start = 0
      while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
        try body(Array(rest[start..<end]))
        start = end + 1
      }
      rest.removeFirst(start)
    }
    guard rest.isEmpty else { throw ExportError(.mismatch, "\(path) ends within a line.") }
  }
}
