public import LedgerEvents

/// The rule how many of which witnesses must have cosigned a checkpoint.
///
/// Require more than half: any two such groups have a member in common, so a ledger that shows two
/// histories needs a witness that breaks the rule.
///
/// Source: c2sp.org/tlog-cosignature; a key counts once, as in c2sp.org/tlog-policy.
public struct WitnessPolicy: Sendable {
  /// What is known of one witness.
  public enum Standing: Hashable, Sendable {
    /// It has cosigned, at this time in seconds since 1970.
    case cosigned(at: UInt64)
    /// It has not cosigned.
    case missing
    /// It has cosigned, but states no time, so the cosignature does not count.
    case undated
    /// It has cosigned at a time that has not come yet, so the cosignature does not count.
    case future(at: UInt64)

    /// Whether the cosignature counts.
    public var counts: Bool { if case .cosigned = self { true } else { false } }
  }

  /// What a checkpoint has, by witness, in the order of the policy.
  public struct Finding: Sendable {
    public let standings: [(witness: NoteVerifier, standing: Standing)]
    /// How many must have cosigned.
    public let required: Int

    /// How many have cosigned.
    public var count: Int { standings.count { $0.standing.counts } }
  }

  /// The witnesses, each once.
  public let witnesses: [NoteVerifier]
  /// How many of them must have cosigned.
  public let required: Int

  /// By how many seconds the clock of a witness may be ahead of this one. Clocks without a time
  /// service are off by minutes, and a wrong time zone must not pass.
  static let aheadSecondsMax: UInt64 = 600

  /// Makes a policy. A key that is given twice is one witness.
  ///
  /// - Parameters:
  ///   - witnesses: The keys of the witnesses.
  ///   - required: How many of them must have cosigned; all if nil.
  /// - Throws: ``ProofError``: `badKey` for a key that is no witness's, for one public key under
  ///   two names, and if more are required than there are.
  public init(_ witnesses: [NoteVerifier], required: Int? = nil) throws(ProofError) {
    var unique: [NoteVerifier] = []
    for key in witnesses where !unique.contains(key) {
      guard key.kind == .witness else {
        throw ProofError(
          .badKey,
          "\(key.nameAndIdentifier) is the key of a ledger, not of a witness: the base64 of a "
            + "witness's key begins with B")
      }
      if let other = unique.first(where: { $0.publicKey == key.publicKey }) {
        throw ProofError(
          .badKey,
          "\(other.nameAndIdentifier) and \(key.nameAndIdentifier) are one key under two names: it "
            + "can only count once, so name one of them")
      }
      unique.append(key)
    }
    let required = required ?? unique.count
    guard required >= 1, required <= unique.count else {
      throw ProofError(
        .badKey,
        "\(required) of \(unique.count) witnesses cannot be required: expected a number from 1 to "
          + "the number of different witnesses")
    }
    self.witnesses = unique
    self.required = required
  }

  /// Checks the signature of the log, and that enough witnesses have cosigned.
  ///
  /// - Parameters:
  ///   - checkpoint: The checkpoint.
  ///   - keys: The keys of the log that are trusted.
  ///   - now: The present time, to refuse cosignatures of the future.
  /// - Returns: Which witnesses have cosigned, and when.
  /// - Throws: ``ProofError``: `notProven`, with the witnesses that have signed and those that have
  ///   not; `badKey` if a witness has the key of the log.
  @discardableResult
  public func check(
    _ checkpoint: SignedCheckpoint, signedBy keys: [NoteVerifier], now: Instant
  ) throws(ProofError) -> Finding {
    for key in witnesses where keys.contains(where: { $0.publicKey == key.publicKey }) {
      throw ProofError(
        .badKey,
        "the witness \(key.nameAndIdentifier) has the public key of the ledger: a ledger cannot be "
          + "its own witness")
    }
    _ = try checkpoint.signers(of: keys)
    let cosignatures = try checkpoint.cosignatures(of: witnesses)
    let latest = Self.latestTime(at: now)
    let finding = Finding(
      standings: witnesses.map { witness in
        let times = cosignatures.filter { $0.witness == witness }.map(\.time)
        return (witness, Self.standing(times, latest: latest))
      }, required: required)
    guard finding.count >= required else { throw .notProven(finding.shortfall) }
    return finding
  }

  /// The latest time in seconds since 1970 at which a cosignature may be dated.
  static func latestTime(at now: Instant) -> UInt64 {
    UInt64(max(0, now.microseconds / Instant.second)) + aheadSecondsMax
  }

  /// Judges the times of one witness's cosignatures: the newest that counts decides.
  private static func standing(_ times: [UInt64], latest: UInt64) -> Standing {
    if let time = times.filter({ $0 > 0 && $0 <= latest }).max() { return .cosigned(at: time) }
    if let time = times.filter({ $0 > 0 }).min() { return .future(at: time) }
    return times.isEmpty ? .missing : .undated
  }
}

extension WitnessPolicy.Finding {
  /// What is missing, for people.
  fileprivate var shortfall: String {
    func names(_ chosen: (WitnessPolicy.Standing) -> Bool) -> String {
      let names = standings.filter { chosen($0.standing) }.map(\.witness.nameAndIdentifier)
      return names.isEmpty ? "none" : names.joined(separator: ", ")
    }
    var text =
      "\(required) of \(standings.count) witnesses are required, and \(count) cosigned. Cosigned: "
      + names(\.counts) + ". Not cosigned: " + names { $0 == .missing }
    for (witness, standing) in standings {
      switch standing {
      case .cosigned, .missing: continue
      case .undated:
        text += ". Not counted: \(witness.nameAndIdentifier), whose cosignature states no time"
      case .future(let time):
        text +=
          ". Not counted: \(witness.nameAndIdentifier), whose cosignature is dated in the future: "
          + Cosignature.text(time)
      }
    }
    return text
  }
}
