import EventMix
import LedgerEvents
import Testing

@Suite("The mix of events for measuring") struct EventMixTests {
  private func deliveries(
    _ shape: MixShape = MixShape(), late: UInt64 = 0, repeated: UInt64 = 0
  ) -> Deliveries {
    Deliveries(Mix(shape: shape), latePerThousand: late, repeatedPerThousand: repeated)
  }

  /// How many events each account has.
  private func counts(_ activity: MixShape.Activity, accounts: UInt64) -> [Name: Int] {
    var mix = Mix(shape: MixShape(accounts: accounts, activity: activity, progressAPurchase: 8))
    return mix.next(20_000).reduce(into: [:]) { counts, input in
      if let account = input.event.account { counts[account, default: 0] += 1 }
    }
  }

  @Test("is the same as ever by default") func same() {
    var mix = Mix()
    let encoder = EventEncoder()
    // FNV-1a: results of different days are compared, so these events may not change.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for input in mix.next(5_000) {
      for byte in encoder.encode(input.event) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
    #expect(hash == 7_710_538_895_263_845_488)
  }

  @Test("has purchases as long as its shape says") func length() {
    let shape = MixShape(accounts: 50, progressAPurchase: 8)
    var mix = Mix(shape: shape)
    var types: [Name: [String]] = [:]
    for input in mix.next(5_000) {
      guard let session = input.event.session else { continue }
      types[session, default: []].append(input.event.type.text)
    }
    // Others were under way at the beginning, or still are at the end.
    let whole = types.values.filter { $0.count == shape.eventsAPurchase }
    #expect(whole.count > 100)
    for types in whole {
      #expect(types.first == "session.started")
      #expect(types.count { $0 == "download.progressed" } == 8)
      #expect(types.suffix(4).first == "content.installed")
      #expect(types.last == "transaction.removed")
    }
  }

  @Test("spreads purchases evenly, or by Zipf's law") func activity() throws {
    let even = counts(.even, accounts: 100)
    let zipf = counts(.zipf, accounts: 100)
    let most = try #require(even.values.max())
    let busiest = try #require(zipf.values.max())
    #expect(most < 20_000 / 30)
    // Of seven doublings, one is the first account's alone.
    #expect((20_000 / 9...20_000 / 5).contains(busiest))
    #expect(zipf.count > 80)
    let sorted = zipf.values.sorted(by: >)
    #expect(sorted.prefix(10).reduce(0, +) > 20_000 / 2)
  }

  @Test("gives one account many devices, and one device many accounts") func busy() {
    var ofAccount = Mix(shape: MixShape(activity: .oneAccount))
    var ofDevice = Mix(shape: MixShape(activity: .oneDevice))
    let first = ofAccount.next(5_000).map(\.event)
    let second = ofDevice.next(5_000).map(\.event)
    #expect(Set(first.map(\.account)).count == 1)
    #expect(Set(first.map(\.device)).count > 64)
    #expect(Set(second.map(\.device)).count == 1)
    #expect(Set(second.map(\.account)).count > 64)
  }

  @Test("has ids in the order of time, or at random") func ids() {
    for isRandom in [false, true] {
      var mix = Mix(shape: MixShape(hasRandomIDs: isRandom))
      let ids = mix.next(2_000).map(\.event.id.text)
      #expect(Set(ids).count == 2_000)
      let falls = zip(ids, ids.dropFirst()).count { $0.0 > $0.1 }
      #expect(isRandom ? (800...1_200).contains(falls) : falls < 200)
    }
  }

  @Test("arrives late and repeated by the shares that it is given") func deliveries() {
    var deliveries = deliveries(late: 50, repeated: 100)
    let events = (0..<100).flatMap { _ in deliveries.next(1_000) }.map(\.event)
    #expect(events.count == 100_000)
    let repeated = events.count - Set(events.map(\.id)).count
    #expect((7_000...10_500).contains(repeated))
    var newest = Instant(microseconds: 0)
    var seen: Set<Name> = []
    var late = 0
    for event in events {
      if event.occurredAt < newest, !seen.contains(event.id) { late += 1 }
      newest = max(newest, event.occurredAt)
      seen.insert(event.id)
    }
    #expect((3_500...5_500).contains(late))
  }

  @Test("arrives the same in small pieces and in large ones") func pieces() {
    var small = deliveries(late: 300, repeated: 300)
    var large = deliveries(late: 300, repeated: 300)
    let first = (0..<3_000).flatMap { _ in small.next(7) }.map(\.event.id)
    // A message that shows 21,000 ids helps nobody.
    let isSame = first == large.next(21_000).map(\.event.id)
    #expect(isSame)
  }

  @Test("loses nothing that is late") func complete() {
    var deliveries = deliveries(late: 200)
    var mix = Mix()
    // After the longest delay, all of the first events have come.
    let count = Int(Deliveries.delayEventsMax) * 3
    let arrived = Set(deliveries.next(count).map(\.event.id))
    let made = mix.next(5_000).map(\.event.id)
    #expect(arrived.isSuperset(of: made))
  }
}
