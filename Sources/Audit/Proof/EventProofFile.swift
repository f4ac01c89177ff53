public import LedgerStore

/// A proof that an entry stands in a log, as a file: the path to a signed root, and what the entry
/// is.
///
/// Source: c2sp.org/tlog-proof, version 1.
public struct EventProofFile: Sendable {
  /// What a verifier needs to make the leaf; it is not authenticated by itself.
  public let extra: [UInt8]?
  public let inclusion: InclusionProof
  public let checkpoint: SignedCheckpoint

  /// The first line.
  static let header = "c2sp.org/tlog-proof@v1"
  /// A file of more bytes is refused: an event has 1 MiB at most, and each name in it may need
  /// another one's entry.
  public static let bytesMax = 1 << 28

  public init(extra: [UInt8]?, inclusion: InclusionProof, checkpoint: SignedCheckpoint) {
    precondition(inclusion.size == checkpoint.size, "the path leads to the signed root")
    self.extra = extra
    self.inclusion = inclusion
    self.checkpoint = checkpoint
  }

  /// Reads a proof; nothing of it is believed by that.
  ///
  /// - Throws: ``ProofError``: `malformed`, with the line that is wrong.
  public init(_ bytes: [UInt8]) throws(ProofError) {
    var reader = try ProofReader(bytes, maximum: Self.bytesMax)
    try reader.expect(Self.header)
    if let base64 = reader.value(of: "extra") {
      guard let found = StandardBase64.decode(base64) else {
        throw reader.failure("extra data in base64")
      }
      extra = found
    } else {
      extra = nil
    }
    let index = try reader.number(of: "index")
    let path = try reader.hashes()
    checkpoint = try SignedCheckpoint(reader.rest)
    inclusion = InclusionProof(index: index, size: checkpoint.size, path: path)
  }

  /// The proof as it is written to files, by convention named `….tlog-proof`.
  public var document: String {
    var text = Self.header + "\n"
    if let extra { text += "extra \(StandardBase64.encode(extra))\n" }
    text += "index \(inclusion.index)\n"
    for hash in inclusion.path { text += StandardBase64.encode(hash.bytes) + "\n" }
    return text + "\n" + checkpoint.document
  }
}

/// Reads the lines of a proof, from the first on.
struct ProofReader {
  private let bytes: [UInt8]
  private var start = 0
  /// The number of the line that was read last, from 1.
  private var line = 0

  /// More hashes than a tree of 2⁶³ leaves has levels are refused.
  private static let hashesMax = 64

  init(_ bytes: [UInt8], maximum: Int) throws(ProofError) {
    guard bytes.count <= maximum else {
      throw .malformed("the proof has \(bytes.count) bytes, more than \(maximum)")
    }
    self.bytes = bytes
  }

  /// What is behind the lines that were read.
  var rest: ArraySlice<UInt8> { bytes[start...] }

  func failure(_ expected: String) -> ProofError {
    .malformed("line \(line) of the proof: expected \(expected)")
  }

  /// The line that comes next, without its end; nil at the end of the file.
  private mutating func next() -> Substring? {
    guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")),
      let text = String(validating: bytes[start..<end], as: UTF8.self)
    else {
      line += 1
      return nil
    }
    start = end + 1
    line += 1
    return Substring(text)
  }

  mutating func expect(_ text: String) throws(ProofError) {
    guard let found = next(), found.utf8.elementsEqual(text.utf8) else { throw failure(text) }
  }

  /// The value behind a line's name and a space; nil where the next line has another name, which is
  /// then still to be read.
  mutating func value(of name: String) -> Substring? {
    let (before, number) = (start, line)
    guard let found = next(), found.utf8.starts(with: (name + " ").utf8) else {
      (start, line) = (before, number)
      return nil
    }
    return Substring(found.utf8.dropFirst(name.utf8.count + 1))
  }

  /// The number behind a line's name and a space.
  mutating func number(of name: String) throws(ProofError) -> UInt64 {
    guard let text = value(of: name) else {
      line += 1
      throw failure("\(name) and a number")
    }
    guard let number = ProofLines.number(text) else { throw failure("\(name) and a number") }
    return number
  }

  /// Hashes, one a line, up to the empty line, which is read, too.
  mutating func hashes() throws(ProofError) -> [TreeHash] {
    var hashes: [TreeHash] = []
    while true {
      guard let text = next() else { throw failure("a hash, or an empty line") }
      if text.isEmpty { return hashes }
      guard hashes.count < Self.hashesMax, let hash = ProofLines.hash(text) else {
        throw failure("at most \(Self.hashesMax) hashes of 32 bytes in base64, then an empty line")
      }
      hashes.append(hash)
    }
  }

  /// The bytes up to the next empty line and, with it, read: a note's text or its signatures.
  mutating func paragraph() throws(ProofError) -> ArraySlice<UInt8> {
    let first = start
    while let text = next() {
      if text.isEmpty { return bytes[first..<(start - 1)] }
    }
    throw failure("an empty line")
  }
}
