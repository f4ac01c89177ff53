internal import AgeFiles
internal import Crypto
internal import LMDB
internal import LedgerEvents

/// Writes the file of an increment, piece by piece.
struct IncrementWriter {
  private var file: CopyWriter
  private var pending: [UInt8] = []
  private var hash = SHA256()

  init(_ file: CopyWriter, _ head: [UInt8]) {
    self.file = file
    pending = head
  }

  mutating func add(
    _ table: LogIncrement.Table, _ key: Span<UInt8>, _ value: Span<UInt8>
  ) throws(LMDBError) {
    pending.append(table.rawValue)
    pending.append(UInt8(key.count))
    pending.append(bigEndianHalf: UInt32(value.count))
    pending.append(copying: key)
    pending.append(copying: value)
    if pending.count >= LogIncrement.pieceBytes { try write() }
  }

  /// Ends the file and makes it durable.
  ///
  /// - Returns: What reads it back.
  mutating func finish() throws(LedgerError) -> CopyReader {
    pending.append(0)
    do throws(LMDBError) {
      try write()
      try file.write(Array(hash.finalize()))
    } catch { throw LedgerError(error) }
    return try file.finish()
  }

  private mutating func write() throws(LMDBError) {
    hash.update(data: pending)
    try file.write(pending)
    pending.removeAll(keepingCapacity: true)
  }
}

/// A row of an increment.
struct IncrementRow {
  let table: LogIncrement.Table
  let key: [UInt8]
  let value: [UInt8]
}

/// Reads the file of an increment, and believes nothing in it before its digest was compared.
struct IncrementReader {
  private var file: CopyReader
  private var path: String { file.file.path }
  /// Where the rows end.
  private let end: Int
  private var offset = LogIncrement.headBytes
  private var piece: [UInt8] = []
  private var used = 0
  let increment: LogIncrement

  /// Opens the file of a kind in a backup's folder, plain or encrypted; nil if it holds none.
  ///
  /// - Complexity: O(*n*) in its size: its digest is compared.
  /// - Throws: ``LedgerError``: `corrupt` if it is damaged or cut short, `keysMissing` if it is
  ///   encrypted and `decryption` does not decrypt it, `io`.
  static func open(
    _ kind: LogIncrement.Kind, in folder: String, _ decryption: AgeDecryption?
  ) throws(LedgerError) -> IncrementReader? {
    let path = "\(folder)/\(EventLog.folderName)/\(kind.fileName)"
    let encryptedPath = path + LogIncrement.encryptedSuffix
    let encrypted = try CopyReader(encryptedPath, decryption)
    let plain = try CopyReader(path, decryption)
    guard encrypted == nil || plain == nil else {
      throw LedgerError(
        .corrupt,
        "There are both \(path) and \(encryptedPath): remove the one that is not of this backup.")
    }
    return try (encrypted ?? plain).map { (file) throws(LedgerError) in
      try IncrementReader(kind, file)
    }
  }

  /// Begins to read a file.
  ///
  /// - Complexity: O(*n*) in its size: its digest is compared.
  /// - Throws: ``LedgerError``: `corrupt` if it is damaged, cut short or of another kind, `io`.
  init(_ kind: LogIncrement.Kind, _ file: CopyReader) throws(LedgerError) {
    var reader = file
    guard let increment = try IncrementReader.increment(&reader), increment.kind == kind else {
      throw LedgerError(
        .corrupt, "\(file.file.path) is damaged or was cut short: it is not as it was written.")
    }
    self.file = reader
    self.increment = increment
    end = reader.byteCount - LogIncrement.digestBytes
  }

  /// What the head says; nil if it is none, or the file does not have its digest.
  private static func increment(_ file: inout CopyReader) throws(LedgerError) -> LogIncrement? {
    let end = file.byteCount - LogIncrement.digestBytes
    guard end > LogIncrement.headBytes, try hasDigest(&file, end) else { return nil }
    let head = try file.read(at: 0, count: LogIncrement.headBytes)
    return LogIncrement(head.span)
  }

  private static func hasDigest(
    _ file: inout CopyReader, _ end: Int
  ) throws(LedgerError) -> Bool {
    var hash = SHA256()
    var offset = 0
    while offset < end {
      let piece = try file.read(at: offset, count: min(LogIncrement.pieceBytes, end - offset))
      if piece.isEmpty { return false }
      hash.update(data: piece)
      offset += piece.count
    }
    return try file.read(at: end, count: LogIncrement.digestBytes) == Array(hash.finalize())
  }

  /// The next row; `nil` after the last one.
  mutating func next() throws(LedgerError) -> IncrementRow? {
    let start = try take(1)
    if start[0] == 0, offset - piece.count + used == end { return nil }
    guard let table = LogIncrement.Table(rawValue: start[0]),
      increment.kind.tables.contains(table)
    else { throw malformed }
    let lengths = try take(LogIncrement.rowHeadBytes - 1)
    let count = Int(lengths.span.bigEndianHalf(at: 1))
    guard count <= LogIncrement.valueBytesMax else { throw malformed }
    let key = try take(Int(lengths[0]))
    return IncrementRow(table: table, key: key, value: try take(count))
  }

  private mutating func take(_ count: Int) throws(LedgerError) -> [UInt8] {
    if piece.count - used < count {
      piece.removeFirst(used)
      used = 0
      let wanted = min(max(LogIncrement.pieceBytes, count), end - offset)
      let more = try file.read(at: offset, count: wanted)
      piece += more
      offset += more.count
    }
    guard piece.count - used >= count else { throw malformed }
    defer { used += count }
    return Array(piece[used..<used + count])
  }

  private var malformed: LedgerError {
    LedgerError(.corrupt, "\(path) has the digest that it was written with, and is malformed.")
  }
}
