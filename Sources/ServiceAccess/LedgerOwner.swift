internal import Foundation

/// The user whose a ledger's folder is, and whether another one may write in it.
///
/// The superuser may write everywhere, but what he makes is his own, and closed to everybody else:
/// a token that he makes takes the list of tokens from the service, whose user owns the ledger.
package struct LedgerOwner: Sendable, Hashable {
  /// The number of the superuser.
  private static let superuser: UInt32 = 0

  package let id: UInt32
  /// What the system calls the user; nil if it has no name for the number.
  package let name: String?

  package init(id: UInt32, name: String?) { (self.id, self.name) = (id, name) }

  /// The owner of what is at `path`, behind a link as well; nil if nothing is there, or if that
  /// cannot be known: whoever opens the ledger then says why.
  package init?(ofLedger path: String) {
    let place = URL(filePath: path).resolvingSymlinksInPath().path
    let found = Result { try FileManager.default.attributesOfItem(atPath: place) }
    guard case .success(let attributes) = found,
      let id = attributes[.ownerAccountID] as? NSNumber
    else { return nil }
    self.init(id: id.uint32Value, name: attributes[.ownerAccountName] as? String)
  }

  /// Why a process of the user `user` must not write in the ledger; nil if it may try.
  ///
  /// Only the superuser is refused: the system itself refuses all others, or somebody has given
  /// them the right to write there.
  package func refusal(of user: UInt32, ledger: String) -> String? {
    guard user == Self.superuser, id != user else { return nil }
    let remedy =
      name.map { "run this as that user: `runuser -u \($0) -- daybook …`." }
      ?? "run this as that user, who has no name on this system."
    return "the ledger at \(ledger) belongs to \(name ?? "the user \(id)"), and root's files in it "
      + "would be closed to that user, and so to the service: \(remedy)"
  }

  /// Why this process must not write in the ledger; nil if it may try.
  package static func refusal(ledger: String) -> String? {
    LedgerOwner(ofLedger: ledger)?.refusal(of: geteuid(), ledger: ledger)
  }
}
