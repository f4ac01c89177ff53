public import LedgerEvents
public import LedgerQueries

/// A customer's incident, for analysis without the ledger: events with pseudonyms for people, each
/// rebuilt from the bytes that the ledger's tree covers.
///
/// A bundle that was read is consistent: its entries and nodes give the root in its checkpoint.
/// ``signers(of:)`` checks that the checkpoint is the ledger's, and that no event was left out or
/// given another role since the bundle was made. The bundle does not prove that it was complete
/// when it was made, nor which events are the customer's own. For that, you have to trust whoever
/// signed it.
public struct IncidentBundle: Sendable {
  /// The customer's pseudonym; nil if none of the events states it.
  public let account: Name?
  /// The ledger's checkpoint when the bundle was made. Do not trust it before calling
  /// ``signers(of:)``.
  public let checkpoint: SignedCheckpoint
  /// The customer's events and those they depend on, as input for a replay.
  public let events: ReplayEvents
  /// The number of entries of the tree in the bundle.
  public let leafCount: Int
  /// The number of hashes that prove them.
  public let nodeCount: Int

  /// The maximum length of a line of a bundle, in bytes.
  public static let lineBytesMax = BundleFormat.lineBytesMax

  /// Returns whether a file that begins with these bytes is a bundle.
  public static func isBundle(_ start: some Sequence<UInt8>) -> Bool {
    start.starts(with: BundleFormat.start)
  }

  /// Returns those of `keys` that signed the checkpoint.
  ///
  /// - Throws: ``ProofError``: `notProven` if none of them did.
  public func signers(of keys: [NoteVerifier]) throws(ProofError) -> [NoteVerifier] {
    try checkpoint.signers(of: keys)
  }
}

extension IncidentBundle {
  /// Reads a complete bundle; see ``BundleReader``.
  ///
  /// - Throws: ``ProofError``: `malformed`, `notProven`.
  /// - Complexity: O(*n*) in the number of bytes.
  public init(_ bytes: [UInt8]) throws(ProofError) {
    var reader = BundleReader()
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      try reader.read(Array(bytes[start..<end]))
      start = end + 1
    }
    self = try reader.finish()
  }
}
