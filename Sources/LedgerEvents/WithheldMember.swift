/// A personal member of `data` that is in the vocabulary. A record says that an event has the
/// member, but not its value.
///
/// An event therefore stays valid for its type after its personal data was erased or withheld, and
/// code that only checks for an error still works. Raw values are never reused.
public enum WithheldMember: UInt16, CaseIterable, Sendable {
  case text = 1
  case reason = 2
  case `operator` = 4
  case detail = 8
  case path = 16
  case contentURL = 32
  case file = 64
  case error = 128
  case sha256 = 256

  /// The name of the member.
  public var name: String { "\(self)" }

  /// Creates the member with that name, or `nil` if there is none.
  ///
  /// - Complexity: O(1).
  public init?(named name: String) {
    guard let found = WithheldMember.byName[name] else { return nil }
    self = found
  }

  /// Returns the JSON value that shows `text` in place of the member: the text itself, or for an
  /// error an object whose domain is the text.
  public func json(of text: String) -> [UInt8] {
    guard self == .error else { return JSONValue.string(text).json }
    return JSONValue.object([
      (name: "domain", value: .string(text)), (name: "code", value: .number("0")),
    ]).json
  }

  private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })
}
