internal import Crypto
internal import Foundation
public import LedgerStore

/// A replay as one page of HTML that needs nothing else: lanes over time, findings, and the state
/// beside whichever event is selected.
///
/// The page asks for nothing over the network, and its policy forbids that it could. What events
/// say stands in it as JSON and is shown as text, never as HTML. The same replay gives the same
/// bytes.
public struct TimelinePage: Sendable {
  public let html: String

  /// - Parameters:
  ///   - title: What was replayed: the name of a file, or of a slice.
  ///   - history: The steps.
  ///   - events: What `history` was made from.
  /// - Complexity: O(*n* log *n*) in the steps, and a second replay where events did not come in
  ///   the order of time.
  public init(title: String, history: ReplayHistory, events: ReplayEvents) {
    let timeline = Timeline(history, events: events)
    var data = PageData(history, timeline)
    let json = data.json(title: title)
    html = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">
      <link rel="icon" href="data:,">
      <title>Daybook: \(Self.escaped(title))</title>
      <style>\(Self.style)</style>
      </head>
      <body>
      \(Self.body)
      <script type="application/json" id="data">\(json)</script>
      <script>\(Self.script)</script>
      </body>
      </html>

      """
  }

  /// Nothing is loaded from anywhere, and no script or style but the two of this page counts.
  /// Trusted types forbid what would read a text as HTML.
  static let policy = [
    "default-src 'none'", "script-src '\(hash(script))'", "style-src '\(hash(style))'",
    "img-src data:", "base-uri 'none'", "form-action 'none'",
    "require-trusted-types-for 'script'", "trusted-types 'none'",
  ].joined(separator: "; ")

  static let style = "\n" + styleOfThePage + styleOfTheParts

  static let script =
    "\n\"use strict\";\n(() => {\n"
    + [
      scriptOfTheData, scriptOfTheScale, scriptOfTheLanes, scriptOfTheTimeline, scriptOfTheHead,
      scriptOfTheMarks, scriptOfTheDetails, scriptOfTheFindings, scriptOfTheList, scriptOfTheKeys,
    ].joined() + "})();\n"

  /// A source of Content Security Policy (W3C, level 3, section 2.3.1).
  private static func hash(_ text: String) -> String {
    "sha256-" + Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString()
  }

  /// A text inside an element.
  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  }
}
