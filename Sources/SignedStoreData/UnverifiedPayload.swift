/// The payload of a JWS that nobody has verified.
public enum UnverifiedPayload {
  /// Decodes a payload without looking at the signature or the certificates.
  ///
  /// Anybody can write such a text. Use it only for what comes from a source that you trust, and
  /// say that it was not verified.
  ///
  /// - Parameter text: The JWS in compact form, without spaces or line feeds.
  /// - Throws: ``SignedDataError`` if the text is no JWS.
  /// - Complexity: O(*n*) in the number of bytes.
  public static func decode(_ text: [UInt8]) throws(SignedDataError) -> [UInt8] {
    try CompactJWS(text).payload
  }
}
