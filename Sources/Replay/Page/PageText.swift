/// Text as HTML.
package enum PageText {
  /// Returns a text as the content of an element or the value of a quoted attribute.
  ///
  /// Characters that would change how their neighbours are read, such as those that change the
  /// direction of writing, are shown as their numbers.
  ///
  /// - Complexity: O(*n*) in the length of the text.
  package static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case _ where isHidden(scalar): escaped += "\\u{\(String(scalar.value, radix: 16))}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// The same characters as in the page's script (`hidden` in `data.js`).
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F, 0xAD, 0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2069,
      0xFEFF:
      true
    default: false
    }
  }
}
