import LedgerModel
import Testing

/// So many customers that what one of them has is found by an index.
@Suite("A device that many customers share") struct SharedDeviceTests {
  private static let customers = 20

  /// One line for each customer, a minute apart, from an hour on.
  private func lines(_ hour: Int, _ line: (Int) -> String) -> [String] {
    (0..<Self.customers).map { "1T\(hour):\($0 + 10) " + line($0) }
  }

  private func found(_ rule: Rule, in scene: Scene) -> [UInt64] {
    scene.folded.findings.filter { $0.rule == rule }.map(\.position).sorted()
  }

  @Test("knows what each has installed, also of another customer before") func content() throws {
    let count = UInt64(Self.customers)
    let scene = try Scene(
      (lines(10) { "content.installed p=book a=A\($0) {\"contentVersion\":\"2\"}" }
        + lines(11) { "content.installed p=book a=A\($0) {\"contentVersion\":\"1\"}" }
        + lines(12) { "account.transferred a=A\($0) d=- {\"to\":\"B\($0)\"}" }
        + lines(13) { "content.installed p=book a=B\($0) {\"contentVersion\":\"0\"}" }
        + lines(14) { "content.installed p=book a=A\($0) {\"contentVersion\":\"0\"}" })
        .joined(separator: "\n"))
    #expect(
      found(.installDowngraded, in: scene)
        == Array(count + 1...2 * count) + Array(3 * count + 1...4 * count))
  }

  @Test("knows what each has bought, also of another customer before") func purchases() throws {
    let count = UInt64(Self.customers)
    func bought(_ round: String, by account: String) -> (Int) -> String {
      { "transaction.purchased t=\(round)\($0) o=\(round)\($0) p=book a=\(account)\($0)" }
    }
    let scene = try Scene(
      (lines(10, bought("t", by: "A")) + lines(11, bought("u", by: "A"))
        + lines(12) { "account.transferred a=A\($0) d=- {\"to\":\"B\($0)\"}" }
        + lines(13, bought("v", by: "B")) + lines(14, bought("w", by: "A")))
        .joined(separator: "\n"))
    #expect(
      found(.purchasedTwice, in: scene)
        == Array(count + 1...2 * count) + Array(3 * count + 1...4 * count))
  }
}
