/// The format of an export.
public enum ExportFormat: String, CaseIterable, Sendable {
  /// JSON Lines: one object per line, in UTF-8.
  case jsonl
  /// Comma-separated values: RFC 4180 with a header line, in UTF-8.
  case csv
  /// One SQLite 3 file with every table.
  case sqlite
}
