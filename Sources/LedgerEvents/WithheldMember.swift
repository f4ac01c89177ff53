/// A personal member of `data` that the vocabulary names: the record says that an event has it and
/// never what it says.
///
/// So an event whose personal data was erased, or is withheld, still is one that its type allows,
/// and what only asks whether there is an error goes on. Numbers are never given anew.
public enum WithheldMember: UInt16, CaseIterable, Sendable {
  case text = 1
  case reason = 2
  case `operator` = 4
  case detail = 8
  case path = 16
  case contentURL = 32
  case file = 64
  case error = 128

  /// The name of the member.
  public var name: String { "\(self)" }

  /// The member with that name.
  ///
  /// - Complexity: O(1).
  public init?(named name: String) {
    guard let found = WithheldMember.byName[name] else { return nil }
    self = found
  }

  /// The JSON that stands for the member where `text` is shown in its place: the text, or for an
  /// error one whose domain is the text.
  public func json(of text: String) -> [UInt8] {
    guard self == .error else { return JSONValue.string(text).json }
    return JSONValue.object([
      (name: "domain", value: .string(text)), (name: "code", value: .number("0")),
    ]).json
  }

  private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })
}
