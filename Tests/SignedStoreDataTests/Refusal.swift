import Testing

@testable import SignedStoreData

/// Expects that something is refused with a code, for a certificate and at a place.
@discardableResult
func expectRefusal(
  _ code: SignedDataError.Code, _ certificate: CertificateRole? = nil, at path: String = "",
  comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> some Any
) -> String {
  let error = #expect(throws: SignedDataError.self, comment, sourceLocation: sourceLocation) {
    _ = try body()
  }
  guard let error else { return "" }
  #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
  #expect(error.certificate == certificate, "\(error)", sourceLocation: sourceLocation)
  #expect(error.path == path, "\(error)", sourceLocation: sourceLocation)
  #expect(!error.reason.isEmpty && !error.remedy.isEmpty, sourceLocation: sourceLocation)
  return "\(error)"
}
