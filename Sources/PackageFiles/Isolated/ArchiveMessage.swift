/// A request to an isolated reader: one byte for its kind, and a 32-bit number.
enum ArchiveRequest: UInt8 {
  /// The format, and the checksums that libarchive does not compare.
  case summary = 1
  /// The next entry.
  case next
  /// The next part of the entry's data. The number is the maximum number of bytes.
  case read

  /// The size of a request in bytes.
  static let byteCount = 5

  func bytes(_ number: UInt32 = 0) -> [UInt8] {
    [rawValue] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
  }
}

/// An answer of an isolated reader: one byte for its kind, the length of the payload in 32 bits,
/// and the payload.
enum ArchiveAnswer: UInt8 {
  case summary = 1
  case entry
  case end
  case data
  case failure

  /// The number of bytes before the payload.
  static let headerBytes = 5
  /// The maximum size of a payload in bytes: the checksums of as many entries as a table may have.
  static let payloadBytesMax = 256 << 20
}

/// Builds a payload: little-endian integers, and texts preceded by their lengths.
struct PayloadWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ number: some FixedWidthInteger & UnsignedInteger) {
    for shift in stride(from: 0, to: type(of: number).bitWidth, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  mutating func write(_ text: [UInt8]) {
    write(UInt32(text.count))
    bytes += text
  }
}

/// Reads a payload. The sender is not trusted, so every length is checked.
struct PayloadReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
    _ type: Number.Type
  ) -> Number? {
    let count = Number.bitWidth / 8
    guard rest.count >= count else { return nil }
    var number: Number = 0
    for byte in rest.prefix(count).reversed() { number = number << 8 | Number(byte) }
    rest = rest.dropFirst(count)
    return number
  }

  mutating func text() -> [UInt8]? {
    guard let count = number(UInt32.self), rest.count >= Int(count) else { return nil }
    defer { rest = rest.dropFirst(Int(count)) }
    return Array(rest.prefix(Int(count)))
  }
}

extension RawEntry {
  func write(to payload: inout PayloadWriter) {
    payload.write(path)
    payload.write(UInt8(isPathWhole ? 1 : 0))
    payload.write(permissions)
    switch kind {
    case .file(let bytes):
      payload.write(UInt8(bytes == nil ? 0 : 1))
      payload.write(bytes ?? 0)
    case .folder: payload.write(UInt8(2))
    case .link(let target):
      payload.write(UInt8(3))
      payload.write(target)
    case .hardLink(let target):
      payload.write(UInt8(4))
      payload.write(target)
    case .special(let name):
      payload.write(UInt8(5))
      payload.write(Array(name.utf8))
    }
  }

  init?(_ payload: inout PayloadReader) {
    guard let path = payload.text(), let isWhole = payload.number(UInt8.self),
      let permissions = payload.number(UInt32.self), let tag = payload.number(UInt8.self)
    else { return nil }
    let kind: Kind
    switch tag {
    case 0, 1:
      guard let bytes = payload.number(UInt64.self) else { return nil }
      kind = .file(bytes: tag == 0 ? nil : bytes)
    case 2: kind = .folder
    case 3, 4:
      guard let target = payload.text() else { return nil }
      kind = tag == 3 ? .link(target: target) : .hardLink(target: target)
    case 5:
      guard let name = payload.text() else { return nil }
      kind = .special(String(decoding: name, as: UTF8.self))
    default: return nil
    }
    self.init(path: path, isPathWhole: isWhole == 1, kind: kind, permissions: permissions & 0o7777)
  }
}

extension StatedChecksum {
  func write(to payload: inout PayloadWriter) {
    payload.write(UInt8(algorithm == .sha256 ? 0 : 1))
    payload.write(offset)
    payload.write(length)
    payload.write(digest)
  }

  init?(_ payload: inout PayloadReader) {
    guard let tag = payload.number(UInt8.self), let offset = payload.number(UInt64.self),
      let length = payload.number(UInt64.self), let digest = payload.text()
    else { return nil }
    self.init(
      algorithm: tag == 0 ? .sha256 : .sha512, offset: offset, length: length, digest: digest)
  }
}

extension PackageFileError {
  func write(to payload: inout PayloadWriter) {
    let tag: UInt8 =
      switch kind {
      case .missing: 0
      case .system: 1
      case .malformed: 2
      case .changed: 3
      }
    payload.write(tag)
    payload.write(Array(message.utf8))
  }

  init?(_ payload: inout PayloadReader, path: String) {
    guard let tag = payload.number(UInt8.self), let message = payload.text() else { return nil }
    let kinds: [Kind] = [.missing, .system, .malformed, .changed]
    guard tag < kinds.count else { return nil }
    self.init(kinds[Int(tag)], path: path, String(decoding: message, as: UTF8.self))
  }
}
