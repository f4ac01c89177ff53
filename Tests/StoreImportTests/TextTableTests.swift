import Foundation
import Testing

@testable import StoreImport

private func table(_ text: String, _ separator: Character = ",") throws(ImportError) -> TextTable {
  try TextTable(Array(text.utf8), separator: separator.asciiValue ?? 0)
}

extension TextTable {
  /// All rows.
  fileprivate var rows: [Row] {
    get throws(ImportError) {
      var table = self
      var rows: [Row] = []
      while let row = try table.next() { rows.append(row) }
      return rows
    }
  }
}

private func refusal(_ bytes: [UInt8]) -> ImportError? {
  do throws(ImportError) {
    _ = try TextTable(bytes, separator: UInt8(ascii: ",")).rows
    return nil
  } catch { return error }
}

@Suite("A table in a file") struct TextTableTests {
  @Test(
    "follows RFC 4180",
    arguments: [
      ("a,b\n1,2\n", [["1", "2"]]), ("a,b\r\n1,2", [["1", "2"]]),
      ("\u{FEFF}a,b\n1,2", [["1", "2"]]), ("a,b\n\"1,\"\"x\"\"\",2", [["1,\"x\"", "2"]]),
      ("a,b\n\"1\r\n2\",\"\"\n3,\n", [["1\r\n2", ""], ["3", ""]]),
      ("a,b\n\u{301}1,\u{200D}2\n\"x\",\u{301}", [["\u{301}1", "\u{200D}2"], ["x", "\u{301}"]]),
      ("a,b\n1,2\n\n", [["1", "2"]]), ("a,b\r\n1,2\r\n\r\n", [["1", "2"]]), ("a,b\n", []),
      ("a,b", []), ("a,b\n,\n", [["", ""]]),
      ("\"a\",\"b\"\n 1 , 2 ", [[" 1 ", " 2 "]]),
    ] as [(String, [[String]])])
  func followsRfc(text: String, rows: [[String]]) throws {
    let table = try table(text)
    #expect(table.header == ["a", "b"])
    #expect(try table.rows.map(\.fields) == rows)
  }

  @Test(
    "refuses what RFC 4180 does not have, with the line",
    arguments: [
      ("", "", "empty file"), ("a,b\n1", "line 2", "expected 2 fields"),
      ("a,b\n1,2,3", "line 2", "found 3"), ("a,b\n1,2\n\n3,4", "line 3", "found an empty line"),
      ("a,b\n1,2\n\n\n", "line 3", "an empty line"), ("a,b\n\"\"\n", "line 2", "found 1"),
      ("a,b\n\"1,2\n3,4\n", "line 2", "does not end"),
      ("a,b\n\"1\"x,2", "line 2", "something else"),
      ("a,b\n1\"x,2", "line 2", "does not begin with one"),
      ("a,b\r1,2", "line 1", "carriage return"),
      ("a,a\n1,2", "line 1", "two columns"), ("a,b\n\"1\n2\",3\n4", "line 4", "expected 2 fields"),
      ("a,b\n\"1\n\",\"", "line 3", "does not end"),
    ])
  func refusesRfc(
    text: String, path: String, said: String
  ) throws {
    let error = try #require(refusal(Array(text.utf8)))
    #expect(error.code == .malformed && error.path == path, "\(error)")
    #expect(error.reason.contains(said), "\(error)")
  }

  @Test("refuses other encodings and too many fields") func refusesOther() throws {
    #expect(try #require(refusal(Array("a,b\n".utf8) + [0xFF, 0x2C, 0x31])).path == "line 2")
    let wide = String(repeating: ",", count: TextTable.fieldsMax)
    #expect(try #require(refusal(Array(wide.utf8))).reason.contains("more than 1024 fields"))
  }

  @Test("reads other separators") func readsOther() throws {
    #expect(try table("a;b\n1,5;2", ";").rows.map(\.fields) == [["1,5", "2"]])
    #expect(try table("a\n1\n\n").rows.map(\.fields) == [["1"], [""]])
    #expect(try table("a\tb\n1\t2", "\t").rows.map(\.fields) == [["1", "2"]])
  }
}
