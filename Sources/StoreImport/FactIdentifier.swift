import Crypto
import LedgerEvents

/// The id of an event that was made of a fact in a file of the store.
///
/// `receipt:<app>:<environment>:<transaction>:<fact>`, so that one fact in two files is one event.
/// What the store may tell differently tomorrow, or the options name, follows it: the moments
/// that date the fact in milliseconds, in plain text, so that of two statements about one period
/// the one with the later end comes last in the fold's order; then a digest of all the rest. Two
/// events with one id therefore have one content, in whatever order files are imported.
///
/// Where that is longer than an id may be, `<app>:<environment>:<transaction>` is replaced by the
/// hexadecimal SHA-256 of these bytes. A colon inside a part is written `%3A` and a percent sign
/// `%25`, so that no two facts share an id.
struct FactIdentifier {
  /// Empty where nothing says it.
  var app: String
  /// Empty where nothing says it.
  var environment: String
  /// The transaction's identifier, or the original's for a fact about the chain.
  var transaction: String
  /// `purchased`, `renewed`, `refunded` …
  var fact: String
  /// What dates the fact.
  var moments: [Instant] = []
  /// The rest of what may differ between two statements of the fact; no digest where it is empty.
  var varying: [String] = []

  /// - Complexity: O(*n*) in the length of the parts.
  var name: Name {
    let subject = [app, environment, transaction].map(Self.escaped).joined(separator: ":")
    let rest = ([fact] + suffix).joined(separator: ":")
    let plain = "receipt:\(subject):\(rest)"
    if plain.utf8.count <= eventIDBytesMax { return Name(plain) }
    let hashed = "receipt:\(Digest.hex([subject])):\(rest)"
    if hashed.utf8.count <= eventIDBytesMax { return Name(hashed) }
    return Name("receipt:\(Digest.hex([subject, rest]))")
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
      parts.append(String(Digest.hex(digested).prefix(digestCharactersMax)))
    }
    return parts
  }

  private static func escaped(_ part: String) -> String {
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

/// The length of the digest at the end of an id, in hexadecimal digits: 64 bits tell the few
/// statements about one fact apart, and the longest id with a hashed subject has 128 bytes.
let digestCharactersMax = 16

/// SHA-256, as lower-case hexadecimal digits.
package enum Digest {
  /// Of a list of texts, each with its length before it, so that no two lists are one text.
  package static func hex(_ parts: [String]) -> String {
    var bytes: [UInt8] = []
    for part in parts {
      bytes.append(contentsOf: "\(part.utf8.count):".utf8)
      bytes.append(contentsOf: part.utf8)
    }
    return hex(of: bytes)
  }

  /// - Complexity: O(*n*) in the number of bytes.
  static func hex(of bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in SHA256.hash(data: bytes) {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension EventData.Builder {
  /// What was set, as texts for a digest.
  var contents: [String] {
    build().members.flatMap { [$0.name, String(decoding: $0.json, as: UTF8.self)] }
  }
}
