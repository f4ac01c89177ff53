/// The folder `service` in a ledger's folder, which only its owner may read.
package enum ServiceFolder {
  package static let name = ServiceFile.folderName

  /// Makes it, unless it is there.
  ///
  /// - Throws: ``TokenError``: `noLedger`, `disk`.
  package static func make(in ledger: String) throws(TokenError) {
    _ = try file(of: ledger).folderMade()
  }

  /// - Throws: ``TokenError``: `noLedger`, `disk`.
  package static func requireLedger(at path: String) throws(TokenError) {
    _ = try file(of: path).ledgerFolder()
  }

  private static func file(of ledger: String) -> ServiceFile {
    ServiceFile(ledger: ledger, name: "", command: "serve", consequence: "")
  }
}
