internal import Crypto
internal import Foundation

/// The source of an HTML page that needs no other file: its markup, its style and its script.
///
/// The three are real files beside the code. SwiftPM compiles their bytes into the module
/// (`.embedInCode` in the manifest), so the program finds them wherever its binary is copied.
///
/// The page may load nothing: its Content Security Policy allows only its own style and script, by
/// their hashes, and trusted types keep a script from reading text as HTML.
package struct PageSource: Sendable {
  /// The texts between the gaps, each with the name of the gap before it; the first one has none.
  private let pieces: [(gap: String?, text: Substring)]
  private let ownTexts: [String: String]

  /// - Parameters:
  ///   - markup: A whole document with gaps, such as `{{title}}`. The source fills `{{policy}}`,
  ///     `{{style}}` and `{{script}}` itself.
  ///   - styles: Style sheets, in this order.
  ///   - scripts: Scripts, which run in this order, in strict mode and in one scope that is not the
  ///     global one.
  /// - Precondition: every `{{` in the markup begins a gap that `}}` ends.
  package init(markup: [UInt8], styles: [[UInt8]], scripts: [[UInt8]]) {
    let sheets = styles.map { String(decoding: $0, as: UTF8.self) }
    let style = "\n" + sheets.joined(separator: "\n")
    let parts = scripts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
    let script = "\n\"use strict\";\n(() => {\n" + parts + "})();\n"
    let markup = String(decoding: markup, as: UTF8.self)
    pieces = markup.split(separator: "{{", omittingEmptySubsequences: false).enumerated().map {
      index, piece in
      guard index > 0 else { return (nil, piece) }
      guard let end = piece.firstRange(of: "}}") else {
        preconditionFailure("a gap in the markup of a page has no end: {{\(piece)")
      }
      return (String(piece[..<end.lowerBound]), piece[end.upperBound...])
    }
    ownTexts = [
      "policy": Self.policy(style: style, script: script), "style": style, "script": script,
    ]
  }

  /// What the page may do, for a header that says the same as the page itself.
  package var policy: String {
    guard let policy = ownTexts["policy"] else { preconditionFailure("a page has a policy") }
    return policy
  }

  /// The page.
  ///
  /// - Parameter texts: The HTML for each gap, by the gap's name. Texts that come from outside must
  ///   be escaped: see ``PageText``. What looks like a gap in them is not filled.
  /// - Precondition: there is a text for each gap of the markup.
  /// - Complexity: O(*n*) in the length of the page.
  package func html(_ texts: [String: String]) -> String {
    var html = ""
    for (gap, text) in pieces {
      if let gap {
        guard let filling = ownTexts[gap] ?? texts[gap] else {
          preconditionFailure("nothing fills the gap {{\(gap)}} of a page")
        }
        html += filling
      }
      html += text
    }
    return html
  }

  private static func policy(style: String, script: String) -> String {
    [
      "default-src 'none'", "script-src '\(hash(script))'", "style-src '\(hash(style))'",
      "img-src data:", "base-uri 'none'", "form-action 'none'",
      "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")
  }

  /// A hash source (Content Security Policy, W3C, level 3, section 2.3.1).
  private static func hash(_ text: String) -> String {
    "sha256-" + Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString()
  }
}
