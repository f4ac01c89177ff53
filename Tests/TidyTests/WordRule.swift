import Foundation

/// Words that mark unfinished work, and words of the environment in which the project was written,
/// must not occur anywhere.
struct WordRule: TidyRule {
  /// Written in halves, so that this file does not break its own rule.
  private static let unfinished = [
    "TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK", "st" + "ub", "place" + "holder",
    "not imple" + "mented", "for n" + "ow", "hard-co" + "ded", "hardco" + "ded", "simpli" + "fied",
  ].map(pattern)

  private static let workplace = [
    "/wo" + "rk/", "wo" + "rktree wt-", "co" + "ordinator's", "package mir" + "ror",
    "registry." + "npmjs", "pypi" + ".org", "proxy.gol" + "ang", "co-auth" + "ored-by",
  ].map(pattern)

  private static func pattern(_ text: String) -> Data { Data(text.lowercased().utf8) }

  func breaches(in file: SourceFile) -> [Breach] {
    let text = Data(String(decoding: file.bytes, as: UTF8.self).lowercased().utf8)
    return (Self.unfinished + Self.workplace).flatMap { word in
      Self.offsets(of: word, in: text).compactMap { offset in
        let isUnfinished = Self.unfinished.contains(word)
        if isUnfinished, !Self.standsAlone(word, at: offset, in: text) { return nil }
        return Breach(
          path: file.path, line: text[..<offset].count { $0 == 10 } + 1,
          message: (isUnfinished ? "says" : "names")
            + " “\(String(decoding: word, as: UTF8.self))”")
      }
    }
  }

  /// Uses Foundation, which is optimized even if these tests are not.
  private static func offsets(of word: Data, in text: Data) -> [Int] {
    var found: [Int] = []
    var rest = text.startIndex..<text.endIndex
    while let offset = text.range(of: word, in: rest) {
      found.append(offset.lowerBound)
      rest = offset.upperBound..<text.endIndex
    }
    return found
  }

  private static func standsAlone(_ word: Data, at offset: Int, in text: Data) -> Bool {
    let end = offset + word.count
    return (offset == text.startIndex || !ArraySlice.isWordByte(text[offset - 1]))
      && (end == text.endIndex || !ArraySlice.isWordByte(text[end]))
  }
}
