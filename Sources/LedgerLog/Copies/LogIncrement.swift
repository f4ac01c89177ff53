internal import Crypto
internal import LMDB
internal import LedgerEvents

/// The rows that a log has gained between two positions, in one file: an incremental backup.
///
/// The head states the position and root that the increment follows, and those that it leads to. So
/// increments form a chain that begins with a full backup. If one is missing, out of order or from
/// another ledger, it is rejected. The nodes of the tree are not included; they are hashed again
/// when the increment is applied.
///
/// ```
/// head      0  16  "daybook part 1\n\0"
///          16  16  the ledger's id
///          32  32  the digest of the head of the ledger's key file
///          64   8  the position that it follows, big-endian
///          72  32  the root there
///         104   8  its last position, big-endian
///         112  32  the root there
/// a row     0   1  the table: 1 names, 2 people, 3 personal, 4 erased, 5 records
///           1   1  the length of the key
///           2   4  the length of the value, big-endian
///           6      the key, then the value
/// the end       1  0, and then SHA-256 over everything before it including the 0, 32 bytes
/// ```
package struct LogIncrement {
  /// The name of the file in a backup's folder `log`.
  package static let fileName = "increment"

  /// The position that it follows, and the root there.
  package let since: KeptRoot
  /// Its last position, and the root there.
  package let through: KeptRoot
  let ledger: [UInt8]
  let keysDigest: [UInt8]

  static let mark = Array("daybook part 1\n\0".utf8)
  static let headBytes = 144
  static let rowHeadBytes = 6
  static let digestBytes = 32
  /// The number of bytes that are read or written at a time.
  static let pieceBytes = 1 << 20
  /// A limit above the size of every value in the log. A longer value means damage.
  static let valueBytesMax = 64 << 20

  /// The tables whose rows it contains. Records come last, because their leaves need everything
  /// else.
  enum Table: UInt8, CaseIterable {
    case names = 1
    case people, personal, erased, records

    func of(_ tables: LogTables) -> LMDB.Table {
      switch self {
      case .names: tables.names
      case .people: tables.people
      case .personal: tables.personal
      case .erased: tables.erased
      case .records: tables.records
      }
    }
  }

  init(since: KeptRoot, through: KeptRoot, _ identity: LogIdentity) {
    self.since = since
    self.through = through
    ledger = identity.ledger
    keysDigest = identity.keysDigest
  }

  /// Reads a head; `nil` if the bytes are not a head.
  init?(_ bytes: Span<UInt8>) {
    guard bytes.count == LogIncrement.headBytes,
      [UInt8](copying: bytes.extracting(0..<16)) == LogIncrement.mark,
      let before = TreeHash(bytes.extracting(72..<104)),
      let after = TreeHash(bytes.extracting(112..<144))
    else { return nil }
    ledger = [UInt8](copying: bytes.extracting(16..<32))
    keysDigest = [UInt8](copying: bytes.extracting(32..<64))
    since = KeptRoot(position: bytes.bigEndianWord(at: 64), root: before)
    through = KeptRoot(position: bytes.bigEndianWord(at: 104), root: after)
  }

  var head: [UInt8] {
    var bytes = LogIncrement.mark + ledger + keysDigest
    for end in [since, through] {
      bytes.append(bigEndianWord: end.position)
      end.root.append(to: &bytes)
    }
    return bytes
  }
}

/// Writes the file of an increment, piece by piece.
struct IncrementWriter {
  private let file: FlatFile
  private var offset = 0
  private var pending: [UInt8] = []
  private var hash = SHA256()

  init(_ file: FlatFile, _ head: [UInt8]) {
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
  /// - Returns: The digest at its end.
  mutating func finish() throws(LMDBError) -> [UInt8] {
    pending.append(0)
    try write()
    let digest = Array(hash.finalize())
    try file.write(digest, at: offset)
    try file.sync()
    return digest
  }

  private mutating func write() throws(LMDBError) {
    hash.update(data: pending)
    try file.write(pending, at: offset)
    offset += pending.count
    pending.removeAll(keepingCapacity: true)
  }
}

/// A row of an increment.
struct IncrementRow {
  let table: LogIncrement.Table
  let key: [UInt8]
  let value: [UInt8]
}

/// Reads the file of an increment. Nothing in it is used before its digest has been compared.
struct IncrementReader {
  private let file: FlatFile
  private let path: String
  /// The offset at which the rows end.
  private let end: Int
  private var offset = LogIncrement.headBytes
  private var piece: [UInt8] = []
  private var place = 0
  let increment: LogIncrement

  /// Opens the increment in a backup's folder; `nil` if there is none.
  ///
  /// - Complexity: O(*n*) in its size, because its digest is compared.
  /// - Throws: ``LedgerError``: `corrupt` if it is damaged or cut short, `io`.
  static func open(in folder: String) throws(LedgerError) -> IncrementReader? {
    let path = "\(folder)/\(EventLog.folderName)/\(LogIncrement.fileName)"
    do throws(LMDBError) {
      guard let file = try FlatFile.open(path, isWritable: false) else { return nil }
      let end = try file.size() - LogIncrement.digestBytes
      if end > LogIncrement.headBytes, try hasDigest(file, end) {
        let head = try file.read(at: 0, count: LogIncrement.headBytes)
        if let increment = LogIncrement(head.span) {
          return IncrementReader(file, path, end: end, increment)
        }
      }
    } catch { throw LedgerError(error) }
    throw LedgerError(
      .corrupt, "\(path) is damaged or was cut short: it is not as it was written.")
  }

  private init(_ file: FlatFile, _ path: String, end: Int, _ increment: LogIncrement) {
    self.file = file
    self.path = path
    self.end = end
    self.increment = increment
  }

  private static func hasDigest(_ file: FlatFile, _ end: Int) throws(LMDBError) -> Bool {
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

  /// Returns the next row, or `nil` after the last one.
  mutating func next() throws(LedgerError) -> IncrementRow? {
    let start = try take(1)
    if start[0] == 0, offset - piece.count + place == end { return nil }
    guard let table = LogIncrement.Table(rawValue: start[0]) else { throw malformed }
    let lengths = try take(LogIncrement.rowHeadBytes - 1)
    let count = Int(lengths.span.bigEndianHalf(at: 1))
    guard count <= LogIncrement.valueBytesMax else { throw malformed }
    let key = try take(Int(lengths[0]))
    return IncrementRow(table: table, key: key, value: try take(count))
  }

  private mutating func take(_ count: Int) throws(LedgerError) -> [UInt8] {
    if piece.count - place < count {
      piece.removeFirst(place)
      place = 0
      let wanted = min(max(LogIncrement.pieceBytes, count), end - offset)
      do throws(LMDBError) {
        let more = try file.read(at: offset, count: wanted)
        piece += more
        offset += more.count
      } catch { throw LedgerError(error) }
    }
    guard piece.count - place >= count else { throw malformed }
    defer { place += count }
    return Array(piece[place..<place + count])
  }

  private var malformed: LedgerError {
    LedgerError(.corrupt, "\(path) has the digest that it was written with, and is malformed.")
  }
}
