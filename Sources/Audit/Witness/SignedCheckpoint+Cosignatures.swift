public import LedgerEvents

/// The statement of a witness that a checkpoint was, at a certain time, the newest that it had seen
/// of this log, and that it extends all earlier ones.
///
/// Source: c2sp.org/tlog-cosignature.
public struct Cosignature: Sendable, Hashable {
  /// The key of the witness.
  public let witness: NoteVerifier
  /// When the witness signed, in seconds since 1970. Zero states no time.
  public let time: UInt64

  /// When the witness signed, as an instant; nil if that is after the year 9999.
  public var instant: Instant? { Self.instant(time) }

  /// Returns the time of a cosignature for people: a date, or the number after the year 9999.
  ///
  /// - Parameter time: Seconds since 1970.
  /// - Returns: RFC 3339, or the seconds since 1970.
  public static func text(_ time: UInt64) -> String {
    instant(time)?.rfc3339 ?? "\(time) s after 1970"
  }

  private static func instant(_ time: UInt64) -> Instant? {
    guard time <= UInt64(Instant.microsecondsMax / Instant.second) else { return nil }
    return Instant(microseconds: Int64(time) * Instant.second)
  }
}

extension SignedCheckpoint {
  /// Cosigns the checkpoint. It must have been verified before.
  ///
  /// - Parameter time: Now, in seconds since 1970.
  /// - Throws: ``ProofError``: `badKey` for a key that is no witness's, `signing`.
  func cosignature(
    by key: any NoteSigning, at time: UInt64
  ) throws(ProofError) -> SignedNote.Signature {
    try key.refuse(other: .witness)
    let message = TimestampedSignature.message(of: Array(note.text.utf8), at: time)
    let stamped = TimestampedSignature(
      time: time, signature: try key.verifiedSignature(of: message))
    return key.named(stamped.bytes)
  }

  /// Returns the cosignatures of witnesses, in the order of the lines. A witness that cosigned
  /// repeatedly appears repeatedly. Signatures of other keys are ignored.
  ///
  /// - Parameter witnesses: The keys that are trusted.
  /// - Throws: ``ProofError``: `notProven` if a signature under the name and id of one of them is
  ///   false, which makes the whole note invalid.
  public func cosignatures(
    of witnesses: [NoteVerifier]
  ) throws(ProofError) -> [Cosignature] {
    let text = Array(note.text.utf8)
    var found: [Cosignature] = []
    for signature in note.signatures {
      for key in witnesses
      where key.kind == .witness && key.name == signature.name
        && key.identifier == signature.identifier
      {
        guard let stamped = TimestampedSignature(signature.bytes),
          key.hasSigned(text, signature.bytes)
        else {
          throw .notProven(
            "the cosignature of \(key.nameAndIdentifier) is false: it is of another checkpoint, or "
              + "another key signed in its name")
        }
        found.append(Cosignature(witness: key, time: stamped.time))
      }
    }
    return found
  }

  /// Adds the lines that a witness answered. Each is verified, and lines of other keys are left
  /// out. Of several cosignatures by one witness, the newest is kept whose time has come.
  ///
  /// - Parameters:
  ///   - response: Signature lines, as ``WitnessAnswer`` has them in its body.
  ///   - witnesses: The keys that are trusted.
  ///   - now: The present time, to refuse cosignatures of the future, which count for nobody.
  /// - Returns: The checkpoint, and the cosignatures that it did not have before. A cosignature is
  ///   not added if it has one as new of the same witness.
  /// - Throws: ``ProofError``: `malformed`; `notProven` if none of the lines is by one of the keys,
  ///   or if one is false or dated in the future.
  public func adding(
    _ response: [UInt8], by witnesses: [NoteVerifier], now: Instant
  ) throws(ProofError) -> (checkpoint: SignedCheckpoint, added: [Cosignature]) {
    let parsed = try SignedNote(Array(note.text.utf8) + [UInt8(ascii: "\n")] + response)
    guard parsed.text == note.text else {
      throw .malformed("the response has an empty line: expected only lines of signatures")
    }
    let answer = with(parsed.signatures)
    let answered = try answer.cosignatures(of: witnesses)
    guard !answered.isEmpty else {
      throw .notProven(
        "no line of the response is a cosignature by the given witnesses: "
          + witnesses.map(\.nameAndIdentifier).joined(separator: ", "))
    }
    let latest = WitnessPolicy.latestTime(at: now)
    if let early = answered.first(where: { $0.time > latest }) {
      throw .notProven(
        "the cosignature of \(early.witness.nameAndIdentifier) is dated in the future, "
          + "\(Cosignature.text(early.time)), so it would not count: ask again once the clocks of "
          + "the witness and of this machine are right")
    }
    var signatures = note.signatures
    var added: [Cosignature] = []
    for line in answer.note.signatures {
      guard let cosignature = try with([line]).cosignatures(of: witnesses).first else { continue }
      let older = try with(signatures).cosignatures(of: [cosignature.witness])
      // One that is dated in the future does not count, so it does not keep out one that does.
      if older.contains(where: { $0.time >= cosignature.time && $0.time <= latest }) { continue }
      signatures.removeAll { cosignature.witness.isNamed(in: $0) }
      signatures.append(line)
      added.removeAll { $0.witness == cosignature.witness }
      added.append(cosignature)
    }
    guard signatures.count <= SignedNote.signaturesMax else {
      throw .malformed("the checkpoint would have more than \(SignedNote.signaturesMax) signatures")
    }
    return (with(signatures), added)
  }

  /// Returns the checkpoint with one signature of each of these keys. They must have been verified.
  func keeping(_ keys: [NoteVerifier]) -> SignedCheckpoint {
    with(keys.compactMap { key in note.signatures.first(where: key.isNamed) })
  }
}

extension NoteVerifier {
  /// Whether a signature line has the name and the id of this key.
  func isNamed(in line: SignedNote.Signature) -> Bool {
    name == line.name && identifier == line.identifier
  }
}
