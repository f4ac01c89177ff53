extension TypePattern {
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
  /// - Parameter pattern: A type, in which `*` stands for any run of characters.
  /// - Complexity: O(*n*) in its length.
  package static func canMatch(_ pattern: String) -> Bool {
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
