import LedgerEvents
import Replay

/// A piece of HTML. What is written in the source of the program is markup; what is put into it is
/// text, and is escaped, unless it is HTML itself. So no text of an event can become markup.
///
/// A value in a tag must stand between double quotes.
struct HTML: Sendable {
  private(set) var markup = ""

  static func += (left: inout HTML, right: HTML) { left.markup += right.markup }

  static func + (left: HTML, right: HTML) -> HTML {
    var both = left
    both += right
    return both
  }

  var isEmpty: Bool { markup.isEmpty }
}

extension HTML: ExpressibleByStringInterpolation {
  init(stringLiteral markup: String) { self.markup = markup }

  init(stringInterpolation: Pieces) { markup = stringInterpolation.markup }

  /// What stands between the literals.
  struct Pieces: StringInterpolationProtocol {
    fileprivate var markup = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      markup.reserveCapacity(2 * literalCapacity)
    }

    mutating func appendLiteral(_ literal: String) { markup += literal }

    mutating func appendInterpolation(_ html: HTML) { markup += html.markup }

    /// A text as somebody reads it: characters that change how others are read are shown as their
    /// numbers.
    mutating func appendInterpolation(_ text: String) { markup += PageText.escaped(text) }

    mutating func appendInterpolation(_ name: Name) { appendInterpolation(name.text) }

    mutating func appendInterpolation(_ number: some BinaryInteger) { markup += "\(number)" }

    /// The value of an attribute exactly as it is, for what a form sends back.
    mutating func appendInterpolation(exact text: String) {
      for scalar in text.unicodeScalars {
        switch scalar {
        case "&": markup += "&amp;"
        case "<": markup += "&lt;"
        case ">": markup += "&gt;"
        case "\"": markup += "&quot;"
        case "\u{0}"..<" ": markup += "&#\(scalar.value);"
        default: markup.unicodeScalars.append(scalar)
        }
      }
    }
  }
}

extension Sequence<HTML> {
  func joined(_ separator: HTML = "") -> HTML {
    var all = HTML()
    for (index, piece) in enumerated() {
      if index > 0 { all += separator }
      all += piece
    }
    return all
  }
}
