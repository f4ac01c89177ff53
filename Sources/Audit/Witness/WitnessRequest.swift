internal import LedgerEvents
public import LedgerStore

/// What a log asks a witness: to cosign a checkpoint, given a proof that it extends the checkpoint
/// that the witness cosigned last.
///
/// Source: c2sp.org/tlog-witness, "add-checkpoint".
public struct WitnessRequest: Sendable {
  /// The proof from the size that the witness is said to know to that of the checkpoint. Not
  /// checked.
  public let consistency: ConsistencyProof
  public let checkpoint: SignedCheckpoint

  /// The maximum number of lines of the proof that the protocol allows.
  static let hashesMax = 63
  /// The maximum size in bytes: a checkpoint, and 63 hashes of 45 bytes.
  public static let bytesMax = SignedNote.bytesMax + 1 << 12

  /// Asks for a cosignature.
  ///
  /// - Parameters:
  ///   - checkpoint: The checkpoint.
  ///   - path: The hashes of RFC 6962, section 2.1.2; none from size 0, or from the same size.
  ///   - oldSize: The size of the checkpoint that the witness cosigned last; 0 if there is none.
  public init(_ checkpoint: SignedCheckpoint, path: [TreeHash], from oldSize: UInt64) {
    self.checkpoint = checkpoint
    consistency = ConsistencyProof(oldSize: oldSize, newSize: checkpoint.size, path: path)
  }

  /// Parses a request without checking anything.
  ///
  /// - Parameter bytes: The body of the request.
  /// - Throws: ``ProofError``: `malformed`, with the line of the error.
  public init(_ bytes: [UInt8]) throws(ProofError) {
    var reader = try ProofReader(bytes, maximum: Self.bytesMax, subject: "the request")
    let oldSize = try reader.number(of: "old")
    let path = try reader.hashes(maximum: Self.hashesMax)
    self.init(try SignedCheckpoint(reader.rest), path: path, from: oldSize)
  }

  /// The request as the body of an HTTP request.
  public var document: String {
    var text = "old \(consistency.oldSize)\n"
    for hash in consistency.path { text += StandardBase64.encode(hash.bytes) + "\n" }
    return text + "\n" + checkpoint.document
  }
}
