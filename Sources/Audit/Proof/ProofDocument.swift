/// A file that can be checked. The first line determines its kind.
public enum ProofDocument: Sendable {
  case event(EventProofFile)
  case consistency(ConsistencyProofFile)
  case checkpoint(SignedCheckpoint)
  case bundle(IncidentBundle)

  /// Parses a proof, a checkpoint or a bundle, without checking signatures.
  ///
  /// - Throws: ``ProofError``: `malformed`, or `notProven` for an inconsistent bundle.
  public init(_ bytes: [UInt8]) throws(ProofError) {
    let first = bytes.prefix { $0 != UInt8(ascii: "\n") }
    if first.elementsEqual(EventProofFile.header.utf8) {
      self = .event(try EventProofFile(bytes))
    } else if first.elementsEqual(ConsistencyProofFile.header.utf8) {
      self = .consistency(try ConsistencyProofFile(bytes))
    } else if IncidentBundle.isBundle(first) {
      self = .bundle(try IncidentBundle(bytes))
    } else {
      self = .checkpoint(try SignedCheckpoint(bytes))
    }
  }
}
