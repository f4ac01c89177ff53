import Crypto
import LedgerEvents

/// The id of an event that was created from a fact in a file of the store.
///
/// It has the form `receipt:<app>:<environment>:<transaction>:<fact>`, so a fact that is in two
/// files becomes one event. Everything that a later file could state differently, or that an option
/// determines, comes after that. First come the times of the fact in milliseconds, as plain text:
/// of two statements about one period, the one with the later end is then last in the fold order. A
/// digest of the rest follows, under a key that only the ledger has, so that nobody can guess the
/// rest from it. Two events with the same id therefore have the same content, in whatever order
/// files are imported.
///
/// If the id would be too long, `<app>:<environment>:<transaction>` is replaced by its digest in
/// hexadecimal digits. A colon inside a part is written as `%3A` and a percent sign as `%25`, so
/// that no two facts share an id.
struct FactIdentifier {
  /// The bundle identifier; empty if unknown.
  var app: String
  /// The environment; empty if unknown.
  var environment: String
  /// The transaction identifier, or the original transaction identifier for a fact about the chain.
  var transaction: String
  /// `purchased`, `renewed`, `refunded` …
  var fact: String
  /// The times of the fact.
  var moments: [Instant] = []
  /// Other values that can differ between two statements of the fact. If this is empty, the id has
  /// no digest.
  var varying: [String] = []
  /// The key of digests (``ImportOptions/digestKey``).
  var key: [UInt8]

  /// - Complexity: O(*n*) in the length of the parts.
  var name: Name {
    let subject = [app, environment, transaction].map(Self.escaped).joined(separator: ":")
    let rest = ([fact] + suffix).joined(separator: ":")
    let plain = "receipt:\(subject):\(rest)"
    if plain.utf8.count <= eventIDBytesMax { return Name(plain) }
    let hashed = "receipt:\(Digest.hex([subject], key: key)):\(rest)"
    if hashed.utf8.count <= eventIDBytesMax { return Name(hashed) }
    return Name("receipt:\(Digest.hex([subject, rest], key: key))")
  }

  private var suffix: [String] {
    var parts: [String] = []
    var digested = varying
    if !moments.isEmpty {
      parts.append(moments.map { String($0.microseconds / 1_000) }.joined(separator: "-"))
      for moment in moments where moment.microseconds % 1_000 != 0 {
        digested.append(String(moment.microseconds))
      }
    }
    if !digested.isEmpty {
      parts.append(String(Digest.hex(digested, key: key).prefix(digestCharactersMax)))
    }
    return parts
  }

  /// Returns a part in which no colon stands.
  static func escaped(_ part: String) -> String {
    var bytes: [UInt8] = []
    for byte in part.utf8 {
      switch byte {
      case UInt8(ascii: "%"): bytes.append(contentsOf: "%25".utf8)
      case UInt8(ascii: ":"): bytes.append(contentsOf: "%3A".utf8)
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The length of the digest at the end of an id, in hexadecimal digits. 64 bits are enough to
/// distinguish the few statements about one fact, and the longest id with a hashed subject has 128
/// bytes.
let digestCharactersMax = 16

/// Computes hashes as lowercase hexadecimal digits.
package enum Digest {
  /// Returns the digest of a list of texts. Each text is preceded by its length, so that different
  /// lists never have the same bytes.
  package static func hex(_ parts: [String]) -> String { hex(of: bytes(of: parts)) }

  /// Returns the digest of a list of texts under a key (HMAC with SHA-256, RFC 2104). Without
  /// the key, nobody can guess the texts from the digest.
  static func hex(_ parts: [String], key: [UInt8]) -> String {
    digits(
      HMAC<SHA256>.authenticationCode(for: bytes(of: parts), using: SymmetricKey(data: key)))
  }

  /// Returns the digest of some bytes.
  ///
  /// - Complexity: O(*n*) in the number of bytes.
  package static func hex(of bytes: [UInt8]) -> String { digits(SHA256.hash(data: bytes)) }

  private static func bytes(of parts: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    for part in parts {
      bytes.append(contentsOf: "\(part.utf8.count):".utf8)
      bytes.append(contentsOf: part.utf8)
    }
    return bytes
  }

  private static func digits(_ digest: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in digest {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension EventData {
  /// The members as texts, for a digest.
  var contents: [String] {
    members.flatMap { [$0.name, String(decoding: $0.json, as: UTF8.self)] }
  }
}

extension EventData.Builder {
  /// The members as texts, for a digest.
  var contents: [String] { build().contents }
}
