/// A JSON value to be written. Numbers are text, so that none loses a digit on its way.
enum JSON: Sendable, Equatable {
  case string(String)
  case number(String)
  case boolean(Bool)
  case array([JSON])
  case object([Member])

  /// A member of an object. Members are written in their order.
  struct Member: Sendable, Equatable {
    let name: String
    let value: JSON
  }

  /// Appends the value without white space, as the ledger's own encoder writes it.
  func append(to bytes: inout [UInt8]) {
    switch self {
    case .string(let text): Self.append(text, to: &bytes)
    case .number(let digits): bytes.append(contentsOf: digits.utf8)
    case .boolean(let isTrue): bytes.append(contentsOf: isTrue ? "true".utf8 : "false".utf8)
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        value.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.append(member.name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  /// Appends a string in quotes. RFC 8259 asks for escapes of quotes, backslashes and control
  /// characters, and of nothing else.
  private static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20:
        let digits = String(byte, radix: 16)
        bytes.append(contentsOf: (byte < 16 ? "\\u000" : "\\u00").utf8)
        bytes.append(contentsOf: digits.utf8)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

/// The members of an event's `data`, in the order in which they were set.
struct EventData: Sendable, Equatable {
  private(set) var members: [JSON.Member] = []

  mutating func set(_ name: String, _ value: JSON?) {
    guard let value else { return }
    members.append(JSON.Member(name: name, value: value))
  }

  /// An empty text says nothing and is left out.
  mutating func set(_ name: String, _ text: String?) {
    guard let text, !text.isEmpty else { return }
    set(name, .string(text))
  }

  mutating func set(_ name: String, _ isTrue: Bool?) { set(name, isTrue.map(JSON.boolean)) }

  mutating func set(_ name: String, _ number: Int64?) {
    set(name, number.map { .number(String($0)) })
  }

  mutating func set(_ name: String, _ time: Timestamp?) { set(name, time?.rfc3339) }

  /// Empty texts say nothing and are left out.
  mutating func set(_ name: String, texts: [String]) {
    set(name, .array(texts.filter { !$0.isEmpty }.map(JSON.string)))
  }

  /// An amount of money: a decimal number as text. Another text, such as `NaN`, is left out.
  mutating func set(_ name: String, amount: String?) {
    guard let amount, Self.isDecimal(amount) else { return }
    set(name, .string(amount))
  }

  private static func isDecimal(_ text: String) -> Bool {
    let unsigned = text.hasPrefix("-") ? text.dropFirst() : text[...]
    let parts = unsigned.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count <= 2
      && parts.allSatisfy { part in
        !part.isEmpty && part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= $0 }
      }
  }

  mutating func set(_ name: String, _ error: StoreError?) { set(name, error?.json) }
}
