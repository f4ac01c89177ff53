/// A file that can be checked: which of the kinds it is, its first line tells.
public enum ProofDocument: Sendable {
  case event(EventProofFile)
  case consistency(ConsistencyProofFile)
  case checkpoint(SignedCheckpoint)
  case bundle(IncidentBundle)

  /// Reads a proof, a checkpoint or a bundle; who has signed it is not looked at by that.
  ///
  /// - Throws: ``ProofError``: `malformed`, `notProven` of a bundle that does not hold.
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
