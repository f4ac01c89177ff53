import LedgerEvents
import LedgerHistories
import Testing

@testable import LedgerModel

struct StateCodingTests {
  private static let scene = """
    1T08:00 catalog.set d=- {"products":[{"product":"coin","kind":"consumable","grants":{"c":5}}]}
    1T09:00 session.started a=A s=s1 seq=1
    1T09:01 restore.requested a=A s=s1 seq=2
    1T10:00 transaction.purchased t=t1 p=book a=A {"downloads":[{"download":"c1"}]}
    1T10:01 download.progressed t=t1 dl=c1 {"progress":0.25,"contentVersion":"1.0"}
    1T10:02 download.finished t=t1 dl=c1
    1T10:03 transaction.finished t=t1 a=B
    1T10:04 content.installed t=t1 p=book {"contentVersion":"1","digest":"aa","path":"/x"}
    1T10:05 entitlement.granted a=A d=- {"entitlement":"pro","until":"2024-02-01T00:00:00Z"}
    1T10:06 consumable.consumed a=A d=- {"unit":"c","amount":7}
    1T10:07 subscription.gracePeriodEntered o=t1 d=- src=notification
    1T10:08 payment.added p=coin a=A pay=p9
    1T10:09 transaction.failed t=t7 p=coin a=A
    1T10:10 restore.completed a=A
    1T10:11 purchase.fulfillmentFailed t=t1
    1T10:12 purchase.fulfilled t=t7
    1T10:13 purchase.fulfilled t=t7
    """

  private func state() throws -> [UInt8] {
    let ledger = try Scene(Self.scene).folded
    return try #require(ledger.units.max { $0.factCount < $1.factCount }).encoded()
  }

  @Test("state reads back as it was written") func stateReads() throws {
    let state = try state()
    #expect(try Unit(decoding: state).encoded() == state)
    #expect(try Unit(decoding: state.span).encoded() == state)
    var appended: [UInt8] = [7]
    try Unit(decoding: state).encode(into: &appended)
    #expect(appended == [7] + state)
  }

  @Test("state cut short is refused wherever it ends") func stateCut() throws {
    let state = try state()
    for count in 0..<state.count {
      #expect(throws: StateError.self) { try Unit(decoding: Array(state.prefix(count))) }
    }
    #expect(throws: StateError.self) { try Unit(decoding: state + [0]) }
  }

  @Test("state of another version is told from damaged state") func stateAnother() throws {
    var state = try state()
    state[0] &+= 1
    do {
      _ = try Unit(decoding: state)
      Issue.record("a version that nobody wrote was read")
    } catch {
      #expect(error.code == .version)
    }
  }

  @Test("whatever the bytes, reading ends with a state that can be asked, or an error")
  func whateverBytes() throws {
    let state = try state()
    let scene = try Scene(Self.scene)
    var random = SeededRandom(seed: 11)
    var read = 0
    for _ in 0..<4_000 {
      var damaged = state
      for _ in 0...random.below(3) {
        damaged[1 + random.below(damaged.count - 1)] = UInt8(random.below(256))
      }
      guard let unit = try? Unit(decoding: damaged) else { continue }
      read += 1
      for account in unit.knownAccounts {
        _ = unit.installed(.account(account))
        _ = unit.standings(of: .account(account))
      }
      _ = unit.findings
      _ = unit.observedProducts
      _ = unit.linkedAccounts(of: 1)
    }
    #expect(read > 0)
    #expect(!scene.folded.units.isEmpty)
  }

  @Test(
    "moments and amounts keep their value",
    arguments: [0, 1, -1, 63, 64, -64, 1 << 40, .max, .min, .max - 1, .min + 1, .min + 2] as [Int64]
  )
  func momentsAmounts(value: Int64) throws {
    var writer = StateWriter()
    writer.write(value)
    var reader = StateReader(writer.bytes)
    #expect(try reader.signed() == value)
    #expect(reader.isAtEnd)
  }

  @Test("what is absent takes one byte") func absentTakes() {
    var writer = StateWriter()
    writer.write(Fact.absentTime)
    writer.write(Int64.max)
    writer.write(Double.nan)
    writer.write(none)
    #expect(writer.bytes.count == 4)
  }
}
