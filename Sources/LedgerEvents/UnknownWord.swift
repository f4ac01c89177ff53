/// A type, a source or a field of `data` that an event states and that is not in the vocabulary.
package struct UnknownWord: Hashable, Sendable {
  /// The role of the word in the event.
  package enum Role: Hashable, Sendable {
    case type
    case source
    /// A member of `data` in an event of this type.
    case field(of: EventKind)
  }

  package var role: Role
  /// The word, as the event states it.
  package var text: String
  /// The word of the vocabulary that was probably meant; `nil` if none is near.
  package var nearest: String?

  /// The path of the field that contains the word, in the form that errors use.
  package var path: String {
    switch role {
    case .type: EnvelopeField.type.rawValue
    case .source: EnvelopeField.source.rawValue
    case .field: "data." + text
    }
  }

  /// A description of the problem, in one sentence without a full stop.
  package var reason: String {
    switch role {
    case .type:
      "\"\(text)\" is not a known type"
        + (nearest.map { "; did you mean \($0)?" }
          ?? "; the event is stored whole, but it does not affect any answer")
    case .source:
      "\"\(text)\" is not a known source and counts as \"app\""
        + (nearest.map { "; did you mean \($0)?" } ?? "")
    case .field(let kind):
      "is not a known field of \(kind.text)" + (nearest.map { "; did you mean \($0)?" } ?? "")
    }
  }
}

/// Finds words in events that are not in the vocabulary.
///
/// It caches its results, because a misspelled word usually occurs in every line.
package struct VocabularyCheck {
  /// The maximum number of words to cache: more than any recorder gets wrong, and a bound on memory
  /// for hostile input.
  private static let rememberedCountMax = 1_000
  private var remembered: [UnknownWord: UnknownWord] = [:]

  package init() {}

  /// Returns the words of an event that are not in the vocabulary.
  ///
  /// A field of `data` that is not similar to a known one is assumed to be the writer's own, and is
  /// not returned.
  ///
  /// - Complexity: O(*n*) in the number of members of `data`, as long as the words are cached.
  package mutating func unknownWords(in event: Event) -> [UnknownWord] {
    var words: [UnknownWord] = []
    if event.type.kind == .unknown { words.append(look(.type, event.type.text)) }
    if let source = event.source, source.text != source.kind.text {
      words.append(look(.source, source.text))
    }
    guard event.type.kind != .unknown else { return words }
    let rule = Vocabulary.rule(event.type.kind)
    for member in event.data.members where rule.index(of: member.name) == nil {
      let word = look(.field(of: event.type.kind), member.name)
      if word.nearest != nil { words.append(word) }
    }
    return words
  }

  private mutating func look(_ role: UnknownWord.Role, _ text: String) -> UnknownWord {
    let key = UnknownWord(role: role, text: text)
    if let known = remembered[key] { return known }
    var word = key
    word.nearest = Self.nearest(to: text, role)
    if remembered.count < Self.rememberedCountMax { remembered[key] = word }
    return word
  }

  private static func nearest(to text: String, _ role: UnknownWord.Role) -> String? {
    let names: [String] =
      switch role {
      case .type: EventKind.allCases.filter { $0 != .unknown }.map(\.text)
      case .source: EventSource.Kind.allCases.map(\.text)
      case .field(let kind): Vocabulary.rule(kind).fields.map(\.name)
      }
    return Spelling.nearest(to: text, among: names)
  }
}

extension UnknownWord {
  /// Returns the byte of a line, from 1, at which the word begins, or `nil` if the line does not
  /// contain it.
  ///
  /// - Parameter line: The line from which the event was decoded.
  /// - Complexity: O(*n*) in the length of the line.
  package func column(in line: [UInt8]) -> Int? {
    var scanner = JSONScanner(line.span)
    do throws(EventError) {
      switch role {
      case .type: return try scanner.enter(EnvelopeField.type.rawValue)?.value
      case .source: return try scanner.enter(EnvelopeField.source.rawValue)?.value
      case .field:
        guard try scanner.enter(EnvelopeField.data.rawValue) != nil else { return nil }
        return try scanner.enter(text)?.name
      }
    } catch {
      return nil
    }
  }
}

extension JSONScanner {
  /// Moves to the value of a member of the object that begins at `index`.
  ///
  /// - Returns: The columns of the member's name and of its value.
  fileprivate mutating func enter(
    _ member: String
  ) throws(EventError) -> (name: Int, value: Int)? {
    skipSpace()
    let first = members.count
    guard next == UInt8(ascii: "{") else { return nil }
    try open()
    skipSpace()
    if take(UInt8(ascii: "}")) { return nil }
    repeat {
      let name = try memberName(first: first)
      if hasSameBytes(try text(name), member) { return (name.start + 1, index + 1) }
      _ = try value()
      skipSpace()
    } while try another(UInt8(ascii: "}"))
    return nil
  }
}
