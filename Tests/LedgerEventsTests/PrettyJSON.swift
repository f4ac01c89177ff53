import LedgerEvents

extension JSONValue {
  /// Returns the value over several lines with two spaces per level. Values that fit into 90
  /// columns stay on one line.
  func pretty(indent: Int = 0) -> String {
    let flat = String(decoding: json, as: UTF8.self)
    if flat.utf8.count + indent <= 90 { return flat }
    let space = String(repeating: " ", count: indent + 2)
    let end = "\n" + String(repeating: " ", count: indent)
    switch self {
    case .array(let elements):
      return "[\n"
        + elements.map { space + $0.pretty(indent: indent + 2) }.joined(separator: ",\n") + end
        + "]"
    case .object(let members):
      return "{\n"
        + members.map { name, value in
          space + String(decoding: JSONValue.string(name).json, as: UTF8.self) + ": "
            + value.pretty(indent: indent + 2)
        }.joined(separator: ",\n") + end + "}"
    default:
      return flat
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(stringLiteral text: String) { self = .string(text) }
  init(booleanLiteral value: Bool) { self = .boolean(value) }
  init(integerLiteral number: Int) { self = .number(String(number)) }
  init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(members.map { (name: $0.0, value: $0.1) })
  }
}
