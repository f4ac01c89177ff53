/// What an export is written as.
public enum ExportFormat: String, CaseIterable, Sendable {
  /// JSON Lines: one object a line, in UTF-8.
  case jsonl
  /// Comma-separated values: RFC 4180 with a header line, in UTF-8.
  case csv
  /// One file of SQLite 3 with every table.
  case sqlite
}
