internal import Crypto

extension PackageWriter {
  /// Reads the source in step with the entries, and writes each entry's data.
  ///
  /// - Throws: ``ContentError``: `changed` if an entry has changed since the first reading.
  func copy(
    _ source: inout ContentSource, _ entries: [PackedEntry], to output: inout PackageOutput,
    before: (_ index: Int, _ output: inout PackageOutput) throws(ContentError) -> Void
  ) throws(ContentError) {
    var buffer = [UInt8](repeating: 0, count: PackageInspection.chunkBytes)
    var index = 0
    while let entry = try source.next() {
      guard index < entries.count, PackedEntry(entry).isSameEntry(as: entries[index]) else {
        throw Self.changed(entry.path)
      }
      try before(index, &output)
      if case .file = entry.kind {
        let expected = entries[index]
        var count: UInt64 = 0
        var checksum = CRC32()
        var digest = Insecure.SHA1()
        while true {
          let got = try source.read(into: &buffer)
          if got == 0 { break }
          count += UInt64(got)
          guard count <= expected.bytes else { throw Self.changed(entry.path) }
          if expected.digest.isEmpty {
            checksum.update(buffer[..<got])
          } else {
            digest.update(data: buffer[..<got])
          }
          try output.write(buffer[..<got])
        }
        let isSame =
          expected.digest.isEmpty
          ? checksum.value == expected.checksum : Array(digest.finalize()) == expected.digest
        guard isSame, count == expected.bytes else { throw Self.changed(entry.path) }
      }
      index += 1
    }
    guard index == entries.count else { throw Self.changed(entries[index].path) }
  }

  private static func changed(_ path: String) -> ContentError {
    ContentError(
      .changed, path: path,
      "changed while the package was being built: stop writing to it, and try again.")
  }
}

extension PackedEntry {
  /// Whether both stand for the same path and are of the same kind.
  func isSameEntry(as other: PackedEntry) -> Bool {
    path.isSameBytes(as: other.path) && kind == other.kind
  }
}

/// Builds the bytes of a container from numbers and byte sequences.
struct ByteBuilder {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ bytes: some Sequence<UInt8>) { self.bytes += bytes }

  mutating func add<Number: FixedWidthInteger>(little number: Number) {
    for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> Number(shift)))
    }
  }

  mutating func add<Number: FixedWidthInteger>(big number: Number) {
    for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> Number(shift)))
    }
  }
}
