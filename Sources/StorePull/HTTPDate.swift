package import LedgerEvents

extension Instant {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// A date as servers write it today, such as `Sun, 06 Nov 1994 08:49:37 GMT`; nil for another
  /// text, such as the two older forms.
  ///
  /// Source: RFC 9110, 5.6.7 (IMF-fixdate).
  package init?(httpDate text: String) {
    let words = text.split(separator: " ").map(String.init)
    guard words.count == 6, words[0].hasSuffix(","), words[5] == "GMT",
      let month = Self.months.firstIndex(of: words[2])
    else { return nil }
    let digits = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    self.init(rfc3339: "\(words[3])-\(digits)-\(words[1])T\(words[4])Z")
  }
}
