import Foundation
import Testing

@testable import ServiceAccess

/// Who may write in a ledger.
@Suite("The owner of a ledger") struct LedgerOwnerTests {
  private func refusal(of user: UInt32, owner: UInt32, _ name: String? = "books") -> String? {
    LedgerOwner(id: owner, name: name).refusal(of: user, ledger: "/srv/l")
  }

  @Test("the superuser writes in his own ledger alone") func superuser() throws {
    #expect(refusal(of: 0, owner: 0) == nil)
    let refused = try #require(refusal(of: 0, owner: 999))
    #expect(refused.contains("/srv/l belongs to books"))
    #expect(refused.contains("`runuser -u books -- daybook …`"))
  }

  @Test("the system decides about every other user", arguments: [0, 998, 999] as [UInt32])
  func others(owner: UInt32) { #expect(refusal(of: 999, owner: owner) == nil) }

  @Test("a user without a name is told by its number") func nameless() throws {
    let refused = try #require(refusal(of: 0, owner: 8470, nil))
    #expect(refused.contains("belongs to the user 8470"))
    #expect(!refused.contains("runuser"))
  }

  @Test("the owner is that of the folder, also behind a link, and nobody where nothing is")
  func owner() throws {
    let ledger = try TemporaryLedger()
    let link = ledger.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: ledger.path)
    #expect(LedgerOwner(ofLedger: ledger.path)?.id == geteuid())
    #expect(LedgerOwner(ofLedger: link) == LedgerOwner(ofLedger: ledger.path))
    #expect(LedgerOwner(ofLedger: ledger.path + "/none") == nil)
    #expect(LedgerOwner.refusal(ledger: ledger.path) == nil)
  }

  @Test(
    "a link of the superuser's leads to the ledger of its owner",
    .enabled(if: geteuid() == 0, "only the superuser gives files away"))
  func ownerBehindLink() throws {
    let ledger = try TemporaryLedger()
    let elsewhere = try TemporaryLedger()
    let link = elsewhere.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: ledger.path)
    try FileManager.default.setAttributes([.ownerAccountID: 8470], ofItemAtPath: ledger.path)
    #expect(LedgerOwner(ofLedger: link)?.id == 8470)
    #expect(LedgerOwner.refusal(ledger: link) != nil)
  }
}
