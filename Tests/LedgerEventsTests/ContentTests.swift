import LedgerEvents
import Testing

struct ContentTests {
  private func event(_ members: String) throws -> Event {
    try EventDecoder().decode(
      line: Array(
        (#"{"id":"1","type":"transaction.failed","occurredAt":"2014-03-05T10:00:01Z","#
          + #""transaction":"T"\#(members)}"#).utf8)
    ).event
  }

  @Test(
    "order, white space, escapes and defaults do not count",
    arguments: [
      ("", #","data":{}"#),
      ("", #","source":"app""#),
      (#","data":{"a":1,"b":2}"#, #","data":{"b":2,"a":1}"#),
      (#","data":{"a":{"x":1,"y":[1,2]}}"#, #","data":{"a": { "y" : [ 1 , 2 ] , "x" : 1 } }"#),
      (#","data":{"a":"é\/\n"}"#, #","data":{"\u0061":"\u00e9/\u000a"}"#),
      (#","data":{"a":"\ud83d\ude00"}"#, #","data":{"a":"😀"}"#),
      (#","account":"A\u0042""#, #","account":"AB""#),
    ])
  func orderWhite(left: String, right: String) throws {
    let (left, right) = (try event(left), try event(right))
    #expect(left.sameContent(as: right))
    #expect(left.canonicalContent == right.canonicalContent)
  }

  @Test(
    "everything else counts",
    arguments: [
      ("", #","source":"server""#),
      ("", #","environment":"production""#),
      ("", #","account":"A""#),
      ("", #","sequence":0"#),
      (#","sequence":1"#, #","sequence":2"#),
      ("", #","data":{"a":1}"#),
      (#","data":{"a":1}"#, #","data":{"a":1.0}"#),
      (#","data":{"a":1e2}"#, #","data":{"a":100}"#),
      (#","data":{"a":1e2}"#, #","data":{"a":1E2}"#),
      (#","data":{"a":1}"#, #","data":{"a":"1"}"#),
      (#","data":{"a":true}"#, #","data":{"a":"true"}"#),
      (#","data":{"a":[1,2]}"#, #","data":{"a":[2,1]}"#),
      (#","data":{"a":{}}"#, #","data":{"a":[]}"#),
      (#","data":{"a":"é"}"#, #","data":{"a":"e\u0301"}"#),
      (#","account":"é""#, #","account":"e\u0301""#),
      (#","payment":"X""#, #","product":"X""#),
      (#","download":"X""#, #","device":"X""#),
      (#","data":{"a":"b","c":"d"}"#, #","data":{"a":"b\",\"c\":\"d"}"#),
    ])
  func everythingElse(left: String, right: String) throws {
    let (left, right) = (try event(left), try event(right))
    #expect(!left.sameContent(as: right))
    #expect(left.canonicalContent != right.canonicalContent)
  }

  @Test("a time counts as an instant") func timeCounts() throws {
    func at(_ time: String) throws -> Event {
      try EventDecoder().decode(
        line: Array(#"{"id":"1","type":"a.b","occurredAt":"\#(time)"}"#.utf8)
      ).event
    }
    #expect(
      try at("2014-03-05T10:00:01Z").sameContent(as: at("2014-03-05T11:00:01.0000004+01:00")))
    #expect(try !at("2014-03-05T10:00:01Z").sameContent(as: at("2014-03-05T10:00:01.000001Z")))
  }

  @Test("ids and types count") func idsTypes() {
    let now = Instant(microseconds: 0)
    let event = Event(id: "1", type: EventType(text: "a.b"), occurredAt: now)
    #expect(!event.sameContent(as: Event(id: "2", type: event.type, occurredAt: now)))
    #expect(
      !event.sameContent(as: Event(id: "1", type: EventType(text: "a.c"), occurredAt: now)))
  }

  @Test("data that is no JSON counts by its bytes") func dataNo() {
    func event(_ json: String) -> Event {
      Event(
        id: "1", type: EventType(text: "a.b"), occurredAt: Instant(microseconds: 0),
        data: EventData(members: [EventData.Member(name: "x", json: Array(json.utf8))]))
    }
    #expect(event("nul").sameContent(as: event("nul")))
    #expect(!event("nul").sameContent(as: event("nu")))
  }
}
