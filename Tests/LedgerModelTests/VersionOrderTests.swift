import LedgerEvents
import LedgerHistories
import Testing

@testable import LedgerModel

struct VersionOrderTests {
  @Test(
    "versions compare by dotted integers, what is no integer last",
    arguments: [
      ("1", "1.0", 0), ("1.10", "1.9", 1), ("01.2", "1.2", 0), ("1", "1.0.0.1", -1),
      ("1.a", "1.99", 1), ("1.a", "1.b", -1), ("", "0", 1), ("1.a", "1.a.0", 0),
      ("99999999999999999999999", "100000000000000000000000", -1),
    ])
  func versionsCompare(
    left: String, right: String, order: Int
  ) {
    #expect(VersionOrder.compare(Name(left), Name(right)).signum() == order)
    #expect(VersionOrder.compare(Name(right), Name(left)).signum() == -order)
  }

  @Test("versions are equal if and only if their canonical bytes are") func canonical() {
    let parts = ["", "0", "00", "1", "01", "10", "a", "0a", " "]
    var versions = [""]
    for _ in 0..<3 {
      versions += versions.flatMap { version in parts.map { version + "." + $0 } }
      versions += parts
      versions = Array(Set(versions)).sorted()
    }
    var random = SeededRandom(seed: 1)
    var equal = 0
    var wrong: [(Name, Name)] = []
    for _ in 0..<100_000 {
      let (left, right) = (Name(random.one(of: versions)), Name(random.one(of: versions)))
      let isEqual = VersionOrder.compare(left, right) == 0
      if isEqual { equal += 1 }
      if isEqual != (VersionOrder.canonical(left) == VersionOrder.canonical(right)) {
        wrong.append((left, right))
      }
    }
    #expect(wrong.isEmpty, "\(wrong.prefix(3))")
    #expect(equal > 100)
  }
}
