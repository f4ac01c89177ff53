package import AgeFiles
package import LMDB
internal import LedgerEvents

/// Writes a file of a backup from its beginning to its end, encrypted if that is asked for.
///
/// No plain text of an encrypted file reaches the disk.
package struct CopyWriter {
  package let file: FlatFile
  private var sealer: AgeSealer?
  private var offset = 0

  /// Creates a file, where there must be none.
  ///
  /// - Parameter encryption: For whom to encrypt it; nil for plain text.
  /// - Throws: ``LedgerError``: `exists`, `full`, `io`; `keysMissing` if a recipient is unusable.
  package init(
    _ path: String, in folder: String, mode: UInt32, encryption: AgeEncryption?
  ) throws(LedgerError) {
    if let encryption {
      var random = SystemRandom()
      do throws(AgeError) { sealer = try AgeSealer(for: encryption, using: &random) } catch {
        throw LedgerError(error, file: path)
      }
    }
    do throws(LMDBError) { file = try FlatFile.create(path, in: folder, mode: mode) } catch {
      throw LedgerError(error)
    }
    do throws(LMDBError) {
      if let start = sealer?.start { try put(start) }
    } catch { throw LedgerError(error) }
  }

  /// Appends bytes. Up to 64 KiB of an encrypted file are written later.
  package mutating func write(_ bytes: [UInt8]) throws(LMDBError) {
    guard sealer != nil else { return try put(bytes) }
    var sealed: [UInt8] = []
    sealer?.seal(bytes, into: &sealed)
    try put(sealed)
  }

  /// Ends the file and makes it durable.
  ///
  /// - Returns: What reads it back, without the keys of its recipients.
  package mutating func finish() throws(LedgerError) -> CopyReader {
    var sealed: [UInt8] = []
    sealer?.finish(into: &sealed)
    do throws(LMDBError) {
      try put(sealed)
      try file.sync()
    } catch { throw LedgerError(error) }
    guard let sealer else { return CopyReader(plain: file, byteCount: offset) }
    do throws(AgeError) {
      return CopyReader(file, try sealer.opener(byteCount: offset))
    } catch { throw LedgerError(error, file: file.path) }
  }

  private mutating func put(_ bytes: [UInt8]) throws(LMDBError) {
    if bytes.isEmpty { return }
    try file.write(bytes, at: offset)
    offset += bytes.count
  }
}

/// Reads a file of a backup anywhere, and decrypts it if it is encrypted.
package struct CopyReader {
  package let file: FlatFile
  private let opener: AgeOpener?
  /// The length of its plain text.
  package let byteCount: Int
  /// The chunk that was decrypted last.
  private var chunk: (number: Int, bytes: [UInt8])?

  /// Opens the file at `path`; nil if there is none.
  ///
  /// - Parameter decryption: What to decrypt it with; needed only if it is encrypted.
  /// - Throws: ``LedgerError``: `keysMissing` if it is encrypted and cannot be decrypted so,
  ///   `corrupt` if it is damaged, `io`.
  package init?(_ path: String, _ decryption: AgeDecryption?) throws(LedgerError) {
    let start: [UInt8]
    let byteCount: Int
    do throws(LMDBError) {
      guard let file = try FlatFile.open(path, isWritable: false) else { return nil }
      self.file = file
      byteCount = try file.size()
      start = try file.read(at: 0, count: min(byteCount, AgeOpener.startBytesMax))
    } catch { throw LedgerError(error) }
    guard AgeOpener.isAgeFile(start) else {
      self.byteCount = byteCount
      opener = nil
      return
    }
    guard let decryption else {
      throw LedgerError(
        .keysMissing,
        "\(path) is encrypted: name what decrypts it, an identity (--identity) or the passphrase "
          + "(--passphrase-file).")
    }
    do throws(AgeError) {
      let opener = try AgeOpener(start: start, byteCount: byteCount, with: decryption)
      self.byteCount = opener.plainByteCount
      self.opener = opener
    } catch { throw LedgerError(error, file: path) }
  }

  init(plain file: FlatFile, byteCount: Int) {
    self.file = file
    self.byteCount = byteCount
    opener = nil
  }

  init(_ file: FlatFile, _ opener: AgeOpener) {
    self.file = file
    self.opener = opener
    byteCount = opener.plainByteCount
  }

  /// The `count` bytes at `offset` of the plain text, or fewer if it ends before.
  ///
  /// - Throws: ``LedgerError``: `corrupt` if they are not as they were encrypted, `io`.
  package mutating func read(at offset: Int, count: Int) throws(LedgerError) -> [UInt8] {
    guard let opener else {
      do throws(LMDBError) { return try file.read(at: offset, count: count) } catch {
        throw LedgerError(error)
      }
    }
    var bytes: [UInt8] = []
    while bytes.count < count {
      let at = offset + bytes.count
      let number = at / AgeOpener.chunkBytes
      guard at < byteCount, let range = opener.range(ofChunk: number) else { break }
      if chunk?.number != number { chunk = (number, try open(number, at: range, opener)) }
      let plain = chunk?.bytes ?? []
      let start = at - number * AgeOpener.chunkBytes
      bytes += plain[start..<min(plain.count, start + count - bytes.count)]
    }
    return bytes
  }

  /// Reads the file to its end, so that every byte of an encrypted one is authenticated.
  ///
  /// - Complexity: O(*n*) in its length.
  /// - Throws: ``LedgerError``: `corrupt`, `io`.
  package mutating func forEachPiece(
    _ body: ([UInt8]) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    // An empty encrypted file has a chunk, too.
    if let opener, byteCount == 0, let range = opener.range(ofChunk: 0) {
      _ = try open(0, at: range, opener)
    }
    var offset = 0
    while true {
      let piece = try read(at: offset, count: LogIncrement.pieceBytes)
      if piece.isEmpty { return }
      try body(piece)
      offset += piece.count
    }
  }

  private func open(
    _ number: Int, at range: Range<Int>, _ opener: AgeOpener
  ) throws(LedgerError) -> [UInt8] {
    let sealed: [UInt8]
    do throws(LMDBError) { sealed = try file.read(at: range.lowerBound, count: range.count) } catch
    { throw LedgerError(error) }
    do throws(AgeError) { return try opener.open(sealed, chunk: number) } catch {
      throw LedgerError(error, file: file.path)
    }
  }
}

extension LedgerError {
  /// Why an encrypted file of a backup cannot be written or read.
  init(_ error: AgeError, file: String) {
    let code: Code =
      switch error.code {
      case .badKey, .wrongKey: .keysMissing
      case .malformed, .damaged: .corrupt
      }
    self.init(code, "\(file) cannot be used: \(error.message).", cause: error)
  }
}
