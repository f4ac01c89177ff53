import LedgerEvents
import Testing

@Suite("Spelling")
struct SpellingTests {
  private static let names = [
    "transaction.purchased", "transaction.purchasing", "transaction.removed", "content.removed",
  ]

  @Test(
    "the nearest name is found",
    arguments: [
      ("transaction.purchsed", "transaction.purchased"),  // a letter missing
      ("transaction.purchassed", "transaction.purchased"),  // a letter too many
      ("transaction.purchaced", "transaction.purchased"),  // a letter replaced
      ("transaction.pruchased", "transaction.purchased"),  // two neighbours swapped
      ("Transaction.Purchased", "transaction.purchased"),  // letter case
      ("content.remvoedd", "content.removed"),
    ])
  func nearestName(text: String, name: String) {
    #expect(Spelling.nearest(to: text, among: Self.names, within: 2) == name)
  }

  @Test(
    "a text that is near to no name has no suggestion",
    arguments: ["transaction", "note.added", "content.movedaway", ""])
  func textNear(text: String) {
    #expect(Spelling.nearest(to: text, among: Self.names, within: 2) == nil)
  }

  @Test("the first of two equally near names wins, a nearer one before both") func firstTwo() {
    #expect(Spelling.nearest(to: "ab", among: ["ac", "ad"], within: 2) == "ac")
    #expect(Spelling.nearest(to: "ab", among: ["acd", "ac", "ab"], within: 2) == "ab")
  }

  @Test("names that share no letter are not near, however short") func namesShare() {
    #expect(Spelling.nearest(to: "ab", among: ["cd", "xy"], within: 3) == nil)
    #expect(Spelling.nearest(to: "a", among: ["b"], within: 2) == nil)
  }

  @Test("swapped neighbours are one edit, and each letter changes once") func swappedNeighbours() {
    func edits(_ left: String, _ right: String, upTo limit: Int) -> Int? {
      Spelling.edits(Array(left.unicodeScalars), Array(right.unicodeScalars), upTo: limit)
    }
    #expect(edits("ca", "ac", upTo: 3) == 1)
    #expect(edits("ca", "abc", upTo: 3) == 3)
    #expect(edits("kitten", "sitting", upTo: 3) == 3)
    #expect(edits("kitten", "sitting", upTo: 2) == nil)
    #expect(edits("", "abc", upTo: 3) == 3)
  }
}
