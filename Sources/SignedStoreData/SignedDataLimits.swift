/// The maximum size of a JWS, in bytes of its compact form.
///
/// 256 kibibytes. A notification with a transaction and a renewal info has about 20 kilobytes: each
/// of the three carries its certificates.
public let signedDataBytesMax = 256 << 10

/// The maximum size of a JWS header, in bytes of base64url.
///
/// 32 kibibytes. The store's headers have 4.4 kilobytes.
public let signedHeaderBytesMax = 32 << 10

/// The maximum size of one certificate, in bytes of DER.
///
/// 8 kibibytes. The store's certificates have about one.
public let certificateBytesMax = 8 << 10

/// The number of certificate chains that a verifier remembers.
///
/// The store replaces its leaf certificate about every two years and signs with a few at a time.
/// A remembered chain takes up to `signedHeaderBytesMax` and a few kilobytes.
public let rememberedChainsMax = 64

/// How long after the time of verification something may say that it was signed, in microseconds.
///
/// One day, for a machine whose clock is slow or is set to a wrong time zone.
public let signingLeadMicrosecondsMax: Int64 = 24 * 3_600 * 1_000_000
