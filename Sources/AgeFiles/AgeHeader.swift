internal import Crypto
internal import Foundation

/// The header of an age file: the file key, encrypted for each recipient, and a MAC over all that.
struct AgeHeader {
  let stanzas: [AgeStanza]
  /// The bytes that the MAC covers.
  private let covered: [UInt8]
  private let mac: [UInt8]
  /// Its length in the file.
  let byteCount: Int

  /// The longest header that is read: room for hundreds of recipients.
  static let bytesMax = 64 << 10
  static let fileKeyBytes = 16

  private static let version = "age-encryption.org/v1"
  private static let columns = 64

  /// The first bytes of every age file.
  static let mark = Array("age-encryption.org/".utf8)

  /// The header of a new file.
  init(_ stanzas: [AgeStanza], fileKey: [UInt8]) {
    var text = AgeHeader.version + "\n"
    for stanza in stanzas {
      text += "-> " + stanza.arguments.joined(separator: " ") + "\n"
      // The last line is shorter than a full one, so it may be empty.
      var rest = RawBase64.encode(stanza.body)[...]
      while rest.utf8.count >= AgeHeader.columns {
        text += rest.prefix(AgeHeader.columns) + "\n"
        rest = rest.dropFirst(AgeHeader.columns)
      }
      text += rest + "\n"
    }
    covered = Array((text + "---").utf8)
    mac = Array(
      HMAC<SHA256>.authenticationCode(for: covered, using: AgeHeader.macKey(fileKey)))
    self.stanzas = stanzas
    byteCount = covered.count + 1 + RawBase64.encode(mac).utf8.count + 1
  }

  var bytes: [UInt8] { covered + Array((" " + RawBase64.encode(mac) + "\n").utf8) }

  /// Reads the header at the beginning of `start`.
  ///
  /// - Throws: ``AgeError``: `malformed`.
  init(readingFrom start: [UInt8]) throws(AgeError) {
    guard start.starts(with: AgeHeader.mark) else {
      throw AgeError(
        .malformed,
        start.starts(with: Array("-----BEGIN AGE".utf8))
          ? "it is an armored age file: turn it into a binary one with `age` first"
          : "it is not an age file")
    }
    var reader = LineReader(start.prefix(AgeHeader.bytesMax))
    guard try reader.line() == AgeHeader.version else {
      throw AgeError(.malformed, "it has a version of the age format that is not known")
    }
    var stanzas: [AgeStanza] = []
    var line = try reader.line()
    while line.hasPrefix("-> ") {
      stanzas.append(try AgeHeader.stanza(line, &reader))
      line = try reader.line()
    }
    guard !stanzas.isEmpty, line.hasPrefix("--- "),
      let mac = RawBase64.decode(line.dropFirst(4)), mac.count == SHA256.byteCount
    else { throw LineReader.malformed }
    self.stanzas = stanzas
    self.mac = mac
    byteCount = reader.offset
    covered = Array(start[..<(byteCount - line.utf8.count - 1 + 3)])
  }

  private static func stanza(
    _ line: String, _ reader: inout LineReader
  ) throws(AgeError) -> AgeStanza {
    let arguments = line.dropFirst(3).split(separator: " ", omittingEmptySubsequences: false)
    guard arguments.allSatisfy({ !$0.isEmpty }) else { throw LineReader.malformed }
    var body: [UInt8] = []
    while true {
      let line = try reader.line()
      guard line.utf8.count <= columns, let bytes = RawBase64.decode(line) else {
        throw LineReader.malformed
      }
      body += bytes
      if line.utf8.count < columns {
        return AgeStanza(arguments: arguments.map(String.init), body: body)
      }
    }
  }

  /// Whether the MAC is the one for a file key.
  func isAuthentic(_ fileKey: [UInt8]) -> Bool {
    HMAC<SHA256>.isValidAuthenticationCode(
      mac, authenticating: covered, using: AgeHeader.macKey(fileKey))
  }

  private static func macKey(_ fileKey: [UInt8]) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: fileKey), info: Array("header".utf8),
      outputByteCount: SHA256.byteCount)
  }
}

/// The lines of a header: printable ASCII, each with a line feed at its end.
private struct LineReader {
  private let bytes: ArraySlice<UInt8>
  private(set) var offset = 0

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  static var malformed: AgeError {
    AgeError(.malformed, "its header is malformed, or was cut short")
  }

  mutating func line() throws(AgeError) -> String {
    guard let end = bytes[offset...].firstIndex(of: UInt8(ascii: "\n")),
      bytes[offset..<end].allSatisfy({ (0x20...0x7E).contains($0) })
    else { throw LineReader.malformed }
    defer { offset = end + 1 }
    return String(decoding: bytes[offset..<end], as: UTF8.self)
  }
}
