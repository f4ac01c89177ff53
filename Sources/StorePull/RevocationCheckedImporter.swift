import Foundation
package import SignedStoreData

/// An importer that gets no answer whose signers were revoked.
///
/// Where nobody can say whether they were, the import goes on: whoever can cut a connection must
/// not be able to stop a ledger, and a fault of the network is no forgery.
package struct RevocationCheckedImporter: AnswerImporter {
  private let importer: any AnswerImporter
  private let check: RevocationCheck
  private let roots: TrustedRoots

  package init(_ importer: any AnswerImporter, check: RevocationCheck, roots: TrustedRoots) {
    (self.importer, self.check, self.roots) = (importer, check, roots)
  }

  /// - Throws: ``PullError``: `revoked`; and what the importer throws.
  package func importAnswer(
    _ file: String, from environment: StoreHost.Environment
  ) async throws(PullError) -> Int {
    // Texts that are not believed are refused by the import, with its words.
    for chain in try SignedTexts(try Self.bytes(of: file), roots: roots).chains {
      for answer in await check.answers(about: chain) where answer.answer == .revoked {
        let certificate = answer.certificate
        throw PullError(
          .revoked,
          "the \(certificate.role) certificate \(certificate.serialNumber) (\(certificate.subject))"
            + " was revoked, says \(answer.responder ?? "its issuer"): what it signed is not "
            + "imported. The answer is kept in \(file). Ask Apple before you believe it; a pull "
            + "without --check-revocation imports it.")
      }
    }
    return try await importer.importAnswer(file, from: environment)
  }

  package func requireLedger() throws(PullError) { try importer.requireLedger() }

  package func mark(at position: Int64?) throws(PullError) -> LedgerMark? {
    try importer.mark(at: position)
  }

  private static func bytes(of file: String) throws(PullError) -> [UInt8] {
    do { return [UInt8](try Data(contentsOf: URL(fileURLWithPath: file))) } catch {
      throw PullError(.disk, "\(file) cannot be read: \(error.localizedDescription)")
    }
  }
}
