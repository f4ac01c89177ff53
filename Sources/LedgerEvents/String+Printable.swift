extension String {
  /// The text as a terminal may show it: U+FFFD stands for each control or format character, and
  /// for each separator of lines or paragraphs.
  ///
  /// - Complexity: O(*n*). A text of printable ASCII characters is returned as it is.
  package var printable: String {
    if utf8.allSatisfy(Self.isPrintableASCII) { return self }
    return String(
      UnicodeScalarView(
        unicodeScalars.map { scalar in
          if scalar.isASCII { return Self.isPrintableASCII(UInt8(scalar.value)) ? scalar : hidden }
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator: return hidden
          default: return scalar
          }
        }))
  }

  private static func isPrintableASCII(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F }
}

/// Stands for a character that must not reach a terminal.
private let hidden: Unicode.Scalar = "\u{FFFD}"
