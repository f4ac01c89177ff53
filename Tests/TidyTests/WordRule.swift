/// Words that mark something unfinished, and words of the place where the project was written:
/// neither belongs in what others read.
struct WordRule: TidyRule {
  /// Written in halves, so that this file does not break its own rule.
  private static let unfinished = [
    "TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK", "st" + "ub", "place" + "holder",
    "not imple" + "mented", "for n" + "ow", "hard-co" + "ded", "hardco" + "ded", "simpli" + "fied",
  ].map(pattern)

  private static let surroundings = [
    "/wo" + "rk/", "wo" + "rktree wt-", "co" + "ordinator's", "package mir" + "ror",
    "registry." + "npmjs", "pypi" + ".org", "proxy.gol" + "ang", "co-auth" + "ored-by",
  ].map(pattern)

  private static func pattern(_ text: String) -> [UInt8] { [UInt8](text.lowercased().utf8) }

  func breaches(in file: SourceFile) -> [Breach] {
    // Sample data holds what other people's products are called.
    guard !file.path.hasSuffix(".jsonl"), !file.path.hasSuffix(".json") else { return [] }
    var found: [Breach] = []
    for (index, line) in file.lines.enumerated() {
      // One look at each byte: few can begin a word of the lists.
      guard line.contains(where: { Self.beginnings[Int($0)] }) else { continue }
      let lower = ArraySlice(line.map { $0 >= 65 && $0 <= 90 ? $0 + 32 : $0 })
      for place in lower.indices where Self.beginnings[Int(lower[place])] {
        let rest = lower[place...]
        for word in Self.unfinished where rest.starts(with: word) {
          guard Self.standsAlone(word, at: place, in: lower) else { continue }
          found.append(breach(file, index, "says", word))
        }
        for word in Self.surroundings where rest.starts(with: word) {
          found.append(breach(file, index, "names", word))
        }
      }
    }
    return found
  }

  /// The bytes that begin a word of the lists, in either case.
  private static let beginnings: [Bool] = {
    var beginnings = [Bool](repeating: false, count: 256)
    for first in (unfinished + surroundings).compactMap(\.first) {
      beginnings[Int(first)] = true
      if first >= 97, first <= 122 { beginnings[Int(first) - 32] = true }
    }
    return beginnings
  }()

  private static func standsAlone(_ word: [UInt8], at place: Int, in line: ArraySlice<UInt8>)
    -> Bool
  {
    let end = place + word.count
    return (place == line.startIndex || !ArraySlice.isWordByte(line[place - 1]))
      && (end == line.endIndex || !ArraySlice.isWordByte(line[end]))
  }

  private func breach(_ file: SourceFile, _ index: Int, _ verb: String, _ word: [UInt8]) -> Breach {
    Breach(
      path: file.path, line: index + 1,
      message: "\(verb) “\(String(decoding: word, as: UTF8.self))”")
  }
}
