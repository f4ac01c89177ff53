public import LedgerEvents

/// The events of a `Mix` in the order in which a ledger receives them. Some arrive late, as from a
/// device that was offline. Some arrive a second time, as from one that has not heard the answer.
public struct Deliveries {
  /// An event that is late, or arrives again, does so after up to this many others.
  public static let delayEventsMax: UInt64 = 10_000

  private var mix: Mix
  private var random: SplitMix64
  private let latePerThousand: UInt64
  private let repeatedPerThousand: UInt64
  private var delivered: UInt64 = 0
  /// What arrives when so many events were delivered.
  private var due: [UInt64: [EventInput]] = [:]

  public init(
    _ mix: Mix, seed: UInt64 = 1, latePerThousand: UInt64 = 0, repeatedPerThousand: UInt64 = 0
  ) {
    self.mix = mix
    random = SplitMix64(seed: ~seed)
    self.latePerThousand = latePerThousand
    self.repeatedPerThousand = repeatedPerThousand
  }

  /// The next `count` events, in the order of arrival.
  public mutating func next(_ count: Int) -> [EventInput] {
    var events: [EventInput] = []
    events.reserveCapacity(count)
    while events.count < count {
      events += due.removeValue(forKey: delivered) ?? []
      let event = EventInput(event: mix.next())
      let draw = random.next() % 1_000
      if draw < latePerThousand {
        due[later(), default: []].append(event)
      } else {
        if draw < latePerThousand + repeatedPerThousand { due[later(), default: []].append(event) }
        events.append(event)
      }
      delivered += 1
    }
    let surplus = events[count...]
    if !surplus.isEmpty { due[delivered, default: []].insert(contentsOf: surplus, at: 0) }
    return Array(events[..<count])
  }

  private mutating func later() -> UInt64 { delivered + 1 + random.next() % Self.delayEventsMax }
}
