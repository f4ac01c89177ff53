import LedgerEvents

/// Generates events of every type from a seed.
struct SampleEvents {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }

  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  /// Returns a valid event of the kind, in which each member of the vocabulary occurs sometimes.
  mutating func event(_ kind: EventKind) -> Event {
    let type = kind == .unknown ? EventType(text: "future.thing") : EventType(kind)
    var event = Event(id: id(), type: type, occurredAt: instant())
    if chance(80) { event.source = source() }
    if chance(50) { event.environment = pick(StoreEnvironment.allCases) }
    if chance(50) { event.sequence = Int64(below(2) == 0 ? below(200) : below(1 << 40)) }
    if chance(80) { event.app = "com.example.reader" }
    if chance(80) { event.account = name() }
    if chance(80) { event.device = name() }
    if chance(60) { event.session = name() }
    if chance(30) { event.payment = name() }
    if chance(60) { event.product = name() }
    if chance(60) { event.transaction = name() }
    if chance(40) { event.originalTransaction = name() }
    if chance(40) { event.download = name() }
    event.data = data(Vocabulary.rule(kind))
    satisfy(&event)
    return event
  }

  private mutating func satisfy(_ event: inout Event) {
    for alternatives in Vocabulary.rule(event.type.kind).needs {
      switch pick(alternatives) {
      case .envelope(.account): event.account = event.account ?? name()
      case .envelope(.product): event.product = event.product ?? name()
      case .envelope(.payment): event.payment = event.payment ?? name()
      case .envelope(.transaction): event.transaction = event.transaction ?? name()
      case .envelope(.originalTransaction):
        event.originalTransaction = event.originalTransaction ?? name()
      case .envelope(.download): event.download = event.download ?? name()
      case .envelope: break
      case .data(let needed):
        if event.data[needed] == nil,
          let field = Vocabulary.rule(event.type.kind).field(needed)
        {
          event.data.members.append(EventData.Member(name: needed, json: json(field.type)))
        }
      }
    }
  }

  private mutating func data(_ rule: Vocabulary.Rule) -> EventData {
    var members: [EventData.Member] = []
    for field in rule.fields where chance(60) {
      members.append(EventData.Member(name: field.name, json: json(field.type)))
    }
    if chance(30) {
      members.append(
        EventData.Member(name: "colour", json: Array(#"{"r" : 1.50, "ä":"\u00e4"}"#.utf8)))
    }
    if chance(10) { members.append(EventData.Member(name: "sig\u{e9}", json: Array("1e5".utf8))) }
    return EventData(members: members)
  }

  mutating func json(_ type: Vocabulary.FieldType, depth: Int = 0) -> [UInt8] {
    let text: String
    switch type {
    case .string: text = pick(["\"\"", "\"1.0\"", "\"a \\\"word\\\"\\u0041\"", "\"ünï\"", long()])
    case .name: text = pick(["\"n1\"", "\"n2\"", "\"n\\u0033\"", "\"com.example.x\""])
    case .integer(let minimum):
      text = minimum > 0 ? pick(["1", "77"]) : pick(["0", "-5", "42", "9223372036854775807"])
    case .number(let bounds):
      text =
        bounds.upperBound == 100
        ? pick(["100", "50.5", "33", "1e1"])
        : pick(["0", "1", "0.31", "1.0", "2.5e-1", "0.123456789012345678"])
    case .boolean: text = pick(["true", "false"])
    case .time:
      text = pick([
        "\"2014-03-05T10:00:01.000Z\"", "\"2014-03-05T10:00:01Z\"",
        "\"2014-03-05T10:00:01.25+01:00\"", "\"2014-03-05t10:00:01.250001z\"",
        "\"0001-01-01T00:00:00Z\"", "\"2014-03-05T10:00:01.123456789Z\"",
        "\"2016-12-31T23:59:60Z\"", "\"2014-03-05T10:00:01.\\u0031Z\"",
        "\"2014-03-05T10:00:01.10Z\"",
      ])
    case .money: text = pick(["\"0.99\"", "\"-12\"", "\"1000000.000\""])
    case .currency: text = pick(["\"EUR\"", "\"USD\""])
    case .duration: text = pick(["\"P1M\"", "\"P1Y2M3DT4H5M6.5S\"", "\"P2W\""])
    case .digits: text = "\"364147881\""
    case .oneOf(let words): text = "\"" + pick(words) + "\""
    case .integerOrString: text = pick(["21007", "\"valid\""])
    case .any: text = pick(["[1, 2]", "\"x\"", "{}", "true"])
    case .error:
      text =
        depth > 1
        ? "{}"
        : "{\"domain\":\"SKErrorDomain\",\"code\":2,\"message\":\"no\",\"underlying\":"
          + String(decoding: json(.error, depth: depth + 1), as: UTF8.self) + "}"
    case .array(let element): text = "[" + elements(element, depth) + "]"
    case .object(let fields): text = object(fields, depth)
    case .amounts: text = pick(["{}", "{\"credits\":5}", "{ \"credits\":5 ,\"gems\":-3}"])
    }
    return Array(text.utf8)
  }

  private mutating func elements(_ type: Vocabulary.FieldType, _ depth: Int) -> String {
    (0..<below(3)).map { _ in String(decoding: json(type, depth: depth + 1), as: UTF8.self) }
      .joined(separator: pick([",", " , "]))
  }

  private mutating func object(_ fields: [Vocabulary.Field], _ depth: Int) -> String {
    var parts: [String] = []
    for field in fields where field.isNeeded || chance(60) {
      let value = String(decoding: json(field.type, depth: depth + 1), as: UTF8.self)
      parts.append("\"\(field.name)\":\(value)")
    }
    if chance(15) { parts.append("\"own\":[1,{\"x\":2.0}]") }
    return "{" + parts.joined(separator: ",") + "}"
  }

  private mutating func long() -> String {
    "\"" + String(repeating: "x", count: pick([238, 239, 240, 70_000])) + "\""
  }

  mutating func name() -> Name {
    pick(["a", "b\u{301}", "1000000200", "com.example.reader.chapter1", "\"quoted\"\n"])
  }

  mutating func id() -> Name {
    switch below(5) {
    case 0: return "018f3c2a-7b10-7cc3-9a1e-0123456789ab"
    case 1: return "018F3C2A-7B10-7CC3-9A1E-0123456789AB"
    case 2: return "018f3c2a-7b10-7cc3-9a1e-0123456789a"
    case 3: return Name("é" + String(next(), radix: 16))
    default: return Name(String(next(), radix: 16))
    }
  }

  mutating func instant() -> Instant {
    Instant(microseconds: Int64(next() % UInt64(Instant.microsecondsMax + 1)))
  }

  mutating func source() -> EventSource {
    chance(80) ? EventSource(pick(EventSource.Kind.allCases)) : EventSource(text: "storekit3")
  }
}
