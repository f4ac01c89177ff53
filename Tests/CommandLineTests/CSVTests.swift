import Foundation
import Testing

/// `--format csv` of every command: RFC 4180, with the names that JSON has.
@Suite("Answers as CSV") struct CSVTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger(events: [
      Sample.event(
        "set", "catalog.set", at: 0,
        #","data":{"products":[{"product":"map","kind":"nonConsumable","entitlements":["maps"]}]}"#),
      Sample.purchase("t1", of: "ada", at: 1),
      Sample.purchase("t2", of: "eve, the \\\"second\\\"", at: 2),
      Sample.event("n", at: 3, #","account":"=1+1""#),
    ])
  }

  /// The rows of RFC 4180, read by the standard alone.
  private func rows(_ text: String) -> [[String]] {
    var rows: [[String]] = []
    var (row, cell, isQuoted) = ([String](), "", false)
    for character in text {
      switch character {
      case "\"": isQuoted.toggle()
      case "," where !isQuoted:
        row.append(cell)
        cell = ""
      case "\r\n" where !isQuoted:
        rows.append(row + [cell])
        (row, cell) = ([], "")
      default: cell.append(character)
      }
    }
    return rows
  }

  @Test(
    "the columns are the members of JSON, whether there are rows or not",
    arguments: [
      (["events"], ["events", "--type", "download.*"]),
      (
        ["events", "--by", "type,day"], ["events", "--by", "type,day", "--since", "2030-01"]
      ),
      (["events", "--sum", "price,quantity"], ["events", "--sum", "price,quantity", "--to", "1"]),
      (["holders", "map"], ["holders", "mup"]),
      (["findings", "--at", "2026-09-01"], ["findings", "--since", "2030-01"]),
      (["transactions", "ada"], ["transactions", "bob"]),
      (["diff", "--from", "1"], ["diff", "--from", "4"]),
    ])
  func columns(_ question: [String], _ empty: [String]) throws {
    let objects = try ledger.run(question + ["--format", "jsonl"]).lines.map { line in
      try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
    }
    #expect(!objects.isEmpty)
    let csv = try ledger.run(question + ["--format", "csv"])
    #expect(csv.status == 0, "\(csv.errors)")
    let table = rows(csv.output)
    let header = try #require(table.first)
    #expect(Set(objects.flatMap(\.keys)).isSubset(of: header), "\(header)")
    #expect(table.count == objects.count + 1)
    #expect(table.allSatisfy { $0.count == header.count })
    let none = try ledger.run(empty + ["--format", "csv"])
    #expect(none.output == header.joined(separator: ",") + "\r\n", "\(none.errors)")
  }

  @Test("the elements of a document are its rows") func document() throws {
    let answer = try ledger.run(
      "entitlements", "ada", "--at", "2026-03-01", "--format", "csv")
    let table = rows(answer.output)
    #expect(
      table.first == [
        "account", "at", "position", "product", "entitlement", "entitlements", "state", "since",
        "expiresAt", "originalTransaction", "transactions", "ownership", "source", "environment",
        "unverified",
      ])
    #expect(
      table.dropFirst() == [
        [
          "ada", "2026-03-01T00:00:00Z", "4", "map", "", "[maps]", "active",
          "2026-02-01T12:00:01Z", "", "t1", "[t1]", "purchased", "store", "production",
          "[]",
        ]
      ])
    let nobody = try ledger.run("entitlements", "bob", "--format", "csv")
    #expect(rows(nobody.output).count == 1)
    let explained = try ledger.run("explain", "ada", "map", "--format", "csv")
    #expect(rows(explained.output).count > 1, "\(explained.errors)")
  }

  @Test("one object is one row, and its objects are columns of their own") func object() throws {
    let table = rows(try ledger.run("stats", "--format", "csv").output)
    #expect(table.count == 2)
    #expect(table[0].contains("bytes.log"))
    #expect(table[0].contains("eventsByType.note.added"))
    #expect(rows(try ledger.run("version", "--format", "csv").output).count == 2)
  }

  @Test("texts are quoted where they must be, and no cell is a formula") func texts() throws {
    let answer = try ledger.run("events", "--format", "csv")
    #expect(answer.output.contains(#""eve, the ""second""""#), "\(answer.output)")
    #expect(answer.output.contains(",'=1+1,"))
    #expect(!answer.output.replacing("\r\n", with: "").contains("\n"))
  }

  @Test("numbers stay numbers, and what only looks like one is a text") func numbers() throws {
    let numbers = ["-1", "-1.50", "12.34"]
    let texts = ["-", "-1.", "-.5", "-1.5.2", "--1", "-1e5", "-\u{661}"]
    let ledger = try TestLedger(
      events: (numbers + texts).enumerated().map { number, text in
        Sample.event("n\(number)", at: number, #","account":"\#(text)""#)
      })
    let answer = try ledger.run("events", "--by", "account", "--format", "csv")
    let cells = rows(answer.output).dropFirst().compactMap(\.first)
    #expect(Set(cells) == Set(numbers + texts.map { "'" + $0 }), "\(answer.output)")
  }

  @Test("a text keeps an accent at its beginning") func accents() throws {
    let text = "\u{301}accent"
    let ledger = try TestLedger(events: [Sample.event("n", at: 0, #","account":"\#(text)""#)])
    let answer = try ledger.run("events", "--by", "account", "--format", "csv")
    #expect(Array(answer.output.utf8) == Array("account,count\r\n\(text),1\r\n".utf8))
  }

  @Test("each command that answers knows CSV") func everywhere() throws {
    for command in try Program.run(["--help"]).lines.compactMap({ line in
      line.wholeMatch(of: #/  ([a-z]+) +[A-Z].*/#).map { String($0.1) }
    })
    where ![
      "init", "pull", "serve", "catalog", "content", "key", "witness", "token", "webhook",
    ].contains(command) {
      let help = try Program.run(["help", command]).output
      let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(words.contains("csv"), "\(command)")
    }
    let graft = try ledger.run(
      "grant", "ada", "--entitlement", "pro", "--operator", "kim", "--reason", "x", "--format",
      "csv")
    #expect(rows(graft.output).count == 2, "\(graft.errors)")
    let lines = try ledger.run(
      ["append", "--format", "csv"], input: Sample.event("m", at: 9) + "\n" + Sample.event("k"))
    #expect(
      lines.output
        == "line,id,position,status,reason\r\n1,m,6,appended,\r\n2,k,7,appended,\r\n")
  }
}
