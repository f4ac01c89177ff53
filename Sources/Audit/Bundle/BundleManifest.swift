internal import Crypto
internal import LedgerEvents

/// What a bundle has, in one digest. Whoever makes the bundle signs it, behind the root of the
/// checkpoint, so that nobody can leave an event out afterwards or give one another role.
///
/// Which bytes are at a position, the tree says already.
struct BundleManifest {
  let account: Name?
  let eventCount: Int
  let nodeCount: Int
  let leaves: [(position: UInt64, role: BundleRole)]

  /// The line of the checkpoint: `daybook-bundle` and the base64 of the SHA-256 over the account or
  /// nothing, the number of events, of entries and of nodes, and for each entry its position and
  /// its role, each as text with a line feed behind it.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  var line: String {
    var text = "\(account?.text ?? "")\n\(eventCount)\n\(leaves.count)\n\(nodeCount)\n"
    for leaf in leaves { text += "\(leaf.position) \(leaf.role.rawValue)\n" }
    return "daybook-bundle \(StandardBase64.encode(Array(SHA256.hash(data: Array(text.utf8)))))"
  }
}
