import ArgumentParser

/// A type of events, or a pattern of types with `*` for anything: `download.*`.
///
/// Types that the vocabulary does not contain are accepted, because appends accept them. A pattern
/// that no type can match is refused, because it would never find anything.
enum TypePatternArgument {
  static func pattern(_ text: String) throws -> String {
    guard canMatch(text) else {
      throw ValidationError(
        "expected a type, subject.verb in letters such as transaction.purchased, in which * may "
          + "stand for anything, as in \"download.*\".")
    }
    return text
  }

  static func type(_ text: String) throws -> String {
    guard !text.contains("*"), canMatch(text) else {
      throw ValidationError(
        "expected a type, subject.verb in letters such as transaction.purchased.")
    }
    return text
  }

  /// How much of `[a-z][A-Za-z]*\.[a-z][A-Za-z]*` has been read.
  private enum State: Int, CaseIterable {
    case begin, inSubject, afterPoint, inVerb

    func next(_ scalar: Unicode.Scalar) -> State? {
      switch (self, scalar) {
      case (.begin, "a"..."z"): .inSubject
      case (.inSubject, "."): .afterPoint
      case (.afterPoint, "a"..."z"): .inVerb
      case (.inSubject, "a"..."z"), (.inSubject, "A"..."Z"): .inSubject
      case (.inVerb, "a"..."z"), (.inVerb, "A"..."Z"): .inVerb
      default: nil
      }
    }
  }

  /// Whether there can be a well-formed type that the pattern matches.
  ///
  /// - Complexity: O(*n*) in its length.
  static func canMatch(_ pattern: String) -> Bool {
    var states: Set<State> = [.begin]
    for scalar in pattern.unicodeScalars {
      if scalar == "*" {
        // `*` leads to every state from the first one on.
        let first = states.map(\.rawValue).min() ?? State.allCases.count
        states = Set(State.allCases.filter { $0.rawValue >= first })
      } else {
        states = Set(states.compactMap { $0.next(scalar) })
      }
    }
    return states.contains(.inVerb)
  }
}
