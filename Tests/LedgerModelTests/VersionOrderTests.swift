import LedgerEvents
import LedgerModel
import Testing

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
}
