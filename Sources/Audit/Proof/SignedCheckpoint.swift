public import LedgerEvents
public import LedgerStore

/// The signed state of a ledger at one position. Whoever keeps it can check later whether the
/// ledger still begins with the same events.
///
/// Source: c2sp.org/tlog-checkpoint.
public struct SignedCheckpoint: Sendable {
  /// The name of the log, which is also the name of the key that signs for it.
  public let origin: Name
  /// The number of events in the ledger, which is the position of the last one.
  public let size: UInt64
  /// The root of the tree over these events.
  public let root: TreeHash
  public let note: SignedNote

  private init(origin: Name, size: UInt64, root: TreeHash, note: SignedNote) {
    self.origin = origin
    self.size = size
    self.root = root
    self.note = note
  }

  /// Signs the state of a ledger at a position.
  ///
  /// - Parameters:
  ///   - size: The position, which is the number of events.
  ///   - root: The root of the tree over these events.
  ///   - key: The key of the ledger.
  /// - Throws: ``ProofError``: `badKey`, and `signing` if the key is elsewhere and does not sign.
  public static func sign(
    size: UInt64, root: TreeHash, with key: any NoteSigning
  ) throws(ProofError) -> SignedCheckpoint {
    try sign(size: size, root: root, extensions: [], with: key)
  }

  /// Signs further lines after the root, which the format calls extensions.
  static func sign(
    size: UInt64, root: TreeHash, extensions: [String], with key: any NoteSigning
  ) throws(ProofError) -> SignedCheckpoint {
    let origin = key.verifier.name
    let lines = [origin.text, "\(size)", StandardBase64.encode(root.bytes)] + extensions
    let text = lines.map { $0 + "\n" }.joined()
    return SignedCheckpoint(origin: origin, size: size, root: root, note: try key.sign(text))
  }

  /// Parses a signed checkpoint. Do not trust it before ``signers(of:)`` has returned a key.
  ///
  /// - Throws: ``ProofError``: `malformed`.
  public init(_ bytes: some Sequence<UInt8>) throws(ProofError) {
    note = try SignedNote(bytes)
    let lines = note.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    guard lines.count >= 3, !lines.contains("") else {
      throw .malformed(
        "the checkpoint has \(lines.count.counted("line")): expected an origin, a size and a root, "
          + "none empty")
    }
    guard let size = ProofLines.number(lines[1]) else {
      throw .malformed("the checkpoint's second line is \(lines[1]): expected the number of events")
    }
    guard let root = ProofLines.hash(lines[2]) else {
      throw .malformed("the checkpoint's third line is not a root: expected base64 of 32 bytes")
    }
    origin = Name(String(lines[0]))
    self.size = size
    self.root = root
  }

  /// Returns the same checkpoint with other signatures.
  func with(_ signatures: [SignedNote.Signature]) -> SignedCheckpoint {
    SignedCheckpoint(
      origin: origin, size: size, root: root,
      note: SignedNote(text: note.text, signatures: signatures))
  }

  /// The lines after the root.
  var extensions: [String] {
    note.text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(3).dropLast()
      .map { String($0) }
  }

  /// The root in base64, as in the checkpoint.
  public var rootText: String { StandardBase64.encode(root.bytes) }

  /// The checkpoint as a file's contents.
  public var document: String { note.document }

  /// Returns those of `keys` that signed. One of them must be the key of the checkpoint's origin.
  ///
  /// - Throws: ``ProofError``: `notProven`.
  public func signers(of keys: [NoteVerifier]) throws(ProofError) -> [NoteVerifier] {
    let signers = try note.signers(of: keys)
    guard signers.contains(where: { $0.name == origin && $0.kind == .log }) else {
      throw .notProven(
        "the checkpoint is of \(origin.text), and \(signers[0].name.text), who signed it, "
          + "does not sign for that")
    }
    return signers
  }
}

/// Parses the values in lines of checkpoints and proofs.
enum ProofLines {
  /// Parses a decimal number without leading zeros.
  static func number(_ text: Substring) -> UInt64? {
    guard text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = UInt64(text),
      String(number).utf8.count == text.utf8.count
    else { return nil }
    return number
  }

  /// Parses a SHA-256 hash in base64.
  static func hash(_ text: some StringProtocol) -> TreeHash? {
    guard let bytes = StandardBase64.decode(text) else { return nil }
    return TreeHash(bytes.span)
  }
}
