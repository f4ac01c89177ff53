import Crypto
import Foundation
import Testing

@testable import Replay

@Suite("The source of a page") struct PageSourceTests {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  private func source(_ markup: String) -> PageSource {
    PageSource(
      markup: bytes(markup), styles: [bytes("a {}\n"), bytes("b {}\n")],
      scripts: [bytes("const a = 1;\n"), bytes("f(a);\n")])
  }

  @Test("fills each gap once, and reads no gap in what fills it") func gaps() {
    let page = source("<p>{{one}}</p>{{two}}{{one}}!").html(["one": "{{two}}", "two": "}}"])
    #expect(page == "<p>{{two}}</p>}}{{two}}!")
  }

  @Test("keeps styles and scripts in their order, in one strict scope") func order() {
    #expect(source("{{style}}").html([:]) == "\na {}\n\nb {}\n")
    #expect(
      source("{{script}}").html([:])
        == "\n\"use strict\";\n(() => {\nconst a = 1;\n\nf(a);\n})();\n")
  }

  @Test("allows its own style and script by their hashes, and nothing else") func policy() {
    func hash(_ text: String) -> String {
      "'sha256-" + Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString() + "'"
    }
    let policy = source("{{policy}}").html([:])
    #expect(policy.hasPrefix("default-src 'none'; "))
    #expect(policy.contains("; style-src \(hash(source("{{style}}").html([:])));"))
    #expect(policy.contains("; script-src \(hash(source("{{script}}").html([:])));"))
    #expect(policy.hasSuffix("require-trusted-types-for 'script'; trusted-types 'none'"))
  }

  @Test(
    "text from outside stays text",
    arguments: [
      ("a & b", "a &amp; b"), ("</p>", "&lt;/p&gt;"), ("\"'", "&quot;'"),
      ("\u{202E}x\n", "\\u{202e}x\\u{a}"), ("ä 日本", "ä 日本"),
    ])
  func escaping(text: String, expected: String) {
    #expect(PageText.escaped(text) == expected)
  }
}
