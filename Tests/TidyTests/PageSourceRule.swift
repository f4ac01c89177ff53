/// Markup, styles and scripts: lines within 100 columns, files within 300 lines, no tabs, no
/// trailing spaces, and one line feed at the end of a file.
struct PageSourceRule: TidyRule {
  static let fileLinesMax = 300
  private static let kinds = [".css", ".html", ".js", ".mjs"]

  func breaches(in file: SourceFile) -> [Breach] {
    guard Self.kinds.contains(where: file.name.hasSuffix) else { return [] }
    var found: [Breach] = []
    func record(_ line: Int, _ message: String) {
      found.append(Breach(path: file.path, line: line, message: message))
    }
    if file.lines.count > Self.fileLinesMax {
      record(0, "\(file.lines.count) lines are more than \(Self.fileLinesMax)")
    }
    for (index, line) in file.lines.enumerated() {
      let columns = String(decoding: line, as: UTF8.self).count
      if columns > SizeRule.lineColumnsMax {
        record(index + 1, "\(columns) columns are more than \(SizeRule.lineColumnsMax)")
      }
      if line.contains(UInt8(ascii: "\t")) { record(index + 1, "a tab") }
      if line.last == UInt8(ascii: " ") { record(index + 1, "a space at the end of the line") }
    }
    if file.bytes.last != UInt8(ascii: "\n") || file.lines.last?.isEmpty == true {
      record(file.lines.count, "a file ends with one line feed")
    }
    return found
  }
}
