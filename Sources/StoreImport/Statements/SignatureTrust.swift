public import LedgerEvents
public import SignedStoreData

/// What an import believes of signed data.
public enum SignatureTrust: Sendable {
  /// What this verifier believes at this time.
  case verified(SignedDataVerifier, at: Instant)
  /// Everything, without looking at signatures. The import is recorded as not verified.
  case unverified
  /// Nothing: it is not known which app it must be for. Decoded JSON has no signature and is
  /// imported as not verified.
  case noApp
}
