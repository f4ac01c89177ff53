import Foundation
package import SignedStoreData

/// An importer that gets no answer whose signers were revoked.
///
/// Who was found revoked once is noted, and nobody is asked again: a responder that is silent now
/// takes nothing back. Where nobody can say whether they were, the import goes on: whoever can cut
/// a connection must not be able to stop a ledger, and a fault of the network is no forgery.
package struct RevocationCheckedImporter: AnswerImporter {
  private let importer: any AnswerImporter
  private let check: RevocationCheck
  private let roots: TrustedRoots
  private let revoked: RevokedSigners

  package init(
    _ importer: any AnswerImporter, check: RevocationCheck, roots: TrustedRoots,
    revoked: RevokedSigners
  ) {
    (self.importer, self.check, self.roots, self.revoked) = (importer, check, roots, revoked)
  }

  /// - Throws: ``PullError``: `revoked`; and what the importer throws.
  package func importAnswer(
    _ file: String, from environment: StoreHost.Environment
  ) async throws(PullError) -> Int {
    // Texts that are not believed are refused by the import, with its words.
    for chain in try SignedTexts(try Self.bytes(of: file), roots: roots).chains {
      if let known = try revoked.revoked(in: chain) {
        throw Self.refusal(known.certificate, known.responder)
      }
      for answer in await check.answers(about: chain) where answer.answer == .revoked {
        try revoked.add(answer)
        throw Self.refusal(answer.certificate, answer.responder)
      }
    }
    return try await importer.importAnswer(file, from: environment)
  }

  /// Where the answer is kept, whoever moves it says.
  private static func refusal(
    _ certificate: SigningCertificate, _ responder: String?
  ) -> PullError {
    PullError(
      .revoked,
      "the \(certificate.role) certificate \(certificate.serialNumber) (\(certificate.subject)) "
        + "was revoked, says \(responder ?? "its issuer"): what it signed is not imported. Ask "
        + "Apple before you believe it; a pull without --check-revocation imports it.")
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
