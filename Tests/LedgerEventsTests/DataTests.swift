import LedgerEvents
import Testing

struct DataTests {
  @Test("what the builder writes reads as what was set") func builderWrites() throws {
    var data = EventData.Builder()
    data.set("text", "a \"word\"\\\n\u{1}\u{1F}\t\u{8}\u{C}\r é😀")
    data.set("name", Name("N"))
    data.set("number", Int64.min)
    data.set("yes", true)
    data.set("time", Instant(microseconds: 1_500_000))
    data.set("digits", number: "0.310")
    data.set("list", JSONValue.array([.number("1"), .string("x")]))
    data.set("object", .object([(name: "a", value: .boolean(false))]))
    data.set("raw", json: Array("[ 1 ]".utf8))
    data.set("absent", nil as String?)
    data.set("absent", nil as Name?)
    data.set("absent", nil as Int64?)
    data.set("absent", nil as Bool?)
    data.set("absent", nil as Instant?)
    data.set("absent", nil as JSONValue?)
    data.set("name", "M")
    var event = Event(
      id: "1", type: EventType(text: "a.b"), occurredAt: Instant(microseconds: 0))
    event.data = data.build()
    try event.validate()
    let back = try EventDecoder().decode(line: EventEncoder().encode(event)).event.data
    #expect(back.string("text") == "a \"word\"\\\n\u{1}\u{1F}\t\u{8}\u{C}\r é😀")
    #expect(back.name("name") == "M")
    #expect(back.integer("number") == .min)
    #expect(back.boolean("yes") == true)
    #expect(back.instant("time") == Instant(microseconds: 1_500_000))
    #expect(back.numberText("digits") == "0.310")
    #expect(back.double("digits") == 0.31)
    #expect(back.array("list")?.compactMap(\.integer) == [1])
    #expect(back.object("object")?.first?.value.boolean == false)
    #expect(back["raw"] == Array("[ 1 ]".utf8))
    #expect(back["absent"] == nil)
    #expect(!back.isEmpty)
  }

  @Test("a value of another type is none") func valueAnother() throws {
    let value = try JSONValue(json: Array(#"{"s":"x","n":1.5,"b":true}"#.utf8))
    #expect(value["s"]?.integer == nil)
    #expect(value["s"]?.double == nil)
    #expect(value["s"]?.numberText == nil)
    #expect(value["s"]?.boolean == nil)
    #expect(value["s"]?.instant == nil)
    #expect(value["n"]?.integer == nil)
    #expect(value["n"]?.string == nil)
    #expect(value["n"]?.array == nil)
    #expect(value["b"]?.object == nil)
    #expect(value["b"]?["x"] == nil)
    #expect(value["absent"] == nil)
    #expect(EventData().value("x") == nil)
  }

  @Test(
    "what is no value is refused",
    arguments: ["", "[1", "1 2", "{\"a\":null}", "\"\\ud800\"", "01"])
  func noValue(text: String) {
    #expect(throws: EventError.self) { try JSONValue(json: Array(text.utf8)) }
    let data = EventData(members: [EventData.Member(name: "x", json: Array(text.utf8))])
    #expect(data.value("x") == nil)
  }

  @Test("members that are null can be left out of a document, and nothing else") func leftOut()
    throws
  {
    func value(_ text: String) throws(EventError) -> JSONValue {
      try JSONValue(document: Array(text.utf8), nulls: .leftOut)
    }
    let text = #"{"a":null,"b":{"c": null ,"d":1},"e":"null","f":[{"g":null}]}"#
    #expect(try value(text).json == Array(#"{"b":{"d":1},"e":"null","f":[{}]}"#.utf8))
    for wrong in [
      "null", "[null]", #"{"a":nul}"#, #"{"a":nullx}"#, #"{"a":null,"a":1}"#,
      #"{"a":1,"a":null}"#, #"{"a":null"#,
    ] {
      #expect(throws: EventError.self, "\(wrong)") { try value(wrong) }
    }
    #expect(throws: EventError.self) { try JSONValue(document: Array(text.utf8)) }
  }

  @Test(
    "a number is the nearest double",
    arguments: [
      "0", "-0", "1", "-1.5", "0.1", "123456789012345678", "1e22", "1.7976931348623157e308",
      "1e400",
      "5e-324", "2.2250738585072011e-308", "0.000000000000000000000001", "9007199254740993",
      "0.30000000000000004", "100000000000000000000000", "3.141592653589793", "1E+2", "-0.0",
    ])
  func numberNearest(text: String) throws {
    let value = try #require(try JSONValue(json: Array(text.utf8)).double)
    #expect(value == Double(text) || value.isInfinite)
  }

  @Test("random numbers are the nearest double") func randomNumbers() throws {
    var random = SampleEvents(seed: 5)
    for _ in 0..<2_000 {
      let text = "\(random.below(1 << 40)).\(random.below(1 << 30))"
      #expect(try JSONValue(json: Array(text.utf8)).double == Double(text))
    }
  }

  @Test("names of data are numbered after those of the envelope") func namesData() throws {
    func uses(_ line: String) throws -> [NameUse] {
      try EventDecoder().decode(line: Array(line.utf8)).event.nameUses
    }
    let start = #"{"id":"1","occurredAt":"2014-03-05T10:00:01Z","#
    #expect(
      try uses(
        start
          + #""download":"1","originalTransaction":"2","transaction":"3","product":"4","#
          + #""payment":"5","session":"6","device":"7","account":"8","app":"9","type":"a.b"}"#
      ).map(\.name) == ["9", "8", "7", "6", "5", "4", "3", "2", "1"])
    #expect(
      try uses(
        start
          + #""type":"transaction.restored","transaction":"T","product":"P","#
          + #""data":{"downloads":[{"download":"x"},{"download":"y"},{"download":"x"}]}}"#
      ).map(\.kind) == [.product, .transaction, .download, .download, .download])
    #expect(
      try uses(
        start
          + #""type":"catalog.received","data":{"invalid":["i"],"products":[{"product":"p"}]}}"#
      ).map(\.name) == ["p", "i"])
    #expect(
      try uses(start + #""type":"account.transferred","account":"A","data":{"to":"B"}}"#)
        == [NameUse(kind: .account, name: "A"), NameUse(kind: .account, name: "B")])
    #expect(
      try uses(start + #""type":"catalog.failed","data":{"products":[{"product":"p"}]}}"#).isEmpty)
  }

  @Test("a member that the type does not know has no names in it") func memberType() throws {
    let line =
      #"{"id":"1","occurredAt":"2014-03-05T10:00:01Z","type":"catalog.set","#
      + #""data":{"products":[{"product":"p","kind":"consumable"}],"invalid":["i"],"to":"B"}}"#
    let event = try EventDecoder().decode(line: Array(line.utf8)).event
    #expect(event.nameUses == [NameUse(kind: .product, name: "p")])
  }

  @Test("numbers are given in the order of first use") func numbersGiven() {
    var numbers = NameNumbers()
    #expect(numbers.number(NameUse(kind: .account, name: "A")) == 1)
    #expect(numbers.number(NameUse(kind: .device, name: "A")) == 2)
    #expect(numbers.number(NameUse(kind: .account, name: "A")) == 1)
    #expect(numbers.known(NameUse(kind: .device, name: "A")) == 2)
    #expect(numbers.known(NameUse(kind: .device, name: "B")) == 0)
    #expect(numbers.use(2) == NameUse(kind: .device, name: "A"))
    #expect(numbers.use(0) == nil)
    #expect(numbers.use(3) == nil)
    #expect(numbers.count == 2)
  }

  @Test("slots of names have their kinds") func slotsNames() {
    #expect(
      NameSlot.allCases.map(\.kind) == [
        .app, .account, .device, .session, .payment, .product, .transaction, .transaction,
        .download,
      ])
  }

  @Test("names compare by bytes") func namesCompare() {
    #expect(Name("é") != Name("e\u{301}"))
    #expect(Name("a") < Name("b"))
    #expect(Set([Name("é"), Name("e\u{301}"), Name("é")]).count == 2)
    #expect(Name("é").byteCount == 2)
    #expect("\(Name("x"))" == "x")
    #expect(StoreEnvironment.production < .sandbox)
    #expect(StoreEnvironment(text: "Sandbox") == nil)
    #expect(EventSource(text: "receipt") == EventSource(.receipt))
  }
}
