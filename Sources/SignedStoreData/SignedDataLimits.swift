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

/// The maximum size of an app receipt, in bytes of DER or BER.
///
/// 4 mebibytes. A purchase has about 400 bytes, so this is some ten thousand of them.
public let receiptBytesMax = 4 << 20

/// The maximum number of ASN.1 elements in one part of an app receipt: around its content, in the
/// content, or in one purchase.
///
/// 131,072. Each attribute of the content has four, and so a receipt of `receiptBytesMax` has some
/// forty thousand. While a part is read, each takes about a hundred bytes of memory, however short
/// it is.
public let receiptElementsMax = 1 << 17

/// The maximum size of an app receipt as text, in bytes of base64 and the space in it.
///
/// 6 mebibytes: `receiptBytesMax` in base64, with line breaks.
public let receiptTextBytesMax = 6 << 20

/// The maximum number of certificates in an app receipt.
///
/// The store's have three.
public let receiptCertificatesMax = 8

/// The number of certificate chains that a verifier remembers.
///
/// The store replaces its leaf certificate about every two years and signs with a few at a time.
/// A remembered chain takes up to `signedHeaderBytesMax` and a few kilobytes.
public let rememberedChainsMax = 64

/// How long after the time of verification something may say that it was signed, in microseconds.
///
/// One day, for a machine whose clock is slow or is set to a wrong time zone.
public let signingLeadMicrosecondsMax: Int64 = 24 * 3_600 * 1_000_000
