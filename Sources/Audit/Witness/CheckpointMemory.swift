internal import Crypto
public import LedgerEvents
public import LedgerStore

/// The newest checkpoint that somebody has seen of each log.
///
/// Whoever remembers it notices a log that shows others a different history, or that goes back. A
/// client asks ``verdict(on:signedBy:consistency:)`` about each checkpoint that it is shown. A
/// ``Witness`` keeps the checkpoints that it has cosigned in the same way.
///
/// ```swift
/// let file = CheckpointMemoryFile("seen.checkpoints")
/// let verdict = try file.remember(checkpoint, signedBy: [key], consistency: proof)
/// guard verdict.isAccepted else { … }
/// ```
public struct CheckpointMemory: Sendable {
  /// What the memory says about a checkpoint.
  public enum Verdict: Sendable {
    /// No checkpoint of this log was seen before.
    case first
    /// It is the newest that was seen.
    case same
    /// It is newer, and a proof shows that the log was only appended to.
    case extends(SignedCheckpoint)
    /// It is older, and a proof shows that the newest that was seen extends it.
    case precedes(SignedCheckpoint)
    /// It is newer, and there is no proof from the newest that was seen to this one.
    case unproven(SignedCheckpoint)
    /// It is older, and there is no proof from this one to the newest that was seen: it is an old
    /// file, or the log has gone back.
    case wentBack(SignedCheckpoint)
    /// It is of another history than the newest that was seen: another root at the same position,
    /// or a proof between the two does not hold. Both checkpoints together prove it if their
    /// position is the same.
    case forks(SignedCheckpoint)

    /// Whether the checkpoint agrees with what was seen.
    public var isAccepted: Bool {
      switch self {
      case .first, .same, .extends, .precedes: true
      case .unproven, .wentBack, .forks: false
      }
    }
  }

  /// The checkpoints, in the order of their origins. Each has only the signatures that were
  /// verified.
  public private(set) var checkpoints: [SignedCheckpoint]

  /// The first line of a file.
  static let header = "daybook/checkpoints@v1"
  /// The maximum size of a file in bytes.
  public static let bytesMax = 1 << 26
  /// The maximum number of logs: a file is written as a whole each time.
  static let originsMax = 10_000

  /// Makes a memory that has seen nothing.
  public init() { checkpoints = [] }

  /// Parses a file. A file that was cut short or changed is refused.
  ///
  /// - Parameter bytes: The whole file.
  /// - Throws: ``ProofError``: `malformed`.
  public init(_ bytes: [UInt8]) throws(ProofError) {
    var reader = try ProofReader(
      bytes, maximum: Self.bytesMax, subject: "the file of remembered checkpoints")
    try reader.expect(Self.header)
    guard let sum = reader.value(of: "sha256"), let sum = ProofLines.hash(sum) else {
      throw reader.failure("sha256 and a hash in base64")
    }
    try reader.expect("")
    guard Self.sum(of: reader.rest) == sum else {
      throw .malformed(
        "the file of remembered checkpoints is damaged: its contents do not have the SHA-256 that "
          + "its second line says")
    }
    checkpoints = []
    while !reader.isAtEnd {
      let text = try reader.paragraph()
      let checkpoint = try SignedCheckpoint(
        text + [UInt8(ascii: "\n")] + (try reader.paragraph()))
      guard checkpoints.count < Self.originsMax,
        checkpoints.last.map({ $0.origin < checkpoint.origin }) ?? true
      else {
        throw .malformed(
          "the file of remembered checkpoints does not have its logs in order, each once")
      }
      checkpoints.append(checkpoint)
    }
  }

  /// The memory as a file's contents.
  public var document: String {
    let contents = checkpoints.map { $0.document + "\n" }.joined()
    let sum = StandardBase64.encode(Self.sum(of: contents.utf8)?.bytes ?? [])
    return "\(Self.header)\nsha256 \(sum)\n\n\(contents)"
  }

  private static func sum(of bytes: some Sequence<UInt8>) -> TreeHash? {
    TreeHash(Array(SHA256.hash(data: Array(bytes))).span)
  }

  /// Returns the newest checkpoint that was seen of a log; nil if none was.
  ///
  /// - Parameter origin: The name of the log.
  public func newest(of origin: Name) -> SignedCheckpoint? {
    checkpoints.first { $0.origin == origin }
  }

  /// Judges a checkpoint by what was seen before.
  ///
  /// - Parameters:
  ///   - checkpoint: The checkpoint.
  ///   - keys: The keys of its log that are trusted.
  ///   - consistency: A proof between the newest checkpoint that was seen and this one, in the
  ///     direction in which the log grew; nil if there is none.
  /// - Complexity: O(log *n*) hashes.
  /// - Throws: ``ProofError``: `notProven` if none of the keys signed the checkpoint.
  public func verdict(
    on checkpoint: SignedCheckpoint, signedBy keys: [NoteVerifier],
    consistency: ConsistencyProof? = nil
  ) throws(ProofError) -> Verdict {
    _ = try checkpoint.signers(of: keys)
    guard let newest = newest(of: checkpoint.origin) else { return .first }
    if checkpoint.size == newest.size {
      return checkpoint.root == newest.root ? .same : .forks(newest)
    }
    let isNewer = checkpoint.size > newest.size
    let (old, new) = isNewer ? (newest, checkpoint) : (checkpoint, newest)
    // Every log begins with the empty one: that needs no proof.
    let trivial = ConsistencyProof(oldSize: old.size, newSize: new.size, path: [])
    let proof = old.size == 0 ? trivial : consistency
    guard let proof, proof.oldSize == old.size, proof.newSize == new.size else {
      return isNewer ? .unproven(newest) : .wentBack(newest)
    }
    guard proof.holds(old: old.root, new: new.root) else { return .forks(newest) }
    return isNewer ? .extends(newest) : .precedes(newest)
  }

  /// Judges a checkpoint, and remembers it if it is the first or a proven extension.
  ///
  /// - Parameters:
  ///   - checkpoint: The checkpoint.
  ///   - keys: The keys of its log that are trusted.
  ///   - consistency: A proof between the newest checkpoint that was seen and this one.
  /// - Complexity: O(log *n*) hashes.
  /// - Throws: ``ProofError``: `notProven` if none of the keys signed the checkpoint; `malformed`
  ///   if there are too many logs.
  public mutating func remember(
    _ checkpoint: SignedCheckpoint, signedBy keys: [NoteVerifier],
    consistency: ConsistencyProof? = nil
  ) throws(ProofError) -> Verdict {
    let verdict = try verdict(on: checkpoint, signedBy: keys, consistency: consistency)
    switch verdict {
    case .first, .extends: try replace(by: checkpoint.keeping(keys))
    case .same, .precedes, .unproven, .wentBack, .forks: break
    }
    return verdict
  }

  /// Puts a checkpoint in the place of the one of the same log.
  ///
  /// - Throws: ``ProofError``: `malformed` if there are too many logs.
  mutating func replace(by checkpoint: SignedCheckpoint) throws(ProofError) {
    let index = checkpoints.firstIndex { $0.origin >= checkpoint.origin } ?? checkpoints.endIndex
    if index < checkpoints.endIndex, checkpoints[index].origin == checkpoint.origin {
      checkpoints[index] = checkpoint
      return
    }
    guard checkpoints.count < Self.originsMax else {
      throw .malformed("there are \(Self.originsMax) logs already, and no more can be remembered")
    }
    checkpoints.insert(checkpoint, at: index)
  }
}
