/// A JWS in compact form, taken apart and not verified (RFC 7515, 7.1): header, payload and
/// signature in base64url, with full stops between them.
struct CompactJWS {
  /// The header in base64url. It names the certificates, so that equal headers have equal chains.
  let header: [UInt8]
  let payload: [UInt8]
  /// *r* and *s* of 32 bytes each (RFC 7518, 3.4).
  let signature: [UInt8]
  /// What is signed: the header and the payload as they were sent.
  let signed: ArraySlice<UInt8>

  private static let signatureBytes = 64
  private static let separator = UInt8(ascii: ".")

  /// - Complexity: O(*n*) in the number of bytes.
  init(_ text: [UInt8]) throws(SignedDataError) {
    guard text.count <= signedDataBytesMax else {
      throw SignedDataError(
        .tooLarge, "the signed text has \(text.count) bytes, more than \(signedDataBytesMax)",
        remedy: "Pass one signed text at a time")
    }
    guard let first = text.firstIndex(of: Self.separator),
      let second = text[(first + 1)...].firstIndex(of: Self.separator),
      !text[(second + 1)...].contains(Self.separator)
    else {
      throw SignedDataError(
        .malformed,
        "expected a JWS of three parts with full stops between them, found \(Self.counted(text))",
        remedy: SignedDataError.takeUnchanged)
    }
    header = Array(text[..<first])
    guard header.count <= signedHeaderBytesMax else {
      throw SignedDataError(
        .tooLarge, "the header has \(header.count) bytes, more than \(signedHeaderBytesMax)",
        remedy: SignedDataError.takeUnchanged)
    }
    payload = try Self.decoded(text[(first + 1)..<second], "payload")
    signature = try Self.decoded(text[(second + 1)...], "signature")
    guard signature.count == Self.signatureBytes else {
      throw SignedDataError(
        .malformed,
        "expected a signature of \(Self.signatureBytes) bytes, found \(signature.count)",
        remedy: SignedDataError.takeUnchanged)
    }
    signed = text[..<second]
  }

  /// Returns the bytes of a part.
  static func decoded(
    _ part: ArraySlice<UInt8>, _ name: String
  ) throws(SignedDataError) -> [UInt8] {
    guard let bytes = StrictBase64.decode(part.span, .url) else {
      throw SignedDataError(
        .malformed, "the \(name) is not base64url without padding",
        remedy: SignedDataError.takeUnchanged)
    }
    return bytes
  }

  private static func counted(_ text: [UInt8]) -> String {
    if text.isEmpty { return "nothing" }
    if text.first == UInt8(ascii: "{") { return "JSON" }
    let parts = text.count { $0 == separator } + 1
    return parts == 1 ? "one part" : "\(parts) parts"
  }
}
