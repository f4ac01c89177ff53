internal import Crypto
internal import Foundation
public import LedgerEvents

/// A key that verifies signatures: a name and an Ed25519 public key, as in C2SP signed notes.
///
/// Source: c2sp.org/signed-note, "Verifier keys"; the same text as golang.org/x/mod/sumdb/note.
public struct NoteVerifier: Sendable, Hashable {
  /// What a key signs. The raw value is the signature type of c2sp.org/signed-note.
  public enum Kind: UInt8, Sendable, Hashable {
    /// The key of a log, which signs notes.
    case log = 0x01
    /// The key of a witness, which cosigns checkpoints together with the time
    /// (c2sp.org/tlog-cosignature).
    case witness = 0x04
  }

  /// The key's name, which a log's checkpoints use as their origin.
  public let name: Name
  /// What the key signs.
  public let kind: Kind
  /// The first four bytes of SHA-256(name ‖ 0x0A ‖ kind ‖ public key), big-endian.
  public let identifier: UInt32
  /// The public key, 32 bytes (RFC 8032).
  public let publicKey: [UInt8]

  init(name: Name, kind: Kind = .log, publicKey: [UInt8]) {
    self.name = name
    self.kind = kind
    self.publicKey = publicKey
    identifier = Self.identifier(name, kind, publicKey)
  }

  /// Parses `name+hexadecimal id+base64(kind ‖ public key)`.
  ///
  /// - Throws: ``ProofError``: `badKey`.
  public init(_ text: String) throws(ProofError) {
    let parts = text.split(separator: "+", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let name = KeyName.valid(parts[0]) else {
      throw ProofError(
        .badKey, "this is no verifier key: expected name+id+base64 as `daybook key show` prints it")
    }
    guard let bytes = StandardBase64.decode(parts[2]), bytes.count == 33,
      let kind = Kind(rawValue: bytes[0])
    else {
      throw ProofError(
        .badKey,
        "the verifier key of \(name.text) holds no Ed25519 key: expected 33 bytes in base64")
    }
    self.init(name: name, kind: kind, publicKey: Array(bytes.dropFirst()))
    guard parts[1].utf8.elementsEqual(identifierText.utf8) else {
      throw ProofError(
        .badKey,
        "the verifier key of \(name.text) says the id \(parts[1]) and its key has "
          + "\(identifierText): a letter of it is wrong")
    }
  }

  /// The verifier key as text, for publication.
  public var text: String {
    "\(name.text)+\(identifierText)+" + StandardBase64.encode([kind.rawValue] + publicKey)
  }

  /// The name and the id, which distinguishes keys with the same name.
  public var nameAndIdentifier: String { "\(name.text)+\(identifierText)" }

  var identifierText: String { Self.text(ofIdentifier: identifier) }

  /// Returns an identifier as eight hexadecimal digits.
  static func text(ofIdentifier identifier: UInt32) -> String {
    let digits = String(identifier, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  /// Returns whether `signature` is one by this key over the text of a note.
  func hasSigned(_ text: [UInt8], _ signature: [UInt8]) -> Bool {
    switch kind {
    case .log: return isSignature(signature, of: text)
    case .witness:
      guard let stamped = TimestampedSignature(signature) else { return false }
      return isSignature(
        stamped.signature, of: TimestampedSignature.message(of: text, at: stamped.time))
    }
  }

  /// Returns whether `signature` is the Ed25519 signature of exactly these bytes.
  func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    do {
      let key = try Curve25519.Signing.PublicKey(rawRepresentation: publicKey)
      return key.isValidSignature(signature, for: message)
    } catch {
      // 32 bytes that are not a point on the curve cannot have signed anything.
      return false
    }
  }

  private static func identifier(_ name: Name, _ kind: Kind, _ publicKey: [UInt8]) -> UInt32 {
    let hash = SHA256.hash(data: Array(name.text.utf8) + [0x0A, kind.rawValue] + publicKey)
    return hash.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }
}

/// A key that signs notes or cosigns checkpoints. Whoever has a ledger's key can sign a forged
/// ledger.
///
/// Source: golang.org/x/mod/sumdb/note, "Signing Notes".
public struct NoteSigner: NoteSigning {
  private let seed: [UInt8]
  /// The key that verifies what this key signs.
  public let verifier: NoteVerifier

  private static let prefix = "PRIVATE+KEY+"

  /// Generates a new key.
  ///
  /// - Parameters:
  ///   - name: The name, like a URL without its scheme.
  ///   - kind: What the key signs.
  /// - Throws: ``ProofError``: `badKey` if the name is invalid.
  public init(name: String, kind: NoteVerifier.Kind = .log) throws(ProofError) {
    try self.init(
      name: name, kind: kind, seed: [UInt8](Curve25519.Signing.PrivateKey().rawRepresentation))
  }

  /// Returns whether a key can have that name.
  public static func isName(_ text: String) -> Bool { KeyName.valid(text) != nil }

  init(
    name: String, kind: NoteVerifier.Kind = .log, seed: [UInt8]
  ) throws(ProofError) {
    guard let name = KeyName.valid(name) else {
      throw ProofError(
        .badKey,
        "a key's name has no spaces, control characters or +: such as books.example.com/ledger")
    }
    let key: Curve25519.Signing.PrivateKey
    do { key = try Curve25519.Signing.PrivateKey(rawRepresentation: seed) } catch {
      throw ProofError(.badKey, "the key of \(name.text) has \(seed.count) bytes instead of 32")
    }
    self.seed = seed
    verifier = NoteVerifier(
      name: name, kind: kind, publicKey: [UInt8](key.publicKey.rawRepresentation))
  }

  /// Parses `PRIVATE+KEY+name+hexadecimal id+base64(kind ‖ seed)`.
  ///
  /// - Throws: ``ProofError``: `badKey`. The message never contains any part of the key.
  public init(_ text: String) throws(ProofError) {
    let parts = text.dropFirst(Self.prefix.count)
      .split(separator: "+", maxSplits: 2, omittingEmptySubsequences: false)
    guard text.hasPrefix(Self.prefix), parts.count == 3,
      let bytes = StandardBase64.decode(parts[2]), bytes.count == 33,
      let kind = NoteVerifier.Kind(rawValue: bytes[0])
    else {
      throw ProofError(
        .badKey, "this is no signing key: expected one line as `daybook key new` writes it")
    }
    try self.init(name: String(parts[0]), kind: kind, seed: Array(bytes.dropFirst()))
    guard parts[1].utf8.elementsEqual(verifier.identifierText.utf8) else {
      throw ProofError(.badKey, "the signing key's id is not that of its key: it was changed")
    }
  }

  /// The signing key as text. Keep it secret.
  public var secretText: String {
    "\(Self.prefix)\(verifier.name.text)+\(verifier.identifierText)+"
      + StandardBase64.encode([verifier.kind.rawValue] + seed)
  }

  /// Signs bytes with the key.
  ///
  /// - Parameter message: The bytes to sign.
  /// - Throws: ``ProofError``: `badKey`.
  public func signature(of message: [UInt8]) throws(ProofError) -> [UInt8] {
    do {
      let key = try Curve25519.Signing.PrivateKey(rawRepresentation: seed)
      return [UInt8](try key.signature(for: message))
    } catch {
      throw ProofError(.badKey, "the key of \(verifier.name.text) does not sign: \(error)")
    }
  }
}

/// The rules for names of keys.
enum KeyName {
  /// Returns the name if it is not empty and contains no Unicode spaces, control characters or `+`
  /// (c2sp.org/signed-note, "Format").
  static func valid(_ text: some StringProtocol) -> Name? {
    let isValid = text.unicodeScalars.allSatisfy { scalar in
      !scalar.properties.isWhitespace && scalar.value >= 0x20 && scalar.value != 0x7F
        && scalar != "+"
    }
    return isValid && !text.isEmpty ? Name(String(text)) : nil
  }
}
