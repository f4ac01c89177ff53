internal import Crypto
internal import LedgerEvents

/// The contents of a bundle in one digest. It is signed in the checkpoint, after the root, so that
/// nobody can remove an event from the bundle or change its role.
///
/// The digest does not cover the bytes at each position, because the tree already proves them.
struct BundleManifest {
  let account: Name?
  let eventCount: Int
  let nodeCount: Int
  let leaves: [(position: UInt64, role: BundleRole)]

  /// The line in the checkpoint: `daybook-bundle` and the base64 of a SHA-256. It covers the
  /// account (or nothing), the numbers of events, entries and nodes, and for each entry its
  /// position and role, each as text and followed by a line feed.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  var line: String {
    var text = "\(account?.text ?? "")\n\(eventCount)\n\(leaves.count)\n\(nodeCount)\n"
    for leaf in leaves { text += "\(leaf.position) \(leaf.role.rawValue)\n" }
    return "daybook-bundle \(StandardBase64.encode(Array(SHA256.hash(data: Array(text.utf8)))))"
  }
}
