public import LedgerEvents

/// The formats that can be imported, by the names that people give them.
public enum ImportFormat: String, CaseIterable, Sendable {
  /// A StoreKit configuration file of Xcode.
  case storekitConfig = "storekit-config"
  /// An answer of the store's verifyReceipt.
  case verifyReceipt = "verify-receipt"

  /// The events of one file of this format, `import.received` first.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - options: Whose it is and where it came from.
  ///   - effective: From when a catalogue counts; a receipt has the store's own dates.
  /// - Throws: `ImportError`.
  /// - Complexity: O(*n* log *n*) in the number of bytes.
  public func events(
    from bytes: [UInt8], options: ImportOptions, effective: EffectiveTime
  ) throws(ImportError) -> [Event] {
    switch self {
    case .storekitConfig:
      try StoreKitConfiguration.events(from: bytes, options: options, effective: effective)
    case .verifyReceipt: try VerifyReceipt.events(from: bytes, options: options)
    }
  }
}
