import LedgerEvents
import LedgerHistories
import LedgerOracle
import Testing

@Suite("Random histories") struct HistoriesTests {
  private func lines(_ events: [RecordedEvent]) -> [[UInt8]] {
    let encoder = EventEncoder()
    return events.map { encoder.encode($0) }
  }

  @Test("every random event is a valid one") func everyRandom() throws {
    let dense = (0..<100).flatMap { Histories.dense(seed: $0) }
    let others =
      Histories.sparse(seed: 1, count: 3_000, accounts: 50)
      + Histories.realistic(seed: 1, count: 3_000)
    for recorded in dense + others { try recorded.event.validate() }
  }

  @Test("one seed gives one history, another seed another") func oneSeed() {
    #expect(lines(Histories.dense(seed: 3)) == lines(Histories.dense(seed: 3)))
    #expect(lines(Histories.dense(seed: 3)) != lines(Histories.dense(seed: 4)))
    let sparse = lines(Histories.sparse(seed: 3, count: 200, accounts: 9))
    #expect(sparse == lines(Histories.sparse(seed: 3, count: 200, accounts: 9)))
    let realistic = lines(Histories.realistic(seed: 3, count: 200))
    #expect(realistic == lines(Histories.realistic(seed: 3, count: 200)))
  }

  @Test("ids never repeat and positions have no gaps") func idsNever() {
    let histories = [
      Histories.dense(seed: 5, count: 300),
      Histories.sparse(seed: 5, count: 3_000, accounts: 100),
      Histories.realistic(seed: 5, count: 3_000),
      RecordedEvent.newestFirst(Histories.realistic(seed: 5, count: 500)),
    ]
    for history in histories {
      #expect(Set(history.map(\.event.id)).count == history.count)
      #expect(history.map(\.position) == (1...UInt64(history.count)).map { $0 })
    }
  }

  @Test("SplitMix64 gives the published numbers") func splitmix64Gives() {
    var random = SeededRandom(seed: 1_234_567)
    #expect(random.next() == 6_457_827_717_110_365_317)
    #expect(random.next() == 3_203_168_211_198_807_973)
  }

  @Test("the dense histories meet every type and every rule") func denseHistories() {
    var kinds: Set<EventKind> = []
    var rules: Set<String> = []
    for seed in 0..<400 as Range<UInt64> {
      let history = Histories.dense(seed: seed)
      kinds.formUnion(history.map(\.event.type.kind))
      for answer in Oracle(history).answers().values {
        rules.formUnion(answer.findings.map(\.rule))
        rules.formUnion(answer.moment.map(\.rule))
      }
    }
    #expect(kinds.count == EventKind.allCases.count)
    #expect(rules.count == 50, "\(rules.sorted())")
  }

  @Test("arrival changes nothing but what arrived late, for dense histories too")
  func arrivalChanges() {
    for seed in 0..<60 as Range<UInt64> {
      let history = Histories.dense(seed: seed)
      let inOrder = Oracle(history).answers()
      let shuffled = Oracle(RecordedEvent.shuffled(history, seed: seed)).answers()
      for (environment, answer) in inOrder {
        #expect(answer.accounts == shuffled[environment]?.accounts, "seed \(seed)")
        let rules = answer.findings.map(\.rule).filter { $0 != "arrived-late" }.sorted()
        let others = shuffled[environment]?.findings.map(\.rule) ?? []
        #expect(rules == others.filter { $0 != "arrived-late" }.sorted(), "seed \(seed)")
      }
    }
  }
}
