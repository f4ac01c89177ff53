/// Prose for people, with lines that break between words.
enum Paragraph {
  /// The width of prose if nothing else limits it.
  static let columns = 80

  /// The text in lines of at most `columns` columns; a longer word gets its own line.
  static func lines(_ text: String, columns: Int = columns) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > columns {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? "\(word)" : " \(word)"
    }
    return lines + [line]
  }
}
