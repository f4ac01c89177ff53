import Testing

@testable import LedgerEvents

@Suite("A text for a terminal") struct PrintableTests {
  @Test(
    "is as it was where every character can be seen",
    arguments: ["", "map 1.0 ~", "Nürnberg", "e\u{301}", "地図 🗺️", "\u{FFFD}"])
  func kept(_ text: String) {
    #expect(text.printable.unicodeScalars.elementsEqual(text.unicodeScalars))
  }

  @Test(
    "has nothing that moves the cursor or hides something",
    arguments: [
      "\u{0}", "\t", "\n", "\r", "\u{1B}", "\u{1F}", "\u{7F}", "\u{80}", "\u{9B}", "\u{AD}",
      "\u{200D}", "\u{2028}", "\u{2029}", "\u{202E}", "\u{FEFF}", "\u{E0041}",
    ])
  func replaced(_ hidden: String) {
    for (before, after) in [("a", "b"), ("ü", "b"), ("a", "ü"), ("", "")] {
      let shown = (before + hidden + after).printable.unicodeScalars
      #expect(shown.elementsEqual((before + "\u{FFFD}" + after).unicodeScalars))
    }
  }

  /// By the categories of characters, which the quick way for ASCII does not ask for.
  @Test("is the same for each character alone, and beside others") func everyScalar() {
    for value in UInt32(0)...0x2_FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let isHidden =
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
      let text = String(Character(scalar))
      let expected = isHidden ? "\u{FFFD}" : text
      #expect(text.printable.unicodeScalars.elementsEqual(expected.unicodeScalars))
      guard value < 0x3000 else { continue }
      let shown = ("é" + text).printable.unicodeScalars
      #expect(shown.elementsEqual(("é" + expected).unicodeScalars))
    }
  }
}
