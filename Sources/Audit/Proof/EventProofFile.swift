public import LedgerStore

/// A proof that an entry is in a log, as a file: the path to a signed root, and the data to
/// interpret the entry.
///
/// Source: c2sp.org/tlog-proof, version 1.
public struct EventProofFile: Sendable {
  /// The data that a verifier needs to rebuild the leaf. It is not authenticated by itself.
  public let extra: [UInt8]?
  public let inclusion: InclusionProof
  public let checkpoint: SignedCheckpoint

  /// The first line.
  static let header = "c2sp.org/tlog-proof@v1"
  /// The maximum size of a file in bytes. An event has at most 1 MiB, and each name in it may need
  /// the entry of another event.
  public static let bytesMax = 1 << 28

  public init(extra: [UInt8]?, inclusion: InclusionProof, checkpoint: SignedCheckpoint) {
    precondition(inclusion.size == checkpoint.size, "the path leads to the signed root")
    self.extra = extra
    self.inclusion = inclusion
    self.checkpoint = checkpoint
  }

  /// Parses a proof without checking it.
  ///
  /// - Throws: ``ProofError``: `malformed`, with the line of the error.
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

  /// The proof as a file's contents. By convention, the file is named `….tlog-proof`.
  public var document: String {
    var text = Self.header + "\n"
    if let extra { text += "extra \(StandardBase64.encode(extra))\n" }
    text += "index \(inclusion.index)\n"
    for hash in inclusion.path { text += StandardBase64.encode(hash.bytes) + "\n" }
    return text + "\n" + checkpoint.document
  }
}

/// Reads the lines of a proof in order.
struct ProofReader {
  /// What the bytes are, for errors.
  private let subject: String
  private let bytes: [UInt8]
  private var start = 0
  /// The number of the last line that was read, from 1.
  private var line = 0

  /// The maximum number of hashes: the levels of a tree of 2⁶³ leaves.
  private static let hashesMax = 64

  init(
    _ bytes: [UInt8], maximum: Int, subject: String = "the proof"
  ) throws(ProofError) {
    guard bytes.count <= maximum else {
      throw .malformed("\(subject) has \(bytes.count) bytes, more than \(maximum)")
    }
    self.subject = subject
    self.bytes = bytes
  }

  /// The bytes after the lines that were read.
  var rest: ArraySlice<UInt8> { bytes[start...] }

  func failure(_ expected: String) -> ProofError {
    .malformed("line \(line) of \(subject): expected \(expected)")
  }

  /// Returns the next line without its end; nil at the end of the file.
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

  /// Returns the value after a line's name and a space; nil if the next line has another name. That
  /// line is then not consumed.
  mutating func value(of name: String) -> Substring? {
    let (before, number) = (start, line)
    guard let found = next(), found.utf8.starts(with: (name + " ").utf8) else {
      (start, line) = (before, number)
      return nil
    }
    return Substring(found.utf8.dropFirst(name.utf8.count + 1))
  }

  /// Returns the number after a line's name and a space.
  mutating func number(of name: String) throws(ProofError) -> UInt64 {
    guard let text = value(of: name) else {
      line += 1
      throw failure("\(name) and a number")
    }
    guard let number = ProofLines.number(text) else { throw failure("\(name) and a number") }
    return number
  }

  /// Returns hashes, one per line, up to an empty line, which is consumed.
  mutating func hashes(maximum: Int = hashesMax) throws(ProofError) -> [TreeHash] {
    var hashes: [TreeHash] = []
    while true {
      guard let text = next() else { throw failure("a hash, or an empty line") }
      if text.isEmpty { return hashes }
      guard hashes.count < maximum, let hash = ProofLines.hash(text) else {
        throw failure("at most \(maximum) hashes of 32 bytes in base64, then an empty line")
      }
      hashes.append(hash)
    }
  }

  /// Whether every byte was read.
  var isAtEnd: Bool { start == bytes.count }

  /// Returns the bytes up to the next empty line, which is consumed: a note's text or its
  /// signatures.
  mutating func paragraph() throws(ProofError) -> ArraySlice<UInt8> {
    let first = start
    while let text = next() {
      if text.isEmpty { return bytes[first..<(start - 1)] }
    }
    throw failure("an empty line")
  }
}
