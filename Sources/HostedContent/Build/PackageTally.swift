internal import Crypto

/// Records each entry of the first reading, with the checksums that its container needs.
struct PackageTally: PackageSink {
  private let format: PackageFormat
  private(set) var entries: [PackedEntry] = []
  private var checksum = CRC32()
  private var digest = Insecure.SHA1()

  init(format: PackageFormat) { self.format = format }

  mutating func begin(_ entry: PackageEntry) throws(ContentError) {
    entries.append(PackedEntry(entry))
    checksum = CRC32()
    digest = Insecure.SHA1()
  }

  mutating func take(_ bytes: ArraySlice<UInt8>) throws(ContentError) {
    entries[entries.count - 1].bytes += UInt64(bytes.count)
    switch format {
    case .zip: checksum.update(bytes)
    case .pkg, .folder: digest.update(data: bytes)
    }
  }

  mutating func end() throws(ContentError) {
    switch format {
    case .zip: entries[entries.count - 1].checksum = checksum.value
    case .pkg, .folder: entries[entries.count - 1].digest = Array(digest.finalize())
    }
  }
}

extension PackedEntry {
  /// Creates an entry to pack. Only files, folders and links can occur, because everything else is
  /// a fault.
  init(_ entry: PackageEntry) {
    switch entry.kind {
    case .folder: self.init(path: entry.path, kind: .folder)
    case .link(let target): self.init(path: entry.path, kind: .link(target: target))
    case .file, .hardLink, .special: self.init(path: entry.path, kind: .file)
    }
  }
}

/// CRC-32 as in zip (APPNOTE 4.4.7: the polynomial 0xEDB88320), four bytes per step.
struct CRC32 {
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 4 * 256)
    for index in 0..<256 {
      var value = UInt32(index)
      for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : 0xEDB8_8320 ^ value >> 1 }
      tables[index] = value
    }
    for index in 256..<4 * 256 {
      let before = tables[index - 256]
      tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
    }
    return tables
  }()

  private var register: UInt32 = 0xFFFF_FFFF

  var value: UInt32 { ~register }

  /// - Complexity: O(*n*) in the number of bytes.
  mutating func update(_ bytes: ArraySlice<UInt8>) {
    let tables = Self.tables
    var index = bytes.startIndex
    while index + 4 <= bytes.endIndex {
      register ^=
        UInt32(bytes[index]) | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2]) << 16
        | UInt32(bytes[index + 3]) << 24
      register =
        tables[768 + Int(register & 0xFF)] ^ tables[512 + Int(register >> 8 & 0xFF)]
        ^ tables[256 + Int(register >> 16 & 0xFF)] ^ tables[Int(register >> 24)]
      index += 4
    }
    for byte in bytes[index...] {
      register = register >> 8 ^ tables[Int((register ^ UInt32(byte)) & 0xFF)]
    }
  }
}
