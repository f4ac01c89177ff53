internal import CLMDB

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

extension LMDBError {
  /// The kind of a failure.
  public enum Code: Sendable, Hashable {
    // Return codes of LMDB.
    case keyExists, pageNotFound, corrupted, panic, versionMismatch, invalidFile, mapFull
    case tablesFull, readersFull, threadSlotsFull, transactionFull, cursorFull, pageFull
    case mapResized, incompatible, badReaderSlot, badTransaction, badValueSize, badTable

    // Failures that the wrapper detects itself.
    case alreadyOpen, closed, forked, truncated, networkFileSystem, environmentFailed
    case transactionsOpen, writeInProgress, readOnly, keySize, valueSize, outOfOrder
    case missing, badArgument

    /// An error of the operating system, with its `errno`.
    case system(Int32)

    /// A return code that this version of the wrapper does not know.
    case unknown(Int32)
  }
}

extension LMDBError.Code {
  /// Translates the return code `status`; positive codes are values of `errno`.
  init(status: Int32) {
    switch status {
    case MDB_KEYEXIST: self = .keyExists
    case MDB_PAGE_NOTFOUND: self = .pageNotFound
    case MDB_CORRUPTED: self = .corrupted
    case MDB_PANIC: self = .panic
    case MDB_VERSION_MISMATCH: self = .versionMismatch
    case MDB_INVALID: self = .invalidFile
    case MDB_MAP_FULL: self = .mapFull
    case MDB_DBS_FULL: self = .tablesFull
    case MDB_READERS_FULL: self = .readersFull
    case MDB_TLS_FULL: self = .threadSlotsFull
    case MDB_TXN_FULL: self = .transactionFull
    case MDB_CURSOR_FULL: self = .cursorFull
    case MDB_PAGE_FULL: self = .pageFull
    case MDB_MAP_RESIZED: self = .mapResized
    case MDB_INCOMPATIBLE: self = .incompatible
    case MDB_BAD_RSLOT: self = .badReaderSlot
    case MDB_BAD_TXN: self = .badTransaction
    case MDB_BAD_VALSIZE: self = .badValueSize
    case MDB_BAD_DBI: self = .badTable
    case MDB_NOTFOUND: self = .missing
    case 1...: self = .system(status)
    default: self = .unknown(status)
    }
  }

  /// What to do about it. The failing code may have better advice.
  var advice: String {
    lmdbAdvice ?? wrapperAdvice
  }

  private var lmdbAdvice: String? {
    switch self {
    case .keyExists: "The key is there already."
    case .pageNotFound, .corrupted:
      "A page is missing or damaged: close the environment and restore it from a copy."
    case .panic:
      "An earlier write failed: close it and open it again, or start the program again."
    case .versionMismatch: "The file was written by an LMDB with another file format."
    case .invalidFile: "The file is not an LMDB environment."
    case .mapFull:
      "The map is full: end the transaction, call grow(mapSize:), then run it again."
    case .tablesFull: "Open the environment with a larger maxTables."
    case .readersFull:
      "No reader slot is free: end readers, call clearDeadReaders(), or raise maxReaders."
    case .threadSlotsFull: "The process has no thread-specific slot left for LMDB."
    case .transactionFull:
      "The transaction has too many dirty pages: end it and write in smaller batches."
    case .cursorFull: "The tree is deeper than a cursor can follow; the file may be damaged."
    case .pageFull: "A page has no room where it must have some; the file may be damaged."
    case .mapResized:
      "Another process grew the file beyond this map: end all transactions and begin again."
    case .incompatible: "The operation does not suit the table, or the table's kind has changed."
    case .badReaderSlot: "The reader's slot is in use by another transaction."
    case .badTransaction:
      "The transaction failed earlier, was reset, or has ended: end it and begin another."
    case .badValueSize: "The size of the key or value is not allowed."
    case .badTable: "The table's handle is not valid any more: open the table again."
    default: nil
    }
  }

  private var wrapperAdvice: String {
    switch self {
    case .alreadyOpen: "This process has the environment open; share that one, or close it first."
    case .closed: "The environment was closed."
    case .forked:
      "The environment was opened before fork(); a child process must open its own."
    case .truncated: "The file is shorter than its pages: restore it from a copy."
    case .networkFileSystem: "LMDB needs a local file system; move the environment to one."
    case .environmentFailed:
      "An earlier write failed, and its outcome is unknown: close it and open it again, or start "
        + "the program again."
    case .transactionsOpen: "End all transactions of this process first."
    case .writeInProgress: "This thread has a write transaction open; end it first."
    case .readOnly: "The environment was opened read-only."
    case .keySize: "A key has 1 to 511 bytes."
    case .valueSize: "A value has at most 4,294,967,295 bytes."
    case .outOfOrder: "The appended key is not greater than the last key of the table."
    case .missing: "It does not exist."
    case .badArgument: "LMDB refused the argument."
    case .system(let number): systemMessage(number)
    case .unknown(let status): "LMDB returned the unknown code \(status)."
    default: "LMDB reported \(self)."
    }
  }
}

/// The operating system's text for `number`, with its value.
func systemMessage(_ number: Int32) -> String {
  // SAFETY: mdb_strerror returns a NUL-terminated text that stays valid until the next call on this
  // thread; it is copied immediately.
  let text = unsafe String(cString: mdb_strerror(number))
  return "\(text) (errno \(number))."
}
