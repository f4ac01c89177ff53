/// The places in a page that a link can name after a `#`: its headings, in the form that GitHub
/// gives them.
struct PageAnchors {
  private var names: Set<String> = []

  init(of page: SourceFile) {
    var counts: [String: Int] = [:]
    var isCode = false
    for line in page.lines {
      if line.begins(with: "```") { isCode.toggle() }
      if isCode { continue }
      let text = String(decoding: line, as: UTF8.self)
      guard let heading = text.wholeMatch(of: /#{1,6} +(.*?) */)?.1 else { continue }
      let name = Self.name(of: String(heading))
      let count = counts[name, default: 0]
      counts[name] = count + 1
      names.insert(count == 0 ? name : "\(name)-\(count)")
    }
  }

  func contains(_ name: some StringProtocol) -> Bool { names.contains(String(name)) }

  /// Returns a heading in small letters, without punctuation, with hyphens for spaces.
  private static func name(of heading: String) -> String {
    let text = heading.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.1 }.lowercased()
    return String(
      text.compactMap { letter -> Character? in
        if letter == " " { return "-" }
        return letter.isLetter || letter.isNumber || "-_".contains(letter) ? letter : nil
      })
  }
}
