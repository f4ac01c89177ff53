/// A type, a source or a field of `data` that an event states and that is not in the vocabulary.
package struct UnknownWord: Hashable, Sendable {
  /// The role of the word in the event.
  package enum Role: Hashable, Sendable {
    case type
    case source
    /// A member of `data` in an event of this type.
    case field(of: EventKind)
    /// A member of an object in a member of `data`, such as `grants` in `data.products[]`.
    case member(of: String, in: EventKind)
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
    case .member(let field, _): "data.\(field).\(text)"
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
    case .member(let field, let kind):
      "is not a known field of \(field) in \(kind.text)"
        + (nearest.map { "; did you mean \($0)?" } ?? "")
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
  /// - Complexity: O(*n*) in the number of members of `data`, and in the length of those that
  ///   contain objects, as long as the words are cached.
  package mutating func unknownWords(in input: EventInput) -> [UnknownWord] {
    guard input.mayHaveUnknownWords else { return [] }
    let event = input.event
    var words: [UnknownWord] = []
    if event.type.kind == .unknown { words.append(look(.type, event.type.text)) }
    if let source = event.source, source.text != source.kind.text {
      words.append(look(.source, source.text))
    }
    guard event.type.kind != .unknown else { return words }
    let rule = Vocabulary.rule(event.type.kind)
    for member in event.data.members {
      guard let index = rule.index(of: member.name) else {
        let word = look(.field(of: event.type.kind), member.name)
        if word.nearest != nil { words.append(word) }
        continue
      }
      guard let (path, known) = Self.members(of: rule.fields[index]) else { continue }
      for name in Self.names(in: member.json, notIn: known) {
        let word = look(.member(of: path, in: event.type.kind), name)
        if word.nearest != nil { words.append(word) }
      }
    }
    return words
  }

  /// The path and the known members of the objects that a field of `data` contains; `nil` if it
  /// contains none.
  private static func members(of field: Vocabulary.Field) -> (path: String, known: [String])? {
    guard let fields = field.type.objectFields else { return nil }
    let suffix = if case .array = field.type { "[]" } else { "" }
    return (field.name + suffix, fields.map(\.name))
  }

  /// The names of members that are not known, each once.
  private static func names(in json: [UInt8], notIn known: [String]) -> [String] {
    let value: JSONValue
    // The decoder has accepted the event, so the value is JSON.
    do throws(EventError) { value = try JSONValue(json: json) } catch { return [] }
    var names: [String] = []
    for element in value.array ?? [value] {
      for (name, _) in element.object ?? []
      where !known.contains(where: { hasSameBytes($0, name) }) && !names.contains(name) {
        names.append(name)
      }
    }
    return names
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
      case .member(let path, let kind):
        Vocabulary.rule(kind).fields.compactMap(members).first { $0.path == path }?.known ?? []
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
      case .member(let path, _):
        guard try scanner.enter(EnvelopeField.data.rawValue) != nil else { return nil }
        return try scanner.enter(path.hasSuffix("[]") ? String(path.dropLast(2)) : path)?.name
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
