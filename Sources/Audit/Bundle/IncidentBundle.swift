public import LedgerEvents
public import LedgerQueries

/// A customer's incident to be looked at without the ledger: the events, whom they name as
/// pseudonyms, each made again from the bytes that the ledger's tree is over.
///
/// A bundle that was read holds together: its entries and nodes make the root that its checkpoint
/// says. That the checkpoint is the ledger's, ``signers(of:)`` tells. It says nothing of what was
/// left out, nor of which events are the customer's own: that is the word of whoever made it.
public struct IncidentBundle: Sendable {
  /// Whose it is, by pseudonym; nil where none of its events says so.
  public let account: Name?
  /// What the ledger was when the bundle was made; not believed before ``signers(of:)``.
  public let checkpoint: SignedCheckpoint
  /// The events with what they rest on, as a replay takes them.
  public let events: ReplayEvents
  /// How many entries of the tree it carries.
  public let leafCount: Int
  /// How many hashes prove them.
  public let nodeCount: Int

  /// The longest line of a bundle, in bytes.
  public static let lineBytesMax = BundleFormat.lineBytesMax

  /// Whether a file that begins with these bytes is a bundle.
  public static func isBundle(_ start: some Sequence<UInt8>) -> Bool {
    start.starts(with: BundleFormat.start)
  }

  /// Those of `keys` who have signed the checkpoint.
  ///
  /// - Throws: ``ProofError``: `notProven` where none of them has.
  public func signers(of keys: [NoteVerifier]) throws(ProofError) -> [NoteVerifier] {
    try checkpoint.signers(of: keys)
  }
}

extension IncidentBundle {
  /// Reads a bundle whole; see ``BundleReader``.
  ///
  /// - Throws: ``ProofError``: `malformed`, `notProven`.
  /// - Complexity: O(*n*) in its bytes.
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
