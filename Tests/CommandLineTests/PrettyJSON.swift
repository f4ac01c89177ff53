/// Formats JSON over several lines with two spaces per level, keeping the order of members. Values
/// that fit into 90 columns stay on one line. `null` and everything else keep their original text.
struct PrettyJSON {
  private indirect enum Value {
    case scalar(String)
    case array([Value])
    case object([(name: String, value: Value)])

    /// The value on one line.
    var flat: String {
      switch self {
      case .scalar(let text): text
      case .array(let elements): "[" + elements.map(\.flat).joined(separator: ", ") + "]"
      case .object(let members):
        "{" + members.map { "\($0.name): \($0.value.flat)" }.joined(separator: ", ") + "}"
      }
    }

    func pretty(_ indent: Int) -> String {
      if flat.utf8.count + indent <= 90 { return flat }
      let inner = String(repeating: " ", count: indent + 2)
      let outer = String(repeating: " ", count: indent)
      switch self {
      case .scalar(let text): return text
      case .array(let elements):
        let lines = elements.map { inner + $0.pretty(indent + 2) }
        return "[\n" + lines.joined(separator: ",\n") + "\n" + outer + "]"
      case .object(let members):
        let lines = members.map { inner + $0.name + ": " + $0.value.pretty(indent + 2) }
        return "{\n" + lines.joined(separator: ",\n") + "\n" + outer + "}"
      }
    }
  }

  private let bytes: [UInt8]
  private var index = 0

  /// Formats every document of `text`, one after the other.
  static func pretty(_ text: String) -> String {
    var reader = PrettyJSON(bytes: Array(text.utf8))
    var documents: [String] = []
    reader.skipSpace()
    while reader.index < reader.bytes.count {
      documents.append(reader.value().pretty(0))
      reader.skipSpace()
    }
    return documents.joined(separator: "\n") + "\n"
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func skipSpace() {
    while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
  }

  private mutating func value() -> Value {
    skipSpace()
    switch bytes[index] {
    case UInt8(ascii: "["):
      var elements: [Value] = []
      while next(closing: "]") { elements.append(value()) }
      return .array(elements)
    case UInt8(ascii: "{"):
      var members: [(name: String, value: Value)] = []
      while next(closing: "}") {
        skipSpace()
        let name = scalar()
        skipSpace()
        index += 1
        members.append((name, value()))
      }
      return .object(members)
    default: return .scalar(scalar())
    }
  }

  /// Steps over the opening bracket or a comma. Returns false after the closing bracket.
  private mutating func next(closing: Unicode.Scalar) -> Bool {
    skipSpace()
    if bytes[index] != UInt8(ascii: closing) { index += 1 }
    skipSpace()
    guard bytes[index] == UInt8(ascii: closing) else { return true }
    index += 1
    return false
  }

  private mutating func scalar() -> String {
    let start = index
    if bytes[index] == UInt8(ascii: "\"") {
      index += 1
      while bytes[index] != UInt8(ascii: "\"") {
        index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
      }
      index += 1
    } else {
      while index < bytes.count, !Array(",]} \n".utf8).contains(bytes[index]) { index += 1 }
    }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }
}
