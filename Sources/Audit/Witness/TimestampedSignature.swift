/// The bytes of a witness's signature: the time, then an Ed25519 signature over the time and the
/// checkpoint.
///
/// Source: c2sp.org/tlog-cosignature, "Format" and "Ed25519 signed message".
struct TimestampedSignature {
  /// Seconds since 1970, at most 2⁶³ − 1.
  let time: UInt64
  /// 64 bytes (RFC 8032).
  let signature: [UInt8]

  private static let header = "cosignature/v1"
  private static let timeBytes = 8
  private static let signatureBytes = 64
  /// The latest time that the format allows, in seconds since 1970.
  private static let timeMax = UInt64(Int64.max)

  init(time: UInt64, signature: [UInt8]) {
    self.time = time
    self.signature = signature
  }

  /// Parses the bytes after the id of a signature line; nil if they are no timestamped signature.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.timeBytes + Self.signatureBytes else { return nil }
    let time = bytes.prefix(Self.timeBytes).reduce(0) { $0 << 8 | UInt64($1) }
    guard time <= Self.timeMax else { return nil }
    self.init(time: time, signature: Array(bytes.dropFirst(Self.timeBytes)))
  }

  /// The time in big-endian order, then the signature.
  var bytes: [UInt8] {
    stride(from: 56, through: 0, by: -8)
      .map { UInt8(truncatingIfNeeded: time >> UInt64($0)) } + signature
  }

  /// Returns what a witness signs: two lines, then the whole text of the checkpoint.
  static func message(of text: [UInt8], at time: UInt64) -> [UInt8] {
    Array("\(header)\ntime \(time)\n".utf8) + text
  }
}
