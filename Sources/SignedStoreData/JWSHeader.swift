internal import LedgerEvents

/// The header of a JWS, which names the algorithm and carries the certificates.
///
/// Source: RFC 7515, 4; Apple's documentation of `JWSDecodedHeader`. Members that are not in here
/// (`kid`, `typ`) are left alone, as RFC 7515 demands.
struct JWSHeader {
  /// The certificates in DER, the leaf first.
  let certificates: [[UInt8]]

  static let algorithm = "ES256"

  /// - Parameter text: The header in base64url.
  /// - Complexity: O(*n*) in the number of bytes.
  init(_ text: [UInt8]) throws(SignedDataError) {
    let bytes = try CompactJWS.decoded(text[...], "header")
    let header: JSONValue
    do throws(EventError) { header = try JSONValue(document: bytes) } catch {
      throw SignedDataError(
        .malformed, "the header is not JSON: \(error)", remedy: SignedDataError.takeUnchanged)
    }
    guard header.object != nil else { throw Self.malformed("the header is not an object") }
    guard let algorithm = header["alg"]?.string else {
      throw Self.malformed("the header does not name an algorithm (alg)")
    }
    guard algorithm == Self.algorithm else {
      throw SignedDataError(
        .unsupportedAlgorithm,
        "expected the algorithm \(Self.algorithm), found \"\(algorithm.prefix(40))\"",
        remedy: "The store signs with \(Self.algorithm) alone: do not believe this")
    }
    // RFC 7515, 4.1.11: who does not understand what this names must refuse the JWS.
    guard header["crit"] == nil else {
      throw Self.malformed("the header demands extensions (crit), which the store does not use")
    }
    guard let texts = header["x5c"] else {
      throw Self.malformed("the header has no certificates (x5c)")
    }
    guard let texts = texts.array, texts.allSatisfy({ $0.string != nil }) else {
      throw Self.malformed("the certificates (x5c) are not an array of strings")
    }
    var certificates: [[UInt8]] = []
    for text in texts.compactMap(\.string) {
      guard let certificate = StrictBase64.decode(text.utf8Span.span, .padded) else {
        throw Self.malformed("a certificate (x5c) is not base64")
      }
      certificates.append(certificate)
    }
    self.certificates = certificates
  }

  private static func malformed(_ reason: String) -> SignedDataError {
    SignedDataError(.malformed, reason, remedy: SignedDataError.takeUnchanged)
  }
}
