import LedgerEvents

/// JSON with its members in the order in which they are written, so that documents match the order
/// in which the contract lists them.
///
/// Absent values are written as `null`. Strings are escaped as RFC 8259, section 7, requires, and
/// no more.
package struct JSONText {
  package private(set) var text = ""
  private var needsComma = false

  package init() {}

  /// Writes `{ … }` around what `body` writes.
  package mutating func object(_ body: (inout JSONText) throws -> Void) rethrows {
    try enclosed("{", "}", body)
  }

  /// Writes `[ … ]` around what `body` writes.
  package mutating func array(_ body: (inout JSONText) throws -> Void) rethrows {
    try enclosed("[", "]", body)
  }

  package mutating func key(_ name: String) {
    separate()
    appendQuoted(name)
    text += ":"
    needsComma = false
  }

  package mutating func value(_ string: String?) {
    separate()
    if let string { appendQuoted(string) } else { text += "null" }
    needsComma = true
  }

  package mutating func value(_ number: (some BinaryInteger)?) { raw(number.map { "\($0)" }) }

  package mutating func value(_ flag: Bool?) { raw(flag.map { $0 ? "true" : "false" }) }

  /// Writes existing JSON text; `null` if there is none.
  package mutating func raw(_ json: String?) {
    separate()
    text += json ?? "null"
    needsComma = true
  }

  /// Writes existing members of an object, without the braces around them.
  package mutating func members(_ json: String) {
    if json.isEmpty { return }
    separate()
    text += json
    needsComma = true
  }

  package mutating func member(_ name: String, _ string: String?) {
    key(name)
    value(string)
  }

  package mutating func member(_ name: String, _ number: (some BinaryInteger)?) {
    key(name)
    value(number)
  }

  package mutating func member(_ name: String, _ flag: Bool?) {
    key(name)
    value(flag)
  }

  package mutating func member(_ name: String, strings: [String]) {
    member(name, each: strings) { $0.value($1) }
  }

  package mutating func member(_ name: String, object body: (inout JSONText) throws -> Void)
    rethrows
  {
    key(name)
    try object(body)
  }

  package mutating func member(_ name: String, array body: (inout JSONText) throws -> Void) rethrows
  {
    key(name)
    try array(body)
  }

  /// Writes an array of what `body` writes for each of `elements`.
  package mutating func member<Element>(
    _ name: String, each elements: [Element],
    _ body: (inout JSONText, Element) throws -> Void
  ) rethrows {
    key(name)
    try array { json in for element in elements { try body(&json, element) } }
  }

  private mutating func enclosed(
    _ open: String, _ close: String, _ body: (inout JSONText) throws -> Void
  ) rethrows {
    separate()
    text += open
    needsComma = false
    try body(&self)
    text += close
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { text += "," }
  }

  private mutating func appendQuoted(_ string: String) {
    if JSONBytes.isPlain(string) {
      text += "\""
      text += string
      text += "\""
    } else {
      var quoted: [UInt8] = []
      JSONBytes.append(string, to: &quoted)
      text += String(decoding: quoted, as: UTF8.self)
    }
  }
}
