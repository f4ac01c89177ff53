/// Writes a zip as in PKWARE's APPNOTE 6.3: stored, sizes and checksums before the data, fixed
/// times.
struct ZipWriter: PackageWriter {
  /// 1 January 1980, the first day that a zip can state (APPNOTE 4.4.6): year 0, month 1, day 1.
  private static let date: UInt16 = 1 << 5 | 1
  /// Names are UTF-8 (APPNOTE 4.4.4, bit 11).
  private static let flags: UInt16 = 1 << 11
  /// Version 2.0 is needed for folders, 4.5 for the large end record (APPNOTE 4.4.3.2).
  private static let version: UInt16 = 20
  private static let versionLarge: UInt16 = 45
  /// The permissions are in the upper half of the attributes if the maker is Unix (APPNOTE
  /// 4.4.2.2).
  private static let maker: UInt16 = 3 << 8
  private static let localHeaderBytes: UInt64 = 30
  private static let centralHeaderBytes: UInt64 = 46
  private static let endBytes: UInt64 = 22
  private static let largeEndBytes: UInt64 = 56 + 20
  private static let entriesMax = 0xFFFF - 1

  private let entries: [PackedEntry]

  init(_ entries: [PackedEntry]) {
    self.entries = entries.map { entry in
      guard case .link(let target) = entry.kind else { return entry }
      var link = entry
      var checksum = CRC32()
      checksum.update(Array(target.utf8)[...])
      link.bytes = UInt64(target.utf8.count)
      link.checksum = checksum.value
      return link
    }
  }

  private var isLarge: Bool { entries.count > Self.entriesMax }

  var byteCount: UInt64 {
    let names = entries.reduce(0 as UInt64) { $0 + UInt64(Self.name($1).count) }
    let data = entries.reduce(0 as UInt64) { $0 + $1.bytes }
    let headers = UInt64(entries.count) * (Self.localHeaderBytes + Self.centralHeaderBytes)
    return headers + 2 * names + data + (isLarge ? Self.largeEndBytes : 0) + Self.endBytes
  }

  func write(
    _ source: inout ContentSource, to output: inout PackageOutput
  ) throws(ContentError) {
    try copy(&source, entries, to: &output) { (index, output) throws(ContentError) in
      try output.write(Self.localHeader(entries[index]))
      if case .link(let target) = entries[index].kind { try output.write(target.utf8) }
    }
    var offset: UInt64 = 0
    var directory: UInt64 = 0
    for entry in entries {
      let header = Self.centralHeader(entry, at: offset)
      try output.write(header)
      directory += UInt64(header.count)
      offset += Self.localHeaderBytes + UInt64(Self.name(entry).count) + entry.bytes
    }
    try output.write(end(directoryAt: offset, bytes: directory))
  }

  private static func name(_ entry: PackedEntry) -> [UInt8] {
    Array(entry.path.utf8) + (entry.kind == .folder ? [UInt8(ascii: "/")] : [])
  }

  /// The part common to both headers: flags, method, time, checksum and sizes.
  private static func addCommon(_ entry: PackedEntry, to header: inout ByteBuilder) {
    header.add(little: flags)
    header.add(little: 0 as UInt16)
    header.add(little: 0 as UInt16)
    header.add(little: date)
    header.add(little: entry.checksum)
    header.add(little: UInt32(entry.bytes))
    header.add(little: UInt32(entry.bytes))
    header.add(little: UInt16(name(entry).count))
    header.add(little: 0 as UInt16)
  }

  private static func localHeader(_ entry: PackedEntry) -> [UInt8] {
    var header = ByteBuilder()
    header.add(little: 0x0403_4B50 as UInt32)
    header.add(little: version)
    addCommon(entry, to: &header)
    header.add(name(entry))
    return header.bytes
  }

  private static func centralHeader(_ entry: PackedEntry, at offset: UInt64) -> [UInt8] {
    let mode: UInt32 =
      switch entry.kind {
      case .file: 0o100644
      case .folder: 0o040755
      case .link: 0o120777
      }
    var header = ByteBuilder()
    header.add(little: 0x0201_4B50 as UInt32)
    header.add(little: maker | version)
    header.add(little: version)
    addCommon(entry, to: &header)
    // No comment, the first disk, no text.
    header.add(little: 0 as UInt16)
    header.add(little: 0 as UInt16)
    header.add(little: 0 as UInt16)
    // The lower half is for DOS, where 0x10 is a folder.
    header.add(little: mode << 16 | (entry.kind == .folder ? 0x10 : 0))
    header.add(little: UInt32(offset))
    header.add(name(entry))
    return header.bytes
  }

  private func end(directoryAt offset: UInt64, bytes: UInt64) -> [UInt8] {
    var end = ByteBuilder()
    if isLarge {
      end.add(little: 0x0606_4B50 as UInt32)
      end.add(little: 44 as UInt64)
      end.add(little: Self.maker | Self.versionLarge)
      end.add(little: Self.versionLarge)
      end.add(little: 0 as UInt32)
      end.add(little: 0 as UInt32)
      end.add(little: UInt64(entries.count))
      end.add(little: UInt64(entries.count))
      end.add(little: bytes)
      end.add(little: offset)
      end.add(little: 0x0706_4B50 as UInt32)
      end.add(little: 0 as UInt32)
      end.add(little: offset + bytes)
      end.add(little: 1 as UInt32)
    }
    let count = UInt16(isLarge ? 0xFFFF : entries.count)
    end.add(little: 0x0605_4B50 as UInt32)
    end.add(little: 0 as UInt16)
    end.add(little: 0 as UInt16)
    end.add(little: count)
    end.add(little: count)
    end.add(little: UInt32(bytes))
    end.add(little: UInt32(offset))
    end.add(little: 0 as UInt16)
    return end.bytes
  }
}
