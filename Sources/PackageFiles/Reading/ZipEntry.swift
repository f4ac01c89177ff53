/// An entry in the central directory of a zip (APPNOTE 4.3.12), to be compared with the header
/// before its data (4.3.7).
struct ZipEntry {
  private static let centralBytes = 46
  private static let localBytes = 30
  /// The value of a field whose actual value is in the extra field of large entries (4.5.3).
  private static let isLarge: UInt64 = 0xFFFF_FFFF
  private static let largeTag: UInt64 = 1
  /// Bit 3: the checksum and the sizes come after the data (4.3.9).
  private static let statedBehind: UInt64 = 1 << 3
  /// The maximum size of the data descriptor after the data, in bytes. Writers use 12 to 24.
  private static let descriptorBytesMax: UInt64 = 24

  /// The offset of the local header.
  private(set) var offset: UInt64
  private var name: [UInt8]
  private var flags: UInt64
  private var method: UInt64
  private var checksum: UInt64
  private var packedBytes: UInt64
  private var bytes: UInt64

  /// Returns all entries of a directory.
  static func all(in directory: [UInt8]) throws(ZipProblem) -> [ZipEntry] {
    var entries: [ZipEntry] = []
    var start = 0
    while start < directory.count {
      guard start + centralBytes <= directory.count, directory.little(start, 4) == 0x0201_4B50
      else { throw ZipProblem.malformed("its directory contains something that is not an entry") }
      let nameEnd = start + centralBytes + Int(directory.little(start + 28, 2))
      let extraEnd = nameEnd + Int(directory.little(start + 30, 2))
      let end = extraEnd + Int(directory.little(start + 32, 2))
      guard end <= directory.count else {
        throw ZipProblem.malformed("an entry of its directory is incomplete")
      }
      entries.append(
        try ZipEntry(directory, start, name: start + centralBytes..<nameEnd, extraEnd))
      start = end
    }
    return entries
  }

  private init(
    _ directory: [UInt8], _ start: Int, name: Range<Int>, _ extraEnd: Int
  ) throws(ZipProblem) {
    self.name = Array(directory[name])
    guard !self.name.contains(0) else {
      throw ZipProblem.malformed("a name in it contains a NUL")
    }
    flags = directory.little(start + 8, 2)
    method = directory.little(start + 10, 2)
    checksum = directory.little(start + 16, 4)
    packedBytes = directory.little(start + 20, 4)
    bytes = directory.little(start + 24, 4)
    offset = directory.little(start + 42, 4)
    let extra = ExtraFields(directory[name.upperBound..<extraEnd])
    try extra.checkName(self.name)
    var large = LargeFields(extra)
    // The extra field contains only the values that do not fit, in this order.
    if bytes == Self.isLarge { bytes = try large.next() }
    if packedBytes == Self.isLarge { packedBytes = try large.next() }
    if offset == Self.isLarge { offset = try large.next() }
  }

  /// Checks that the entry's header matches the directory, and returns the end of the entry's
  /// bytes.
  ///
  /// - Parameters:
  ///   - start: The end of the previous entry.
  ///   - directory: The start of the central directory.
  func end(
    in file: ReadFile, after start: UInt64, before directory: UInt64
  ) throws(ZipProblem) -> UInt64 {
    let shown = String(decoding: name.prefix(64), as: UTF8.self).filter { $0 >= " " }
    func differs(_ what: String) -> ZipProblem {
      ZipProblem.malformed("the header of \(shown) states \(what) than the directory")
    }
    guard offset >= start else {
      throw ZipProblem.malformed("the bytes of \(shown) overlap with another entry")
    }
    guard offset == start else {
      throw ZipProblem.malformed("it has bytes before \(shown) that do not belong to any entry")
    }
    let header = try read(file, at: offset, count: Self.localBytes)
    guard header.count == Self.localBytes, header.little(0, 4) == 0x0403_4B50 else {
      throw ZipProblem.malformed("\(shown) has no header at the offset in the directory")
    }
    let nameBytes = Int(header.little(26, 2))
    let extraBytes = Int(header.little(28, 2))
    let rest = try read(file, at: offset + UInt64(Self.localBytes), count: nameBytes + extraBytes)
    guard rest.count == nameBytes + extraBytes, rest[..<nameBytes].elementsEqual(name) else {
      throw differs("a different name")
    }
    guard header.little(6, 2) == flags, header.little(8, 2) == method else {
      throw differs("a different compression method")
    }
    var stated = (packed: header.little(18, 4), bytes: header.little(22, 4))
    let extra = ExtraFields(rest[nameBytes...])
    try extra.checkName(name)
    var large = LargeFields(extra)
    if stated.bytes == Self.isLarge { stated.bytes = try large.next() }
    if stated.packed == Self.isLarge { stated.packed = try large.next() }
    let isBehind = flags & Self.statedBehind != 0
    // Values that come after the data can be 0 in the header.
    func isStated(_ local: UInt64, as central: UInt64) -> Bool {
      local == central || (isBehind && local == 0)
    }
    guard isStated(stated.packed, as: packedBytes), isStated(stated.bytes, as: bytes) else {
      throw differs("different sizes")
    }
    guard isStated(header.little(14, 4), as: checksum) else { throw differs("a different CRC") }
    let dataStart = offset + UInt64(Self.localBytes + rest.count)
    let (dataEnd, overflow) = dataStart.addingReportingOverflow(packedBytes)
    guard !overflow, dataEnd <= directory else {
      throw ZipProblem.malformed("the data of \(shown) reaches into the directory")
    }
    guard isBehind else { return dataEnd }
    return try dataEnd + descriptorBytes(file, at: dataEnd, before: directory)
  }

  /// Returns the size of the data descriptor: with or without a signature, in 32 or 64 bits.
  private func descriptorBytes(
    _ file: ReadFile, at start: UInt64, before directory: UInt64
  ) throws(ZipProblem) -> UInt64 {
    let room = min(Self.descriptorBytesMax, directory - start)
    let found = try read(file, at: start, count: Int(room))
    for (signature, width) in [(4, 4), (4, 8), (0, 4), (0, 8)] {
      let count = signature + 4 + 2 * width
      guard count <= found.count, signature == 0 || found.little(0, 4) == 0x0807_4B50 else {
        continue
      }
      if found.little(signature, 4) == checksum,
        found.little(signature + 4, width) == packedBytes,
        found.little(signature + 4 + width, width) == bytes
      {
        return UInt64(count)
      }
    }
    throw ZipProblem.malformed(
      "the values after an entry's data do not match the directory")
  }

  private func read(
    _ file: ReadFile, at start: UInt64, count: Int
  ) throws(ZipProblem) -> [UInt8] {
    do throws(PackageFileError) { return try file.bytes(at: start, count: count) } catch {
      throw .unreadable(error)
    }
  }

  /// The extra fields of a header (APPNOTE 4.5.1).
  private struct ExtraFields {
    private static let headBytes = 4
    /// Info-ZIP's Unicode path (4.6.9): a byte for the version, a CRC in four, and a name that some
    /// readers take in place of the header's.
    private static let nameTag: UInt64 = 0x7075
    private static let nameHeadBytes = 5

    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// Returns the data of the first field with a tag; nil if there is none.
    func data(_ tag: UInt64) -> ArraySlice<UInt8>? {
      var found: ArraySlice<UInt8>?
      forEach { stated, data in
        if stated == tag, found == nil { found = data }
      }
      return found
    }

    /// - Throws: `malformed` if a field states another name.
    func checkName(_ name: [UInt8]) throws(ZipProblem) {
      var isOther = false
      forEach { tag, data in
        if tag == Self.nameTag, !data.dropFirst(Self.nameHeadBytes).elementsEqual(name) {
          isOther = true
        }
      }
      if isOther { throw ZipProblem.malformed("an entry has two different names") }
    }

    private func forEach(_ body: (_ tag: UInt64, _ data: ArraySlice<UInt8>) -> Void) {
      var rest = bytes
      while rest.count >= Self.headBytes {
        let head = Array(rest.prefix(Self.headBytes))
        let data = rest.dropFirst(Self.headBytes).prefix(Int(head.little(2, 2)))
        body(head.little(0, 2), data)
        rest = rest.dropFirst(Self.headBytes + data.count)
      }
    }
  }

  /// The values in the extra field of large entries, in order.
  private struct LargeFields {
    private var rest: ArraySlice<UInt8>

    init(_ extra: ExtraFields) { rest = extra.data(ZipEntry.largeTag) ?? [] }

    mutating func next() throws(ZipProblem) -> UInt64 {
      guard rest.count >= 8 else {
        throw ZipProblem.malformed("an entry is marked as large, but does not state its size")
      }
      defer { rest = rest.dropFirst(8) }
      return Array(rest.prefix(8)).little(0, 8)
    }
  }
}

extension [UInt8] {
  /// Returns the little-endian number in the `count` bytes from `start` on.
  func little(_ start: Int, _ count: Int) -> UInt64 {
    self[start..<start + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
