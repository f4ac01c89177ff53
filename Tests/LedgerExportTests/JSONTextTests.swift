import Foundation
import LedgerAnswers
import Testing

/// A list of one string as JSON, and what is read back from it.
private struct Quoted {
  let json: String
  let readBack: String?

  init(_ string: String) throws {
    var text = JSONText()
    text.array { $0.value(string) }
    json = text.text
    readBack = (try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String])?.first
  }
}

@Suite("Strings in JSON") struct JSONTextTests {
  /// Eight bytes are looked at at a time, so each place among them is tried, and each count after
  /// the last eight.
  @Test("read back as they were, whatever they have where") func places() throws {
    let ascii = (UInt8(0)...0x7F).map { String(Unicode.Scalar($0)) }
    var changed: [String] = []
    for letter in ascii + ["é", "€", "😀", "\u{2028}"] {
      for before in 0...9 {
        for after in 0...9 {
          let string =
            String(repeating: "x", count: before) + letter + String(repeating: "y", count: after)
          let quoted = try Quoted(string)
          if quoted.readBack.map({ Array($0.utf8) }) != Array(string.utf8) {
            changed.append(quoted.json)
          }
        }
      }
    }
    #expect(changed.isEmpty)
  }

  @Test("have no escape that they do not need") func plain() throws {
    for string in ["", "/", "\u{7F}", "naïve \u{2028} 😀 <&> 'quoted'"] {
      #expect(try Quoted(string).json == "[\"\(string)\"]")
    }
    #expect(try Quoted("\"\\\n\r\t\u{8}\u{C}").json == #"["\"\\\n\r\t\b\f"]"#)
    #expect(try Quoted("\u{0}\u{1F}").json == #"["\u0000\u001f"]"#)
  }
}
