/// Small age files, whole in memory.
public enum AgeFile {
  /// Encrypts bytes.
  ///
  /// - Parameters:
  ///   - bytes: The plain text.
  ///   - encryption: For whom.
  ///   - random: Where keys and nonces come from, which must be a cryptographic generator.
  /// - Complexity: O(*n*) in the bytes.
  /// - Throws: ``AgeError``: `badKey`.
  public static func seal(
    _ bytes: [UInt8], for encryption: AgeEncryption,
    using random: inout some RandomNumberGenerator
  ) throws(AgeError) -> [UInt8] {
    var sealer = try AgeSealer(for: encryption, using: &random)
    var output = sealer.start
    sealer.seal(bytes, into: &output)
    sealer.finish(into: &output)
    return output
  }

  /// Decrypts a file.
  ///
  /// - Parameters:
  ///   - file: The bytes of the file.
  ///   - decryption: What to decrypt it with.
  /// - Complexity: O(*n*) in its bytes.
  /// - Throws: ``AgeError``: `malformed`, `wrongKey`, `damaged`.
  public static func open(
    _ file: [UInt8], with decryption: AgeDecryption
  ) throws(AgeError) -> [UInt8] {
    let opener = try AgeOpener(start: file, byteCount: file.count, with: decryption)
    var plain: [UInt8] = []
    var chunk = 0
    while let range = opener.range(ofChunk: chunk) {
      plain += try opener.open(Array(file[range]), chunk: chunk)
      chunk += 1
    }
    return plain
  }
}
