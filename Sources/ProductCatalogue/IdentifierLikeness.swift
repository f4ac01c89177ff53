internal import LedgerEvents

/// Finds the known product that a wrong identifier probably means.
struct IdentifierLikeness {
  private let known: [Name]

  /// The most letters that a typing mistake may change. With more, another product may be meant.
  static let editsMax = 3

  /// The fewest letters for each letter that may be wrong: `map1` is not a misspelt `map2`.
  static let lettersPerEditMin = 5

  /// - Parameter known: Sorted, so that the answer is deterministic.
  init(known: [Name]) { self.known = known }

  /// How the identifier differs from the nearest known product.
  ///
  /// - Complexity: O(*n* · *m*) for *n* known products of *m* letters.
  func hint(for identifier: Name) -> InvalidHint? {
    let bare = Self.withoutWhiteSpace(identifier.text)
    if bare.utf8.count != identifier.text.utf8.count {
      if let product = known.first(where: { Self.withoutWhiteSpace($0.text) == bare }) {
        return .whiteSpace(product)
      }
    }
    let lower = bare.lowercased()
    if let product = known.first(where: { $0.text.lowercased() == lower }) {
      return .letterCase(product)
    }
    return spelling(lower) ?? prefix(of: bare)
  }

  private func spelling(_ identifier: String) -> InvalidHint? {
    let letters = Array(identifier.unicodeScalars)
    let bound = min(Self.editsMax, letters.count / Self.lettersPerEditMin)
    guard bound > 0 else { return nil }
    var nearest: (product: Name, edits: Int)?
    for product in known {
      let limit = (nearest?.edits).map { $0 - 1 } ?? bound
      let other = Array(product.text.lowercased().unicodeScalars)
      if let edits = Spelling.edits(letters, other, upTo: limit) { nearest = (product, edits) }
      if nearest?.edits == 1 { break }
    }
    return nearest.map { .spelling($0.product, edits: $0.edits) }
  }

  /// The only known product that shares the most dot-separated parts at its end; `nil` if several
  /// do.
  private func prefix(of identifier: String) -> InvalidHint? {
    let parts = identifier.split(separator: ".").map(String.init)
    var best: (product: Name, count: Int, isAlone: Bool)?
    for product in known {
      let others = product.text.split(separator: ".").map(String.init)
      let count = zip(parts.reversed(), others.reversed()).prefix { $0.0 == $0.1 }.count
      guard count > 0 else { continue }
      if count > best?.count ?? 0 {
        best = (product, count, true)
      } else if count == best?.count {
        best?.isAlone = false
      }
    }
    guard let best, best.isAlone else { return nil }
    return .prefix(best.product)
  }

  private static func withoutWhiteSpace(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.properties.isWhitespace }))
  }
}
