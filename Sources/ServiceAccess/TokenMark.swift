/// What a session keeps of a token in place of its text: enough to see whether the token is still
/// valid, and not enough to present it.
package struct TokenMark: Sendable, Hashable {
  let id: String
  let hash: [UInt8]

  /// nil if the text has not the form of a token. Such a text is nobody's secret, and may be long.
  package init?(_ text: String) {
    guard let id = TokenText.id(in: text) else { return nil }
    self.id = id
    hash = TokenText.hash(text)
  }
}
