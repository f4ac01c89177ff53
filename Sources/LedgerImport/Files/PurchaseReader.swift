package import StoreImport

/// Reads files of the store, and of others who name the store's purchases, each format by its own
/// reader.
package struct PurchaseReader: Sendable {
  /// What the files are.
  package let format: ImportFormat
  /// What is believed of signed data.
  package let trust: SignatureTrust
  /// What is believed of notifications of version 1.
  package let passwords: PasswordTrust
  /// How rows become events, for `csv`.
  package let map: TableMap?

  /// Creates a reader of one format.
  ///
  /// - Parameters:
  ///   - format: What the files are.
  ///   - trust: What is believed of signed data.
  ///   - passwords: What is believed of notifications of version 1.
  ///   - map: How rows become events; nil for other formats than `csv`.
  /// - Precondition: The format is one of purchases: not `storekit-config`.
  package init(
    format: ImportFormat, trust: SignatureTrust = .noApp, passwords: PasswordTrust = .noSecret,
    map: TableMap? = nil
  ) {
    precondition(format != .storekitConfig, "a catalogue is no purchase")
    self.format = format
    self.trust = trust
    self.passwords = passwords
    self.map = map
  }

  /// Reads one file.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - options: Information that is not in the file.
  /// - Throws: `ImportError`, with the code `notBelieved` if something signed cannot be verified.
  /// - Complexity: O(*n* log *n*) in the number of purchases, O(*m*) in the number of bytes, and
  ///   what verifying a signature takes for each signed text.
  package func read(
    _ bytes: [UInt8], options: ImportOptions
  ) throws(ImportError) -> any PurchaseImport {
    switch format {
    case .receipt: return try ReceiptImport(receipt: bytes, options: options, trust: trust)
    case .notificationV1:
      return try NotificationV1Import(bytes, options: options, trust: passwords)
    case .revenueCat, .revenueCatExport:
      return try RevenueCatImport(bytes, isExport: format == .revenueCatExport, options: options)
    case .csv:
      guard let map else {
        throw ImportError(.missing, reason: "a table needs a map", remedy: "Pass --map FILE")
      }
      return try TableImport(bytes, map: map, options: options)
    case _ where format.isOfStatements:
      return try SignedImport(bytes, as: format, options: options, trust: trust)
    default: return try ReceiptImport(bytes, options: options)
    }
  }
}
