internal import LMDB
internal import LedgerEvents

/// The events of a log between two positions, in one file: an incremental backup, or an encrypted
/// full backup.
///
/// The head states the position and root at which the file begins, and those at which it ends. So
/// increments form a chain that begins with a full backup. If one is missing, out of order or from
/// another ledger, the next one is rejected. The nodes of the tree are not included. They are
/// computed again when the increment is applied.
///
/// A full backup also has the rows of `meta`, so that a log can be created from it alone. Both
/// kinds may be encrypted as a whole, in the age format.
///
/// ```
/// head      0  16  "daybook part 1\n\0", or "daybook full 1\n\0" for a full backup
///          16  16  the ledger's id
///          32  32  the digest of the head of the ledger's key file
///          64   8  the position after which it begins, big-endian
///          72  32  the root there
///         104   8  its last position, big-endian
///         112  32  the root there
/// a row     0   1  the table: 1 names, 2 people, 3 personal, 4 erased, 5 records, 6 meta
///           1   1  the length of the key
///           2   4  the length of the value, big-endian
///           6      the key, then the value
/// the end       1  0, and then SHA-256 over everything before it including the 0, 32 bytes
/// ```
package struct LogIncrement {
  /// The content of a file.
  package enum Kind: CaseIterable {
    /// The events after a position.
    case increment
    /// Everything, so that a log can be created from it.
    case full

    /// The name of the file in a backup's folder `log`, without the suffix `.age` of an encrypted
    /// one.
    package var fileName: String {
      switch self {
      case .increment: "increment"
      case .full: "full"
      }
    }

    fileprivate var mark: [UInt8] {
      switch self {
      case .increment: Array("daybook part 1\n\0".utf8)
      case .full: Array("daybook full 1\n\0".utf8)
      }
    }

    /// The tables whose rows it has. Records come last, because their leaves need everything else.
    var tables: [Table] {
      let rows: [Table] = [.names, .people, .personal, .erased, .records]
      return self == .full ? [.meta] + rows : rows
    }
  }

  /// The suffix of the names of encrypted files.
  package static let encryptedSuffix = ".age"

  package let kind: Kind
  /// The position after which it begins, and the root there.
  package let since: KeptRoot
  /// Its last position, and the root there.
  package let through: KeptRoot
  let ledger: [UInt8]
  let keysDigest: [UInt8]

  static let headBytes = 144
  static let rowHeadBytes = 6
  static let digestBytes = 32
  /// The number of bytes that are read or written at a time.
  static let pieceBytes = 1 << 20
  /// A limit above the size of every value in the log. A longer value means damage.
  static let valueBytesMax = 64 << 20

  /// A table of the log, by its number in the file.
  enum Table: UInt8 {
    case names = 1
    case people, personal, erased, records, meta

    func of(_ tables: LogTables) -> LMDB.Table {
      switch self {
      case .names: tables.names
      case .people: tables.people
      case .personal: tables.personal
      case .erased: tables.erased
      case .records: tables.records
      case .meta: tables.meta
      }
    }
  }

  init(_ kind: Kind, since: KeptRoot, through: KeptRoot, _ identity: LogIdentity) {
    self.kind = kind
    self.since = since
    self.through = through
    ledger = identity.ledger
    keysDigest = identity.keysDigest
  }

  /// Reads a head; `nil` if the bytes are not a head.
  init?(_ bytes: Span<UInt8>) {
    guard bytes.count == LogIncrement.headBytes,
      let kind = Kind.allCases.first(where: {
        $0.mark == [UInt8](copying: bytes.extracting(0..<16))
      }),
      let before = TreeHash(bytes.extracting(72..<104)),
      let after = TreeHash(bytes.extracting(112..<144))
    else { return nil }
    self.kind = kind
    ledger = [UInt8](copying: bytes.extracting(16..<32))
    keysDigest = [UInt8](copying: bytes.extracting(32..<64))
    since = KeptRoot(position: bytes.bigEndianWord(at: 64), root: before)
    through = KeptRoot(position: bytes.bigEndianWord(at: 104), root: after)
  }

  var head: [UInt8] {
    var bytes = kind.mark + ledger + keysDigest
    for end in [since, through] {
      bytes.append(bigEndianWord: end.position)
      end.root.append(to: &bytes)
    }
    return bytes
  }
}
