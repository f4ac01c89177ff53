internal import Foundation

/// The contents of `ContentInfo.plist`: each of its two strings, or what is there instead.
struct ContentInfo: Decodable {
  enum Value {
    case missing
    case text(String)
    /// A value of another type, described as text.
    case other(String)
  }

  static let fileName = "ContentInfo.plist"
  static let productKey = "IAPProductIdentifier"
  static let versionKey = "ContentVersion"

  let product: Value
  let version: Value
  /// The other keys, sorted.
  let otherKeys: [String]

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    product = Self.value(Self.productKey, in: container)
    version = Self.value(Self.versionKey, in: container)
    otherKeys = container.allKeys.map(\.stringValue)
      .filter { $0 != Self.productKey && $0 != Self.versionKey }.sorted()
  }

  /// The bytes of a package's `ContentInfo.plist`; nil if it has none. If the file is too large,
  /// only a part that exceeds the limit is returned.
  ///
  /// - Complexity: O(*n*) in the entries before it, whose data is skipped.
  /// - Throws: ``ContentError`` if the package cannot be read.
  static func bytes(in package: inout OpenedPackage) throws(ContentError) -> [UInt8]? {
    let limits = PackageLimits()
    // A package with more entries is refused by its check.
    var left = limits.entriesMax
    while left > 0, let entry = try package.next() {
      left -= 1
      let parts = entry.path.split(separator: "/").filter { $0 != "." }
      guard parts == [fileName[...]], case .file = entry.kind else { continue }
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: limits.infoBytesMax)
      while bytes.count <= limits.infoBytesMax {
        let count = try package.read(into: &buffer)
        if count == 0 { break }
        bytes += buffer[..<count]
      }
      return bytes
    }
    return nil
  }

  /// Parses a property list in XML or binary form.
  ///
  /// - Returns: Nil and the reason if the bytes are not a property list or not a dictionary.
  static func read(_ bytes: [UInt8]) -> (info: ContentInfo?, reason: String) {
    guard bytes.starts(with: "bplist".utf8) || isXML(bytes) else {
      return (nil, "is neither XML nor a binary property list")
    }
    do {
      return (try PropertyListDecoder().decode(ContentInfo.self, from: Data(bytes)), "")
    } catch DecodingError.typeMismatch {
      return (nil, "is not a dictionary")
    } catch {
      return (nil, "cannot be read as a property list")
    }
  }

  private static func isXML(_ bytes: [UInt8]) -> Bool {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: mark) ? bytes[mark.count...] : bytes[...]
    return text.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D } == UInt8(ascii: "<")
  }

  private static func value(
    _ name: String, in container: KeyedDecodingContainer<Key>
  ) -> Value {
    let key = Key(stringValue: name)
    guard container.contains(key) else { return .missing }
    if let text = decoded(String.self, key, container) { return .text(text) }
    if decoded(Bool.self, key, container) != nil { return .other("a Boolean value") }
    if decoded(Double.self, key, container) != nil { return .other("a number") }
    if decoded(Date.self, key, container) != nil { return .other("a date") }
    if decoded(Data.self, key, container) != nil { return .other("data") }
    return .other("an array or a dictionary")
  }

  private static func decoded<Value: Decodable>(
    _ type: Value.Type, _ key: Key, _ container: KeyedDecodingContainer<Key>
  ) -> Value? {
    do {
      return try container.decode(type, forKey: key)
    } catch {
      // The value has another type. The caller tries the next one.
      return nil
    }
  }
}
