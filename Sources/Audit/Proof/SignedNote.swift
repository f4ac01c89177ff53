public import LedgerEvents

/// A text with its signatures.
///
/// Source: c2sp.org/signed-note@v1.0.0.
public struct SignedNote: Sendable {
  /// A signature of any kind. Signatures of unknown keys are kept, but not trusted.
  public struct Signature: Sendable, Hashable {
    public let name: Name
    public let identifier: UInt32
    /// The signature; 64 bytes for Ed25519, and 72 for the cosignature of a witness.
    public let bytes: [UInt8]
  }

  /// The text with its last line feed, without the empty line after it.
  public let text: String
  public let signatures: [Signature]

  /// The maximum size of a note in bytes.
  static let bytesMax = 1 << 20
  /// The maximum number of signatures. The format requires at least 16.
  static let signaturesMax = 100

  private static let mark = "\u{2014} "

  init(text: String, signatures: [Signature]) {
    self.text = text
    self.signatures = signatures
  }

  /// Parses a note. Do not trust it before ``signers(of:)`` has returned a key.
  ///
  /// - Throws: ``ProofError``: `malformed`.
  public init(_ bytes: some Sequence<UInt8>) throws(ProofError) {
    let bytes = Array(bytes)
    guard bytes.count <= Self.bytesMax else {
      throw .malformed("the note has \(bytes.count) bytes, more than \(Self.bytesMax)")
    }
    guard let note = String(validating: bytes, as: UTF8.self),
      bytes.allSatisfy({ $0 >= 0x20 || $0 == 0x0A })
    else { throw .malformed("the note has bytes that are not text: expected UTF-8 and line feeds") }
    let lines = note.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.last == "", let blank = lines.dropLast().lastIndex(of: ""), blank > 0 else {
      throw .malformed(
        "the note is not signed: expected a text, an empty line, and lines that begin with a dash")
    }
    let signed = lines[(blank + 1)..<(lines.count - 1)]
    guard !signed.isEmpty, signed.count <= Self.signaturesMax else {
      throw .malformed(
        "the note has \(signed.count.counted("signature")), expected 1 to \(Self.signaturesMax)")
    }
    text = lines[..<blank].map { $0 + "\n" }.joined()
    var signatures: [Signature] = []
    for line in signed { signatures.append(try Self.signature(line)) }
    self.signatures = signatures
  }

  private static func signature(_ line: Substring) throws(ProofError) -> Signature {
    // Split by bytes: a space followed by a combining accent is a different character, but still a
    // space.
    let parts = line.utf8.dropFirst(mark.utf8.count)
      .split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map(Substring.init)
    guard line.utf8.starts(with: mark.utf8), parts.count == 2,
      let name = KeyName.valid(parts[0]), let bytes = StandardBase64.decode(parts[1]),
      bytes.count > 4
    else {
      throw .malformed(
        "a signature line of the note is malformed: expected a dash, the key's name and base64")
    }
    return Signature(
      name: name, identifier: bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) },
      bytes: Array(bytes.dropFirst(4)))
  }

  /// The complete note as a file's contents.
  public var document: String { text + "\n" + Self.lines(of: signatures) }

  /// Returns the lines of signatures, each with its line feed.
  static func lines(of signatures: [Signature]) -> String {
    signatures.map { signature in
      let identifier = stride(from: 24, through: 0, by: -8)
        .map { UInt8(truncatingIfNeeded: signature.identifier >> UInt32($0)) }
      let base64 = StandardBase64.encode(identifier + signature.bytes)
      return "\(Self.mark)\(signature.name.text) \(base64)\n"
    }.joined()
  }

  /// Returns those of `keys` that signed; never an empty array.
  ///
  /// - Throws: ``ProofError``: `notProven` if none of them signed, or if a signature in the name of
  ///   one of them is invalid.
  public func signers(of keys: [NoteVerifier]) throws(ProofError) -> [NoteVerifier] {
    let signed = Array(text.utf8)
    var signers: [NoteVerifier] = []
    for signature in signatures {
      for key in keys
      where key.name == signature.name && key.identifier == signature.identifier {
        guard key.hasSigned(signed, signature.bytes) else {
          throw .notProven(
            "the signature of \(key.name.text) is wrong: the text was changed after it was signed, "
              + "or somebody else signed it")
        }
        if !signers.contains(key) { signers.append(key) }
      }
    }
    guard signers.isEmpty else { return signers }
    throw .notProven(
      "no signature by any of the given keys: it is signed by "
        + Self.list(signatures.map { Self.called($0.name, $0.identifier) })
        + ", and the keys given are "
        + Self.list(keys.map(\.nameAndIdentifier)))
  }

  private static func list(_ keys: [String]) -> String {
    keys.isEmpty ? "nobody" : keys.joined(separator: ", ")
  }

  /// Returns the name and the id of a key. The id distinguishes keys with the same name.
  private static func called(_ name: Name, _ identifier: UInt32) -> String {
    "\(name.text)+\(NoteVerifier.text(ofIdentifier: identifier))"
  }
}
