import Foundation
import LedgerEvents
import Testing

@testable import StoreImport

private let envelope =
  #""type":"note.added","occurredAt":{"column":"at","type":"date"},"account":"ada""#

private func map(_ event: String, _ more: String = "") throws(ImportError) -> TableMap {
  try TableMap(Array("{\(more)\"event\":{\(event)}}".utf8), fileName: "map.json")
}

/// A map that makes a note of a column `v`.
private func noted(_ value: String) throws(ImportError) -> TableMap {
  try map(envelope + #","data":{"text":"t","v":"# + value + "}")
}

private func rows(
  _ table: String, _ map: TableMap, app: Name? = nil, account: Name? = nil,
  environment: StoreEnvironment? = nil
) throws(ImportError) -> TableImport {
  try TableImport(
    Array(table.utf8), map: map,
    options: ImportOptions(
      fileName: "t.csv", digestKey: digestKey, account: account, app: app,
      environment: environment))
}

/// Returns the value that a field becomes.
private func value(_ text: String, _ value: String) throws(ImportError) -> String? {
  let table = "at,v\n2026-01-01T00:00:00Z,\"\(text)\"\n"
  let events = try rows(table, try noted(value)).outcome().events
  guard events.count == 2 else { return nil }
  return events[1].data["v"].map { String(decoding: $0, as: UTF8.self) }
}

private func refusal(_ run: () throws(ImportError) -> Void) -> ImportError? {
  do throws(ImportError) {
    try run()
    return nil
  } catch { return error }
}

@Suite("A table and its map") struct TableImportTests {
  @Test(
    "a date that its offset or zone moves out of the years of events is refused with its place",
    arguments: [
      (#"{"column":"v","type":"date"}"#, "9999-12-31T23:59:59-01:00"),
      (#"{"column":"v","type":"date"}"#, "1970-01-01T00:00:00+01:00"),
      (#"{"column":"v","type":"date","format":"yyyy-MM-dd HH:mmX"}"#, "0000-01-01 00:00+23:59"),
      (
        #"{"column":"v","type":"date","format":"yyyy-MM-dd HH:mm","zone":"America/Los_Angeles"}"#,
        "9999-12-31 23:59"
      ),
    ])
  func outOfRange(_ value: String, _ text: String) throws {
    let map = try noted(value)
    let error = try #require(
      refusal { () throws(ImportError) in
        _ = try rows("at,v\n2026-01-01T00:00:00Z,\(text)\n", map)
      })
    #expect(error.code == .badValue && error.path == #"line 2, column "v""#)
    #expect(error.reason.contains("from 1970 to 9999"), "\(error)")
  }

  @Test("a prefix beside looked up values is refused") func prefixedValues() throws {
    let error = try #require(
      refusal { () throws(ImportError) in
        _ = try noted(#"{"column":"v","values":{"a":"A"},"prefix":"com."}"#)
      })
    #expect(error.code == .badValue && error.reason.contains("a prefix beside them"))
  }

  @Test("a key of several columns that is required needs all of them") func wholeKey() throws {
    let table = "at,v,w\n2026-01-01T00:00:00Z,1001,\n2026-01-01T00:00:00Z,,1001\n"
    let value = #"{"columns":["v","w"]"#
    _ = try rows(table, try noted(value + "}"))
    let map = try noted(value + #","required":true}"#)
    let error = try #require(refusal { () throws(ImportError) in _ = try rows(table, map) })
    #expect(error.path.hasPrefix("line 2") && error.reason.contains("in each of these columns"))
  }

  private static let column = #""column":"v""#

  @Test(
    "a field becomes what the map says",
    arguments: [
      ("x", "{\(column)}", #""x""#), ("x", #"{"column":"v","prefix":"shop:"}"#, #""shop:x""#),
      ("x", #"{"columns":["v","at"]}"#, #""x:2026-01-01T00%3A00%3A00Z""#),
      ("-12", #"{"column":"v","type":"integer"}"#, "-12"),
      ("007", #"{"column":"v","type":"integer"}"#, "7"),
      ("12.50", #"{"column":"v","type":"number"}"#, "12.50"),
      ("0,5", #"{"column":"v","type":"number","point":","}"#, "0.5"),
      ("-4,99", #"{"column":"v","type":"decimal","point":","}"#, #""-4.99""#),
      ("YES", #"{"column":"v","type":"boolean"}"#, "true"),
      ("f", #"{"column":"v","type":"boolean"}"#, "false"),
      ("1778493600000", #"{"column":"v","type":"milliseconds"}"#, #""2026-05-11T10:00:00Z""#),
      ("1778493600", #"{"column":"v","type":"seconds"}"#, #""2026-05-11T10:00:00Z""#),
      ("b", #"{"column":"v","values":{"a":1,"b":true}}"#, "true"),
      ("z", #"{"column":"v","values":{"a":1},"otherwise":{"k":[2]}}"#, #"{"k":[2]}"#),
      ("", #"{"column":"v","values":{"":"none"}}"#, #""none""#),
      ("any", #"{"constant":[{"a":1}]}"#, #"[{"a":1}]"#), ("any", "3", "3"),
      ("any", "true", "true"),
    ])
  func fieldBecomes(text: String, map: String, expected: String) throws {
    #expect(try value(text, map) == expected)
  }

  @Test("an id of several columns is that of one row") func severalColumns() throws {
    let map = try map(envelope + #","id":{"columns":["a","b"]},"data":{"text":"t"}"#)
    let at = "2026-01-01T00:00:00Z"
    let events = try rows("at,a,b\n\(at),1,2:3\n\(at),1:2,3\n\(at),1%3A2,3", map).outcome().events
    #expect(Set(events.map(\.id)).count == 4)
  }

  @Test("an empty field is left out") func anEmpty() throws {
    #expect(try value("", #"{"column":"v","type":"integer"}"#) == nil)
    #expect(try value("", "{\(Self.column)}") == nil)
  }

  @Test(
    "dates are read by their format and zone",
    arguments: [
      ("2026-05-11T12:00:00+02:00", "", "2026-05-11T10:00:00Z"),
      (
        "11.05.2026 12:00", #""format":"dd.MM.yyyy HH:mm","zone":"Europe/Berlin""#,
        "2026-05-11T10:00:00Z"
      ),
      ("5/1/2026", #""format":"M/d/yyyy","zone":"UTC""#, "2026-05-01T00:00:00Z"),
      (
        "2026-05-11T10:00:00.123456+0200", #""format":"yyyy-MM-dd'T'HH:mm:ss.SXXX""#,
        "2026-05-11T08:00:00.123456Z"
      ),
      ("20260511100000Z", #""format":"yyyyMMddHHmmssXXX""#, "2026-05-11T10:00:00Z"),
      ("2026-02-29", #""format":"yyyy-MM-dd","zone":"UTC""#, nil),
      ("2026-05-11 ", #""format":"yyyy-MM-dd","zone":"UTC""#, nil),
      ("26-05-11", #""format":"yyyy-MM-dd","zone":"UTC""#, nil),
      ("2026-10-25 02:30", #""format":"yyyy-MM-dd HH:mm","zone":"Europe/Berlin""#, nil),
      ("2026-03-29 02:30", #""format":"yyyy-MM-dd HH:mm","zone":"Europe/Berlin""#, nil),
      (
        "2026-10-25 03:00", #""format":"yyyy-MM-dd HH:mm","zone":"Europe/Berlin""#,
        "2026-10-25T02:00:00Z"
      ),
      ("yesterday", "", nil),
    ] as [(String, String, String?)])
  func datesRead(
    text: String, format: String, expected: String?
  ) throws {
    let map = #"{"column":"v","type":"date"\#(format.isEmpty ? "" : "," + format)}"#
    guard let expected else {
      let error = try #require(refusal { () throws(ImportError) in _ = try value(text, map) })
      #expect(error.path == #"line 2, column "v""# && error.reason.contains(text), "\(error)")
      return
    }
    #expect(try value(text, map) == "\"\(expected)\"")
  }

  @Test(
    "a value of another type is refused with its line and column",
    arguments: [
      ("x", #"{"column":"v","type":"integer"}"#, "a whole number"),
      ("9223372036854775808", #"{"column":"v","type":"integer"}"#, "a whole number"),
      ("1.5", #"{"column":"v","type":"integer"}"#, "a whole number"),
      ("1,5", #"{"column":"v","type":"decimal"}"#, "4.99"),
      ("01.5", #"{"column":"v","type":"decimal"}"#, "4.99"),
      ("1e3", #"{"column":"v","type":"number"}"#, "4.99"),
      (".5", #"{"column":"v","type":"decimal"}"#, "4.99"),
      ("maybe", #"{"column":"v","type":"boolean"}"#, "true or false"),
      ("-1", #"{"column":"v","type":"milliseconds"}"#, "up to 9999"),
      ("9223372036854775807", #"{"column":"v","type":"seconds"}"#, "up to 9999"),
      ("c", #"{"column":"v","values":{"a":1}}"#, "one of the values of event.data.v"),
      ("", #"{"column":"v","required":true}"#, "a value, found nothing"),
    ])
  func valueAnother(
    text: String, map: String, said: String
  ) throws {
    let error = try #require(refusal { () throws(ImportError) in _ = try value(text, map) })
    #expect(error.path == #"line 2, column "v""#, "\(error)")
    #expect(error.description.hasPrefix("t.csv: line 2") && error.reason.contains(said), "\(error)")
    #expect(!error.remedy.isEmpty)
  }

  @Test(
    "a wrong map is refused with the path in it",
    arguments: [
      ("[]", "", "a JSON object"), ("{", "line 1", "expected"),
      (#"{"evnt":{}}"#, "evnt", "expected one of"),
      ("{}", "event", "found none"), (#"{"event":{}}"#, "event.type", "every event needs"),
      (#"{"event":{"type":"a.b","occuredAt":"x"}}"#, "event.occuredAt", "expected one of"),
      (#"{"event":{"type":"a.b","position":1}}"#, "event.position", "expected one of"),
      (#"{"separator":"ab","event":{}}"#, "separator", "a comma"),
      (#"{"rows":[{"column":"a"}],"event":{}}"#, "rows[0]", "is or isNot"),
      (#"{"rows":[{"column":"a","is":[],"isNot":[]}],"event":{}}"#, "rows[0]", "is or isNot"),
      (#"{"rows":[{"is":["a"]}],"event":{}}"#, "rows[0]", "a column"),
      (#"{"event":{"type":{"column":"a","kind":"x"}}}"#, "event.type.kind", "expected one of"),
      (#"{"event":{"type":{}}}"#, "event.type", "a column"),
      (#"{"event":{"type":["a"]}}"#, "event.type", "an array"),
      (#"{"event":{"type":{"column":"a","columns":["b"]}}}"#, "event.type", "both"),
      (#"{"event":{"type":{"column":"a","type":"money"}}}"#, "event.type.type", "decimal"),
      (#"{"event":{"type":{"column":"a","format":"yyyy"}}}"#, "event.type", "a date alone"),
      (
        #"{"event":{"type":{"column":"a","type":"date","format":"dd.MM.yyyy"}}}"#,
        "event.type.zone",
        "states no zone"
      ),
      (
        #"{"event":{"type":{"column":"a","type":"date","format":"dd.MM.yyyyXXX","zone":"UTC"}}}"#,
        "event.type.zone", "states a zone"
      ),
      (
        #"{"event":{"type":{"column":"a","type":"date","format":"dd.MM","zone":"UTC"}}}"#,
        "event.type.format", "0 times"
      ),
      (
        #"{"event":{"type":{"column":"a","type":"date","format":"yyyy-MM-ddTHH","zone":"UTC"}}}"#,
        "event.type.format", "\"T\""
      ),
      (
        #"{"event":{"type":{"column":"a","type":"date","format":"yyyy-MM-dd","zone":"Mars"}}}"#,
        "event.type.zone", "IANA"
      ),
      (
        #"{"event":{"type":{"column":"a","otherwise":1}}}"#, "event.type", "values beside otherwise"
      ),
      (#"{"event":{"type":{"column":"a","values":{}}}}"#, "event.type", "values of one column"),
      (#"{"event":{"type":{"column":"a","point":","}}}"#, "event.type.point", "a decimal"),
      (#"{"event":{"type":"a.b","type":"a.b"}}"#, "line 1", "twice"),
    ])
  func wrongMap(map: String, path: String, said: String) throws {
    let error = try #require(
      refusal { () throws(ImportError) in
        _ = try TableMap(Array(map.utf8), fileName: "folder/map.json")
      })
    #expect(error.file == "map.json" && error.path.hasPrefix(path), "\(error)")
    #expect(error.reason.contains(said), "\(error)")
  }

  @Test("a column that the table does not have is refused at the map") func columnTable() throws {
    for more in [#""account":{"column":"Account"},"#, ""] {
      let filter = more.isEmpty ? #""rows":[{"column":"Account","is":["a"]}],"# : ""
      let map = try map(more + #""type":"note.added","occurredAt":{"column":"at"}"#, filter)
      let error = try #require(
        refusal { () throws(ImportError) in _ = try rows("at,account\n", map) })
      #expect(error.file == "map.json" && error.reason.contains(#"no column "Account""#))
      #expect(error.reason.contains(#""at", "account""#))
    }
  }

  @Test("an event that an append would refuse is refused with the column it comes from")
  func anEvent() throws {
    let map = try map(
      #""type":{"column":"type"},"occurredAt":{"column":"at"},"product":"p","transaction":"t","#
        + #""data":{"purchasedAt":{"column":"n"}}"#)
    for (row, place) in [
      ("transaction.purchased,today,", #"line 3, column "at""#),
      ("transaction.purchased,2026-01-01T00:00:00Z,soon", #"line 3, column "n""#),
      ("transaction.purchasd,2026-01-01T00:00:00Z,", #"line 3, column "type""#),
      (",2026-01-01T00:00:00Z,", #"line 3, column "type""#),
      ("consumable.consumed,2026-01-01T00:00:00Z,", "line 3"),
    ] {
      let table = "type,at,n\ntransaction.purchased,2026-01-01T00:00:00Z,\n" + row
      let error = try #require(refusal { () throws(ImportError) in _ = try rows(table, map) })
      #expect(error.path == place, "\(error)")
    }
  }

  @Test("a misspelled field of data is a warning") func misspelledField() throws {
    let map = try map(
      #""type":"transaction.purchased","occurredAt":{"column":"at"},"product":"p","#
        + #""transaction":"t","data":{"quantty":1}"#)
    let outcome = try rows("at\n2026-01-01T00:00:00Z", map).outcome()
    #expect(outcome.warnings.contains { $0.contains("quantity") && $0.hasPrefix("line 2") })
  }

  @Test("ids are derived from what the event says, whatever the order of the map") func idsDerived()
    throws
  {
    let table = "at,n\n2026-01-01T00:00:00Z,a\n2026-01-02T00:00:00Z,b\n2026-01-01T00:00:00Z,a\n"
    let first = try map(
      #""type":"note.added","occurredAt":{"column":"at"},"account":"ada","#
        + #""data":{"text":{"column":"n"},"more":1}"#)
    let second = try map(
      #""data":{"more":1,"text":{"column":"n"}},"account":"ada","occurredAt":{"column":"at"},"#
        + #""type":"note.added""#)
    let outcome = try rows(table, first).outcome()
    #expect(outcome.events.count == 3)
    #expect(outcome.warnings.contains { $0.hasPrefix("1 row left out that says") })
    let ids = Array(outcome.events.dropFirst()).ids
    #expect(try rows(table, second).outcome().events.map(\.id.text).suffix(2) == ids[...])
    #expect(ids.allSatisfy { $0.hasPrefix("csv:") })
    var other = ImportOptions(fileName: "t.csv", digestKey: [1])
    other.account = nil
    let elsewhere = try TableImport(Array(table.utf8), map: first, options: other).outcome().events
    #expect(Set(elsewhere.map(\.id.text).dropFirst()).isDisjoint(with: ids))
  }

  @Test("one id with two contents is refused, in the table and in the ledger") func oneId() throws {
    let map = try map(
      envelope + #","id":{"column":"id","prefix":"x:"},"data":{"text":{"column":"n"}}"#)
    let twice = "id,at,n\n1,2026-01-01T00:00:00Z,a\n1,2026-01-01T00:00:00Z,b\n"
    let error = try #require(refusal { () throws(ImportError) in _ = try rows(twice, map) })
    #expect(error.code == .contradiction && error.path == #"line 3, column "id""#)
    #expect(error.reason.contains("line 2"))
    let read = try rows("id,at,n\n1,2026-01-01T00:00:00Z,a", map)
    var known = try #require(try read.outcome().events.last)
    #expect(known.id == "x:1" && read.subjects[0].identifiers == ["x:1"])
    let same = KnownPurchases(recorded: [known.id: known])
    #expect(try read.outcome([.production: same]).events.count == 2)
    known.account = "eve"
    let another = KnownPurchases(recorded: [known.id: known])
    let conflict = refusal { () throws(ImportError) in
      _ = try read.outcome([.production: another])
    }
    #expect(try #require(conflict).code == .contradiction)
  }

  @Test("the command line says what the map does not, and must not contradict it")
  func commandLine() throws {
    let open = try map(#""type":"note.added","occurredAt":{"column":"at"},"data":{"text":"t"}"#)
    let table = "at\n2026-01-01T00:00:00Z"
    let events = try rows(
      table, open, app: "com.example.tides", account: "ada", environment: .sandbox
    ).outcome().events
    #expect(events[1].account == "ada" && events[1].app == "com.example.tides")
    #expect(events[1].environment == .sandbox)
    let error = refusal { () throws(ImportError) in
      _ = try rows(table, try noted("1"), account: "eve")
    }
    #expect(try #require(error).code == .contradiction)
  }

  @Test("rows are chosen by conditions, and a table without any leaves nothing") func rowsChosen()
    throws
  {
    let table = "at,s,n\n2026-01-01T00:00:00Z,a,1\n2026-01-01T00:00:00Z,b,2\n,c,3\n"
    let event = envelope + #","data":{"text":{"column":"n"}}"#
    let some = try rows(
      table,
      try map(event, #""rows":[{"column":"s","is":["a","b"]},{"column":"n","isNot":["1"]}],"#)
    ).outcome()
    #expect(some.events.dropFirst().map { $0.data.string("text") } == ["2"])
    #expect(some.warnings == ["2 rows left out, as the map says"])
    let none = try rows(table, try map(event, #""rows":[{"column":"s","is":[]}],"#)).outcome()
    #expect(none.events.isEmpty)
    #expect(some.events[0].data.string("map") == "map.json")
    #expect(some.events[0].data.boolean("verified") == false)
    #expect(some.events[0].data.string("mapSHA256")?.count == 64)
  }

  @Test("the bad maps beside the schema are refused at the path that they name")
  func badMaps() throws {
    let file = StoreFiles.packageRoot.appending(path: "Schemas/bad-table-maps.jsonl")
    let lines = try StoreFiles.bytes(file).split(separator: UInt8(ascii: "\n"))
    #expect(lines.count > 20)
    for line in lines {
      let bad = try JSONValue(json: Array(line))
      let error = try #require(
        refusal { () throws(ImportError) in
          _ = try TableMap(bad["table-map"]?.json ?? [], fileName: "map.json")
        })
      #expect(error.path == bad["path"]?.string, "\(bad["why"]?.string ?? ""): \(error)")
    }
  }
}
