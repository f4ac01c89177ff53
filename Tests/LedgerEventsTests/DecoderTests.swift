import LedgerEvents
import Testing

struct DecoderTests {
  private let full =
    #"{"id":"018f","type":"download.progressed","occurredAt":"2014-03-05T10:00:01.250Z","#
    + #""source":"storekit1","environment":"sandbox","app":"com.example","account":"A\u00e9","#
    + #""device":"D","session":"S","sequence":7,"payment":"Y","product":"P","transaction":"T","#
    + #""originalTransaction":"O","download":"C","data":{"progress":0.310,"own":{ "a" : [1.50,"#
    + #" "\u0041"] }},"position":12,"recordedAt":"2014-03-05T10:00:02+00:00"}"#

  @Test("every field is read") func everyField() throws {
    let input = try EventDecoder().decode(line: Array(full.utf8))
    let event = input.event
    #expect(event.id == "018f")
    #expect(event.type == EventType(.downloadProgressed))
    #expect(event.occurredAt.rfc3339 == "2014-03-05T10:00:01.25Z")
    #expect(event.source == EventSource(.storekit1))
    #expect(event.environment == .sandbox)
    #expect(event.app == "com.example")
    #expect(event.account == "Aé")
    #expect(event.device == "D")
    #expect(event.session == "S")
    #expect(event.sequence == 7)
    #expect(event.payment == "Y")
    #expect(event.product == "P")
    #expect(event.transaction == "T")
    #expect(event.originalTransaction == "O")
    #expect(event.download == "C")
    #expect(event.data["progress"] == Array("0.310".utf8))
    #expect(event.data["own"] == Array(#"{ "a" : [1.50, "\u0041"] }"#.utf8))
    #expect(input.position == 12)
    #expect(input.recordedAt?.rfc3339 == "2014-03-05T10:00:02Z")
  }

  @Test("an export of it is the same line but for times and escapes of names") func exportSame()
    throws
  {
    let input = try EventDecoder().decode(line: Array(full.utf8))
    var line: [UInt8] = []
    EventEncoder().append(input, to: &line)
    #expect(
      String(decoding: line, as: UTF8.self)
        == full.replacing(".250Z", with: ".25Z").replacing("+00:00", with: "Z")
        .replacing(#"A\u00e9"#, with: "Aé"))
    let recorded = RecordedEvent(
      position: 12, recordedAt: try #require(input.recordedAt), event: input.event)
    #expect(EventEncoder().encode(recorded) == line)
  }

  @Test("fields may stand in any order") func fieldsMay() throws {
    let input = try EventDecoder().decode(
      line: Array(
        (#"{"data":{"progress":1,"x":0},"download":"C","transaction":"T","#
          + #""recordedAt":"2014-03-05T10:00:02Z","occurredAt":"2014-03-05T10:00:01Z","#
          + #""type":"download.progressed","id":"1"}"#).utf8))
    #expect(input.event.data.members.map(\.name) == ["progress", "x"])
    #expect(input.event.transaction == "T")
  }

  @Test("white space around everything, and one line feed at the end, are fine") func whiteSpace()
    throws
  {
    let line =
      " \t{ \"id\" :\t\"1\" , \"type\" : \"note.added\" ,\r \"occurredAt\" : "
      + "\"2014-03-05T10:00:01Z\" , \"data\" : "
      + "{ \"text\" : \"x\" , \"y\" : [ ] , \"z\" : { } } } \r\n"
    let event = try EventDecoder().decode(line: Array(line.utf8)).event
    #expect(event.data["text"] == Array("\"x\"".utf8))
    #expect(event.data["y"] == Array("[ ]".utf8))
    #expect(event.data["z"] == Array("{ }".utf8))
  }

  @Test("the default environment is for events that state none") func defaultEnvironment() throws {
    let decoder = EventDecoder(defaultEnvironment: .xcode)
    let none = #"{"id":"1","type":"a.b","occurredAt":"2014-03-05T10:00:01Z"}"#
    let own = none.dropLast() + #","environment":"sandbox"}"#
    #expect(try decoder.decode(line: Array(none.utf8)).event.environment == .xcode)
    #expect(try decoder.decode(line: Array(own.utf8)).event.environment == .sandbox)
    #expect(try EventDecoder().decode(line: Array(none.utf8)).event.environment == nil)
  }

  @Test("an unknown type is kept with whatever data it has") func unknownType() throws {
    let line =
      #"{"id":"1","type":"future.thing","occurredAt":"2014-03-05T10:00:01Z","source":"gameCenter","#
      + #""data":{"progress":"much","products":7}}"#
    let event = try EventDecoder().decode(line: Array(line.utf8)).event
    #expect(event.type.kind == .unknown)
    #expect(event.type.text == "future.thing")
    #expect(event.source?.text == "gameCenter")
    #expect(event.source?.kind == .app)
    #expect(String(decoding: EventEncoder().encode(event), as: UTF8.self) == line)
  }

  @Test("an escaped type and escaped field names are what they spell") func escapedType() throws {
    let line =
      #"{"\u0069d":"1","type":"note\u002eadded","occurredAt":"2014-03-05T10:00:01\u005a","#
      + #""data":{"t\u0065xt":"x"}}"#
    let event = try EventDecoder().decode(line: Array(line.utf8)).event
    #expect(event.type.kind == .noteAdded)
    #expect(event.data.string("text") == "x")
  }

  @Test("the limits themselves are allowed") func limitsThemselves() throws {
    let deep = String(repeating: "[", count: 30) + String(repeating: "]", count: 30)
    let id = String(repeating: "i", count: eventIDBytesMax)
    let name = String(repeating: "n", count: nameBytesMax)
    let line =
      #"{"id":"\#(id)","type":"a.b","occurredAt":"2014-03-05T10:00:01Z","account":"\#(name)","#
      + #""sequence":9223372036854775807,"data":{"x":\#(deep)}}"#
    let event = try EventDecoder().decode(line: Array(line.utf8)).event
    #expect(event.sequence == .max)
    let start = #"{"id":"1","type":"a.b","occurredAt":"2014-03-05T10:00:01Z","data":{"x":""#
    let fill = String(repeating: "x", count: eventSizeBytesMax - start.utf8.count - 3)
    _ = try EventDecoder().decode(line: Array((start + fill + "\"}}").utf8))
  }

  @Test("the smallest integer and the ends of ranges are allowed") func smallestInteger() throws {
    for (type, data) in [
      ("payment.added", #""quantity":-9223372036854775808"#),
      ("download.progressed", #""progress":0"#),
      ("download.progressed", #""progress":1.0,"timeRemaining":-1"#),
      ("download.progressed", #""progress":1e-400"#), ("transaction.refunded", #""percent":100"#),
      ("receipt.rejected", #""status":"expired""#), ("receipt.rejected", #""status":21007"#),
      ("transaction.failed", #""error":{}"#),
    ] {
      let line =
        #"{"id":"1","type":"\#(type)","occurredAt":"2014-03-05T10:00:01Z","transaction":"T","#
        + #""product":"P","download":"D","data":{\#(data)}}"#
      _ = try EventDecoder().decode(line: Array(line.utf8))
    }
  }

  @Test("an error reads as a sentence with its location") func errorReads() {
    #expect(
      EventError(line: 3, column: 17, field: "data.progress", reason: "is much").description
        == "line 3, column 17: data.progress: is much")
    #expect(EventError(reason: "is much").description == "is much")
  }
}
