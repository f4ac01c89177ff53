/// What a token lets its holder do.
package enum TokenScope: String, CaseIterable, Codable, Sendable {
  /// Append events.
  case append
  /// Ask questions.
  case read
  /// Act as an operator: grant, withdraw, assign, note.
  case operate
  /// All of that, and what concerns the service itself.
  case admin
}
