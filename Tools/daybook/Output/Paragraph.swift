/// Prose for people: lines that end between words.
enum Paragraph {
  /// How wide prose is printed where nothing else limits it.
  static let columns = 80

  /// The text in lines of at most so many columns; a longer word stands alone.
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
