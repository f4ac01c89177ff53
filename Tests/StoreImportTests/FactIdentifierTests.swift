import LedgerEvents
import Testing

@testable import StoreImport

@Suite("The identifier of an imported fact") struct FactIdentifierTests {
  private func identifier(app: String = "app", transaction: String = "1") -> FactIdentifier {
    FactIdentifier(
      app: app, environment: "production", transaction: transaction, fact: "purchased",
      key: digestKey)
  }

  @Test("a fact is named by what it is about") func aFactIsNamedByWhatItIsAbout() {
    #expect(identifier().name == "receipt:app:production:1:purchased")
  }

  @Test("a long subject is hashed and the rest stays readable")
  func aLongSubjectIsHashedAndTheRestStaysReadable() {
    var long = identifier(transaction: String(repeating: "9", count: 400))
    long.fact = "gracePeriodEntered"
    long.moments = [Instant(microseconds: 1_700_000_000_000_000)]
    long.varying = ["x"]
    #expect(long.name.byteCount <= eventIDBytesMax)
    #expect(long.name.text.contains(":gracePeriodEntered:1700000000000:"))
    var other = long
    other.transaction += "9"
    #expect(long.name != other.name)
  }

  @Test("the longest period fits after a hash") func theLongestPeriodFitsBehindAHash() {
    var long = identifier(app: String(repeating: "a", count: 300))
    long.moments = [1_700_000_000_000_000, 1_700_000_000_000_000].map(Instant.init(microseconds:))
    long.varying = ["x"]
    #expect(long.name.text.contains(":purchased:1700000000000-1700000000000:"))
    long.moments[1].microseconds = Instant.microsecondsMax
    #expect(long.name.byteCount <= eventIDBytesMax)
  }

  @Test("parts that hold colons do not run together") func partsThatHoldColonsDoNotRunTogether() {
    #expect(identifier(app: "a:b").name != identifier(app: "a").name)
    let left = FactIdentifier(
      app: "a:b", environment: "", transaction: "c", fact: "f", key: digestKey)
    let right = FactIdentifier(
      app: "a", environment: "b", transaction: ":c", fact: "f", key: digestKey)
    #expect(left.name != right.name)
    #expect(identifier(app: "a%3Ab").name != identifier(app: "a:b").name)
  }

  @Test("a fraction of a millisecond tells moments apart")
  func aFractionOfAMillisecondTellsMomentsApart() {
    var left = identifier()
    left.moments = [Instant(microseconds: 1_000_001)]
    var right = identifier()
    right.moments = [Instant(microseconds: 1_000_002)]
    #expect(left.name != right.name)
  }

  @Test("a list of texts is no other list in the digest")
  func aListOfTextsIsNoOtherListInTheDigest() {
    #expect(Digest.hex(["ab", "c"]) != Digest.hex(["a", "bc"]))
    #expect(Digest.hex(["a"]) != Digest.hex(["a", ""]))
  }

  @Test("the digest is SHA256") func theDigestIsSHA256() {
    #expect(
      Digest.hex(of: Array("abc".utf8))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }

  @Test(
    "milliseconds are read to the microsecond",
    arguments: [
      ("1594755206000", 1_594_755_206_000_000), ("1697679936049.7297", 1_697_679_936_049_729),
      ("0", 0), ("1.5", 1_500), ("-62135769600000", -62_135_769_600_000_000),
    ])
  func millisecondsAreReadToTheMicrosecond(text: String, microseconds: Int64) {
    #expect(Instant(milliseconds: text)?.microseconds == microseconds)
  }

  @Test(
    "what is no number of milliseconds is refused",
    arguments: ["", "-", "1.", ".5", "1e3", "1.2.3", "12345678901234567", "٣"])
  func whatIsNoNumberOfMillisecondsIsRefused(text: String) {
    #expect(Instant(milliseconds: text) == nil)
  }

  @Test("the stores dates are read in UTC alone") func theStoresDatesAreReadInUTCAlone() {
    #expect(Instant(storeDate: "2020-07-14 19:33:26 Etc/GMT") == at("2020-07-14T19:33:26Z"))
    #expect(Instant(storeDate: "2020-07-14 12:33:26 America/Los_Angeles") == nil)
    #expect(Instant(storeDate: "2020-07-14") == nil)
  }
}
