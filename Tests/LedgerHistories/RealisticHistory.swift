import LedgerEvents

/// Realistic customers: they launch the app, buy, download with about twenty progress reports,
/// install, finish, renew through the store's notifications, restore on a second device, and spend.
struct RealisticHistory {
  /// Returns the name of a product with hosted content.
  static func chapter(_ number: Int) -> Name { Name("com.example.reader.chapter\(number + 1)") }

  static let app: Name = "com.example.reader"
  var random: SeededRandom
  private var drafts: [Draft] = []
  private var made: UInt64 = 0

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// Returns about `count` events, in order of store time. The last customer is complete.
  mutating func events(count: Int) -> [RecordedEvent] {
    let start = 1_704_067_200 * Instant.second
    catalogue(at: start)
    var begin = start + Instant.hour
    while drafts.count < count {
      var customer = Customer(number: UInt64(drafts.count), begin: begin, random: random)
      customer.live()
      random = customer.random
      drafts += customer.drafts
      begin += Int64(random.below(1_200)) * Instant.second
    }
    let ordered = drafts.enumerated().sorted {
      ($0.element.event.occurredAt, $0.offset) < ($1.element.event.occurredAt, $1.offset)
    }
    return ordered.enumerated().map { number, item in
      var event = item.element.event
      event.id = identifier(at: event.occurredAt)
      let recordedAt = Instant(
        microseconds: event.occurredAt.microseconds + Int64(random.below(3_000_000)))
      return RecordedEvent(position: UInt64(number + 1), recordedAt: recordedAt, event: event)
    }
  }

  /// Returns a UUIDv7: milliseconds, then random bits.
  private mutating func identifier(at time: Instant) -> Name {
    let milliseconds = UInt64(time.microseconds / 1_000)
    made += 1
    let high = (milliseconds << 16) | 0x7000 | (random.next() & 0x0FFF)
    let low = (random.next() & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
    return Self.uuid(high, low)
  }

  static func uuid(_ high: UInt64, _ low: UInt64) -> Name {
    let digits = hexadecimal(high) + hexadecimal(low)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text += "-" }
      text.append(digit)
    }
    return Name(text)
  }

  private static func hexadecimal(_ bits: UInt64) -> String {
    let digits = String(bits, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private mutating func catalogue(at time: Int64) {
    var text = DataText()
    var products = (0..<8).map {
      "{\"product\":\"\(Self.chapter($0))\",\"kind\":\"nonConsumable\",\"delivery\":\"store\"}"
    }
    products += [
      #"{"product":"com.example.reader.pro","kind":"nonConsumable","entitlements":["pro"]}"#,
      #"{"product":"com.example.reader.credits","kind":"consumable","grants":{"credits":5}}"#,
      #"{"product":"com.example.reader.monthly","kind":"autoRenewable","duration":"P1M","#
        + #""entitlements":["pro"]}"#,
    ]
    text.set("products", raw: "[" + products.joined(separator: ",") + "]")
    let event = Event(
      id: "", type: EventType(.catalogSet), occurredAt: Instant(microseconds: time),
      source: EventSource(.operator), app: Self.app, data: text.data)
    drafts.append(Draft(kind: .catalogSet, event: event))
  }
}
