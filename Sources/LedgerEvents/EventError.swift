/// The reason why an event was refused: where the error is, in which field, and what to do about
/// it.
public struct EventError: Error, Hashable, Sendable {
  /// The line of the input, counted from 1; 0 if the event did not come from text.
  public var line: Int
  /// The byte in the line, counted from 1; 0 if the event did not come from text.
  public var column: Int
  /// The path of the field, such as `occurredAt` or `data.products[0].kind`; empty if the error
  /// concerns the whole line.
  public var field: String
  /// What was expected, what was found, and what to do, in one sentence.
  public var reason: String

  public init(line: Int = 0, column: Int = 0, field: String = "", reason: String) {
    self.line = line
    self.column = column
    self.field = field
    self.reason = reason
  }

  /// Creates an error at the byte `offset` bytes after the start of the line.
  init(at offset: Int, _ reason: String) {
    self.init(column: offset + 1, reason: reason)
  }

  /// Returns the same error for a value inside `outer`.
  func within(_ outer: String) -> EventError {
    var error = self
    if field.isEmpty {
      error.field = outer
    } else if field.utf8.first == UInt8(ascii: "[") {
      error.field = outer + field
    } else {
      error.field = outer + "." + field
    }
    return error
  }
}

extension EventError: CustomStringConvertible {
  /// `line 3, column 17: data.progress: expected a number from 0 to 1, found 1.5`.
  public var description: String {
    var text = ""
    if line > 0 { text += "line \(line), " }
    if column > 0 { text += "column \(column): " }
    if !field.isEmpty { text += "\(field): " }
    return text + reason
  }
}
