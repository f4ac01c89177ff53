internal import Crypto
internal import Foundation

/// A key of ChaCha20-Poly1305.
struct AgePayloadKey: Sendable {
  private let key: SymmetricKey

  static let byteCount = 32
  /// The length of the tag after each piece that was encrypted.
  static let tagBytes = 16
  private static let nonceBytes = 12
  static let zeroNonce = [UInt8](repeating: 0, count: nonceBytes)

  init(_ key: SymmetricKey) { self.key = key }

  /// The key of a file's payload.
  init(fileKey: [UInt8], nonce: [UInt8]) {
    key = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: fileKey), salt: nonce, info: Array("payload".utf8),
      outputByteCount: AgePayloadKey.byteCount)
  }

  /// The nonce of a chunk: its number, and whether it is the last one.
  static func nonce(ofChunk number: UInt64, isLast: Bool) -> [UInt8] {
    var nonce = [UInt8](repeating: 0, count: nonceBytes)
    for index in 0..<8 { nonce[10 - index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
    nonce[nonceBytes - 1] = isLast ? 1 : 0
    return nonce
  }

  func seal(_ bytes: some Collection<UInt8>, nonce: [UInt8]) -> [UInt8] {
    do {
      let box = try ChaChaPoly.seal(
        Array(bytes), using: key, nonce: ChaChaPoly.Nonce(data: nonce))
      return [UInt8](box.ciphertext) + [UInt8](box.tag)
    } catch { preconditionFailure("a nonce of 12 bytes and a key of 32: \(error)") }
  }

  /// The plain text; nil if it was encrypted with another key or nonce, or changed.
  func open(_ bytes: [UInt8], nonce: [UInt8]) -> [UInt8]? {
    guard bytes.count >= AgePayloadKey.tagBytes else { return nil }
    do {
      let box = try ChaChaPoly.SealedBox(
        nonce: ChaChaPoly.Nonce(data: nonce), ciphertext: bytes.dropLast(AgePayloadKey.tagBytes),
        tag: bytes.suffix(AgePayloadKey.tagBytes))
      return [UInt8](try ChaChaPoly.open(box, using: key))
    } catch { return nil }
  }
}

/// Encrypts a file as its bytes come, 64 KiB at a time (C2SP age, version 1).
///
/// ```swift
/// var sealer = try AgeSealer(for: .recipients([recipient]), using: &random)
/// var output = sealer.start
/// sealer.seal(bytes, into: &output)
/// sealer.finish(into: &output)
/// ```
public struct AgeSealer: Sendable {
  /// What the file begins with: the header and the nonce of the payload.
  public let start: [UInt8]
  private let key: AgePayloadKey
  private var chunk: UInt64 = 0
  private var pending: [UInt8] = []
  private var isFinished = false

  static let chunkBytes = 64 << 10
  static let nonceBytes = 16
  /// The most recipients of one file.
  public static let recipientsMax = 100

  /// Begins a file with a new file key.
  ///
  /// - Parameters:
  ///   - encryption: For whom it is encrypted: 1 to ``recipientsMax`` recipients, or a passphrase.
  ///   - random: Where keys and nonces come from, which must be a cryptographic generator.
  /// - Complexity: O(1); a passphrase takes its work factor.
  /// - Throws: ``AgeError``: `badKey` if a recipient cannot be used, there are too many or none.
  public init(
    for encryption: AgeEncryption, using random: inout some RandomNumberGenerator
  ) throws(AgeError) {
    func bytes(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
    let fileKey = bytes(AgeHeader.fileKeyBytes)
    var stanzas: [AgeStanza] = []
    switch encryption {
    case .passphrase(let passphrase):
      stanzas.append(try AgeStanza(fileKey, with: passphrase, using: &random))
    case .recipients(let recipients):
      guard (1...AgeSealer.recipientsMax).contains(recipients.count) else {
        throw AgeError(
          .badKey,
          "a file is encrypted to 1 to \(AgeSealer.recipientsMax) recipients, and these are "
            + "\(recipients.count)")
      }
      for recipient in recipients {
        stanzas.append(try AgeStanza(fileKey, to: recipient, using: &random))
      }
    }
    let nonce = bytes(AgeSealer.nonceBytes)
    start = AgeHeader(stanzas, fileKey: fileKey).bytes + nonce
    key = AgePayloadKey(fileKey: fileKey, nonce: nonce)
  }

  /// Encrypts bytes, as far as they fill chunks.
  ///
  /// - Parameters:
  ///   - bytes: What follows in the file.
  ///   - output: Where the encrypted chunks are appended.
  /// - Complexity: O(*n*) in the number of bytes. At most one chunk is kept in memory.
  public mutating func seal(_ bytes: [UInt8], into output: inout [UInt8]) {
    precondition(!isFinished, "another last chunk would have the same nonce")
    pending += bytes
    var offset = 0
    // A full chunk may be the last one, so it waits for the byte after it.
    while pending.count - offset > AgeSealer.chunkBytes {
      let end = offset + AgeSealer.chunkBytes
      output += key.seal(
        pending[offset..<end], nonce: AgePayloadKey.nonce(ofChunk: chunk, isLast: false))
      chunk += 1
      offset = end
    }
    pending.removeFirst(offset)
  }

  /// Encrypts what is left as the last chunk.
  ///
  /// - Parameter output: Where the chunk is appended.
  public mutating func finish(into output: inout [UInt8]) {
    precondition(!isFinished, "another last chunk would have the same nonce")
    isFinished = true
    output += key.seal(pending, nonce: AgePayloadKey.nonce(ofChunk: chunk, isLast: true))
    pending.removeAll()
  }

  /// What reads the file back that was written, without the keys of its recipients.
  ///
  /// - Parameter byteCount: The length of the whole file.
  /// - Throws: ``AgeError``: `damaged` if no file of this length has a last chunk.
  public func opener(byteCount: Int) throws(AgeError) -> AgeOpener {
    try AgeOpener(key, payloadAt: start.count, byteCount: byteCount)
  }
}

/// Decrypts a file chunk by chunk, in any order (C2SP age, version 1).
///
/// Every chunk is authenticated before a byte of it is returned. Whoever reads to the last chunk
/// knows that nothing was cut off.
public struct AgeOpener: Sendable {
  private let key: AgePayloadKey
  private let payloadAt: Int
  private let byteCount: Int

  /// The most bytes of the beginning of a file that are needed to open it.
  public static let startBytesMax = AgeHeader.bytesMax + AgeSealer.nonceBytes
  /// The bytes of plain text in each chunk but the last.
  public static let chunkBytes = AgeSealer.chunkBytes
  private static let sealedBytes = AgeSealer.chunkBytes + AgePayloadKey.tagBytes

  /// Whether a file that begins with `start` says that it is an age file, armored or not.
  ///
  /// - Parameter start: The first bytes of the file, at least 32 if it has as many.
  public static func isAgeFile(_ start: [UInt8]) -> Bool {
    start.starts(with: AgeHeader.mark) || start.starts(with: Array("-----BEGIN AGE".utf8))
  }

  /// Opens a file by its header.
  ///
  /// - Parameters:
  ///   - start: The first bytes of the file: ``startBytesMax``, or all of a shorter file.
  ///   - byteCount: The length of the whole file.
  ///   - decryption: What to decrypt it with.
  /// - Complexity: O(*s* *i*) in its recipients and the identities; each passphrase takes the
  ///   file's work factor.
  /// - Throws: ``AgeError``: `malformed`, `wrongKey`, `damaged` if the file is cut short.
  public init(
    start: [UInt8], byteCount: Int, with decryption: AgeDecryption
  ) throws(AgeError) {
    let header = try AgeHeader(readingFrom: start)
    let fileKey = try AgeOpener.fileKey(header, decryption)
    guard header.isAuthentic(fileKey) else {
      throw AgeError(.damaged, "its header was changed")
    }
    let end = header.byteCount + AgeSealer.nonceBytes
    guard start.count >= end else { throw AgeOpener.cutShort }
    try self.init(
      AgePayloadKey(fileKey: fileKey, nonce: Array(start[header.byteCount..<end])),
      payloadAt: end, byteCount: byteCount)
  }

  fileprivate init(
    _ key: AgePayloadKey, payloadAt: Int, byteCount: Int
  ) throws(AgeError) {
    self.key = key
    self.payloadAt = payloadAt
    self.byteCount = byteCount
    let payload = byteCount - payloadAt
    guard payload >= AgePayloadKey.tagBytes else { throw AgeOpener.cutShort }
    let last = payload % AgeOpener.sealedBytes
    // Only a file without content has an empty chunk.
    if payload > AgeOpener.sealedBytes, (1...AgePayloadKey.tagBytes).contains(last) {
      throw AgeOpener.cutShort
    }
  }

  private static let cutShort = AgeError(
    .damaged, "it was cut short, or something was added to its end")

  private static func fileKey(
    _ header: AgeHeader, _ decryption: AgeDecryption
  ) throws(AgeError) -> [UInt8] {
    let hasPassphrase = header.stanzas.contains(where: \.isPassphrase)
    if hasPassphrase, header.stanzas.count > 1 {
      throw AgeError(.malformed, "its header has a passphrase and other recipients")
    }
    return hasPassphrase
      ? try fileKey(header, decryption.passphrases)
      : try fileKey(header, decryption.identities)
  }

  private static func fileKey(
    _ header: AgeHeader, _ passphrases: [AgePassphrase]
  ) throws(AgeError) -> [UInt8] {
    if passphrases.isEmpty {
      throw AgeError(.wrongKey, "it is encrypted with a passphrase: name the passphrase")
    }
    for passphrase in passphrases {
      if let key = try header.stanzas[0].fileKey(passphrase) { return key }
    }
    throw AgeError(
      .wrongKey,
      passphrases.count == 1
        ? "the passphrase is wrong"
        : "it is encrypted with another passphrase: none of the \(passphrases.count) decrypts it")
  }

  private static func fileKey(
    _ header: AgeHeader, _ identities: [AgeIdentity]
  ) throws(AgeError) -> [UInt8] {
    if identities.isEmpty {
      throw AgeError(
        .wrongKey, "it is encrypted to keys and not with a passphrase: name an identity")
    }
    // Every part is looked at, so that a malformed one is found after the right one, too.
    var found: [UInt8]?
    for stanza in header.stanzas {
      let key = try stanza.fileKey(identities)
      found = found ?? key
    }
    if let found { return found }
    throw AgeError(
      .wrongKey, "it is encrypted to other keys: none of the identities can decrypt it")
  }

  private var chunkCount: Int {
    max(1, (byteCount - payloadAt + AgeOpener.sealedBytes - 1) / AgeOpener.sealedBytes)
  }

  /// The length of the plain text.
  public var plainByteCount: Int {
    byteCount - payloadAt - chunkCount * AgePayloadKey.tagBytes
  }

  /// Where in the file a chunk is; `nil` after the last one.
  ///
  /// - Parameter chunk: The number of the chunk, from 0.
  public func range(ofChunk chunk: Int) -> Range<Int>? {
    guard chunk < chunkCount else { return nil }
    let start = payloadAt + chunk * AgeOpener.sealedBytes
    return start..<min(start + AgeOpener.sealedBytes, byteCount)
  }

  /// Decrypts a chunk.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the file in the chunk's range.
  ///   - chunk: The number of the chunk, from 0.
  /// - Complexity: O(*n*) in its bytes.
  /// - Throws: ``AgeError``: `damaged` if they are not as they were encrypted.
  public func open(_ bytes: [UInt8], chunk: Int) throws(AgeError) -> [UInt8] {
    let isLast = chunk == chunkCount - 1
    guard
      let plain = key.open(
        bytes, nonce: AgePayloadKey.nonce(ofChunk: UInt64(chunk), isLast: isLast))
    else {
      throw AgeError(
        .damaged,
        isLast
          ? "its end was changed or cut off" : "it was changed in chunk \(chunk + 1)")
    }
    return plain
  }
}
