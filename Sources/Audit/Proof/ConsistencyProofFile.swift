internal import LedgerEvents
public import LedgerStore

/// A proof that a ledger only grew between two signed checkpoints, as a file.
///
/// The format follows `c2sp.org/tlog-proof`, which does not cover this kind of proof:
/// `daybook/consistency@v1`, `from` and `to` with the sizes, the hashes of RFC 6962, section 2.1.2,
/// one per line, an empty line, the older checkpoint, an empty line, and the newer checkpoint.
public struct ConsistencyProofFile: Sendable {
  public let consistency: ConsistencyProof
  public let old: SignedCheckpoint
  public let new: SignedCheckpoint

  /// The first line.
  static let header = "daybook/consistency@v1"
  /// The maximum size of a file in bytes: two checkpoints, and a hash for each level of a tree.
  public static let bytesMax = 1 << 22

  public init(consistency: ConsistencyProof, old: SignedCheckpoint, new: SignedCheckpoint) {
    precondition(
      consistency.oldSize == old.size && consistency.newSize == new.size,
      "the proof is between the signed roots")
    self.consistency = consistency
    self.old = old
    self.new = new
  }

  /// Parses a proof without checking it.
  ///
  /// - Throws: ``ProofError``: `malformed`, with the line of the error.
  public init(_ bytes: [UInt8]) throws(ProofError) {
    var reader = try ProofReader(bytes, maximum: Self.bytesMax)
    try reader.expect(Self.header)
    let oldSize = try reader.number(of: "from")
    let newSize = try reader.number(of: "to")
    let path = try reader.hashes()
    // The text of a checkpoint has no empty line, so its second paragraph ends it.
    let text = try reader.paragraph()
    old = try SignedCheckpoint(text + [UInt8(ascii: "\n")] + (try reader.paragraph()))
    new = try SignedCheckpoint(reader.rest)
    guard old.size == oldSize, new.size == newSize else {
      throw .malformed(
        "the proof is from \(oldSize) to \(newSize), and its checkpoints are of \(old.size) and "
          + "\(new.size)")
    }
    consistency = ConsistencyProof(oldSize: oldSize, newSize: newSize, path: path)
  }

  /// The proof as a file's contents.
  public var document: String {
    var text = Self.header + "\nfrom \(consistency.oldSize)\nto \(consistency.newSize)\n"
    for hash in consistency.path { text += StandardBase64.encode(hash.bytes) + "\n" }
    return text + "\n" + old.document + "\n" + new.document
  }

  /// Checks that nothing was changed or removed between the two checkpoints.
  ///
  /// - Returns: The keys that signed the newer checkpoint.
  /// - Throws: ``ProofError``: `notProven`, with the failed check.
  public func check(_ keys: [NoteVerifier]) throws(ProofError) -> [NoteVerifier] {
    _ = try old.signers(of: keys)
    let signers = try new.signers(of: keys)
    guard old.origin == new.origin else {
      throw .notProven(
        "the checkpoints are of two ledgers, \(old.origin.text) and \(new.origin.text)")
    }
    guard consistency.holds(old: old.root, new: new.root) else {
      throw .notProven(
        "the hashes do not lead from the root at \(old.size) to the root at \(new.size): either "
          + "this file was changed, or the ledger was rewritten between them and the events up to "
          + "\(old.size) are not those that were signed")
    }
    return signers
  }
}
