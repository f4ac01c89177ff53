public import LedgerEvents
internal import LedgerStore

/// A witness: it cosigns checkpoints of logs that it knows, as long as each extends the last.
///
/// Whoever trusts the witness can then be sure that everybody is shown the same history. The
/// witness reads neither the log nor its events. A server calls ``answer(_:at:)`` with the body of
/// each request, and sends what it returns.
///
/// Source: c2sp.org/tlog-witness, "add-checkpoint".
public struct Witness: Sendable {
  private let key: any NoteSigning
  private let logs: [NoteVerifier]
  private let state: CheckpointMemoryFile

  /// The largest checkpoint that is cosigned, in bytes. All of them are read with each request, so
  /// one log must not take the room of the others.
  static let checkpointBytesMax = 1 << 16

  /// Makes a witness.
  ///
  /// - Parameters:
  ///   - key: The key of the witness.
  ///   - logs: The keys of the logs that it knows. A log can have several; their name is its
  ///     origin.
  ///   - state: The checkpoints that the witness cosigned last. The file must exist
  ///     (``CheckpointMemoryFile/create()``): a witness that has lost it must not begin anew by
  ///     itself. Never use a backup of it: with an old state, a witness cosigns a second history.
  /// - Throws: ``ProofError``: `badKey` for a key of the wrong kind, and for a log with the
  ///   witness's own key.
  public init(
    key: any NoteSigning, logs: [NoteVerifier], state: CheckpointMemoryFile
  ) throws(ProofError) {
    try key.refuse(other: .witness)
    for log in logs {
      guard log.kind == .log else {
        throw ProofError(
          .badKey, "\(log.nameAndIdentifier) is the key of a witness: name the keys of logs")
      }
      guard log.publicKey != key.verifier.publicKey else {
        throw ProofError(
          .badKey, "\(log.nameAndIdentifier) is the witness's own key: a log cannot witness itself")
      }
    }
    (self.key, self.logs, self.state) = (key, logs, state)
  }

  /// Answers a request to cosign a checkpoint.
  ///
  /// The new state is durable before the cosignature is returned. Requests to the same state file
  /// wait for each other, in other processes, too.
  ///
  /// A cosignature states that its checkpoint was the largest that the witness had seen at its
  /// time. So a witness whose clock has gone back signs nothing for a log that it cosigned at a
  /// later time: the two statements would contradict each other.
  ///
  /// - Parameters:
  ///   - request: The body of the request.
  ///   - time: The present time, which is signed in whole seconds.
  /// - Returns: The cosignature, or why there is none.
  /// - Throws: ``ProofError`` if the witness itself has failed, and the request may be sent again:
  ///   `file`, `noFile` and `malformed` for the state file, `clock` if the clock has gone back,
  ///   `signing` and `badKey` for the key. A server answers with the status 500 and hides the
  ///   message.
  public func answer(_ request: [UInt8], at time: Instant) throws(ProofError) -> WitnessAnswer {
    guard time.microseconds >= Instant.second else {
      throw ProofError(.clock, "the clock is at 1970 or before: a cosignature states the time")
    }
    let parsed: WitnessRequest
    do throws(ProofError) { parsed = try WitnessRequest(request) } catch {
      return .refused(.badRequest, error.message)
    }
    let keys = logs.filter { $0.name == parsed.checkpoint.origin }
    if let refused = Self.refusal(of: parsed, unlessSignedBy: keys) { return refused }
    guard parsed.checkpoint.keeping(keys).document.utf8.count <= Self.checkpointBytesMax else {
      return .refused(
        .badRequest, "the checkpoint has more than \(Self.checkpointBytesMax) bytes")
    }
    return try state.update(mustExist: true) { (memory) throws(ProofError) in
      let checkpoint = parsed.checkpoint
      let last = memory.newest(of: checkpoint.origin)
      if let refused = Self.refusal(of: parsed, after: last) { return refused }
      let seconds = UInt64(time.microseconds / Instant.second)
      if let last { try requireTime(seconds, notBefore: last) }
      let signature = try checkpoint.cosignature(by: key, at: seconds)
      let signed = checkpoint.keeping(keys)
      try memory.replace(by: signed.with(signed.note.signatures + [signature]))
      return .cosigned(signature)
    }
  }

  /// Throws an error if this key has cosigned the log at a later time.
  ///
  /// - Parameters:
  ///   - time: The present time, in seconds since 1970.
  ///   - last: The checkpoint that was cosigned last, with its cosignature.
  private func requireTime(
    _ time: UInt64, notBefore last: SignedCheckpoint
  ) throws(ProofError) {
    let times = try last.cosignatures(of: [key.verifier]).map(\.time)
    guard let newest = times.max(), newest > time else { return }
    throw ProofError(
      .clock,
      "the clock has gone back: it says \(Cosignature.text(time)), and the last cosignature for "
        + "\(last.origin.text) states \(Cosignature.text(newest)). Set the clock right and send "
        + "the request again. If the last cosignature had the wrong time, wait until then, or "
        + "make a new key")
  }

  /// Refuses a request that a known log has not signed, or that contradicts itself.
  private static func refusal(
    of request: WitnessRequest, unlessSignedBy keys: [NoteVerifier]
  ) -> WitnessAnswer? {
    let checkpoint = request.checkpoint
    if keys.isEmpty {
      return .refused(.unknownLog, "the log \(checkpoint.origin.text) is not known here")
    }
    do throws(ProofError) { _ = try checkpoint.signers(of: keys) } catch {
      return .refused(.notSigned, error.message)
    }
    let (old, new) = (request.consistency.oldSize, checkpoint.size)
    guard old <= new else {
      return .refused(
        .badRequest, "the old size is \(old), and the checkpoint's is \(new), which is smaller")
    }
    return nil
  }

  /// Refuses a checkpoint that does not extend the last one.
  ///
  /// - Parameter last: The checkpoint that was cosigned last; nil if there is none.
  private static func refusal(
    of request: WitnessRequest, after last: SignedCheckpoint?
  ) -> WitnessAnswer? {
    let (checkpoint, proof) = (request.checkpoint, request.consistency)
    let known = last?.size ?? 0
    guard proof.oldSize == known else {
      return .conflict(
        knowing: known,
        "the old size is \(proof.oldSize), and the checkpoint that was cosigned last has the size "
          + "\(known): send a proof from there")
    }
    guard checkpoint.size != known || checkpoint.root == last?.root ?? TreeHash.emptyTree else {
      return .conflict(
        knowing: known, "the root at \(known) is another than the one that was cosigned")
    }
    // An empty tree has one root, so this also holds a checkpoint of size 0 to it.
    guard proof.holds(old: last?.root ?? TreeHash.emptyTree, new: checkpoint.root) else {
      let what =
        proof.oldSize == checkpoint.size
        ? "there are hashes where none are needed"
        : "the hashes do not lead from the root at \(known) that was cosigned to the root at "
          + "\(checkpoint.size)"
      return .refused(.inconsistent, what)
    }
    return nil
  }
}
