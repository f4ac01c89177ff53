/// Compares spellings and finds the known name that was probably meant.
package enum Spelling {
  /// Returns the known name that is nearest to a misspelled one, or `nil` if none is near enough.
  ///
  /// Case is ignored. If several names are equally near, the first one is returned. A name that has
  /// no letter in common with the text is never returned, however short both are.
  ///
  /// - Parameter limit: The maximum number of wrong letters.
  /// - Complexity: O(*n* · *m*²) for *n* names of *m* letters. Names whose length differs by more
  ///   than `limit` are skipped.
  package static func nearest(
    to text: String, among names: some Sequence<String>, within limit: Int
  ) -> String? {
    let letters = Array(text.lowercased().unicodeScalars)
    var bound = min(limit, letters.count - 1)
    var nearest: String?
    for name in names {
      guard bound >= 0 else { break }
      let other = Array(name.lowercased().unicodeScalars)
      if let edits = edits(letters, other, upTo: bound) {
        nearest = name
        bound = edits - 1
      }
    }
    return nearest
  }

  /// Returns the identifier that was probably meant: one whose last component is the text
  /// (`com.example.maps.alps` for `alps`), or else the one nearest to it, whole or by its last
  /// component.
  ///
  /// - Complexity: as ``nearest(to:among:)``.
  package static func nearestIdentifier(
    to text: String, among names: [String]
  ) -> String? {
    let ends = names.filter { $0.contains(".") }.map { name in
      (end: String(name.split(separator: ".").last ?? ""), name: name)
    }
    let wanted = text.lowercased()
    if let same = ends.first(where: { $0.end.lowercased() == wanted }) { return same.name }
    if let near = nearest(to: text, among: names) { return near }
    guard !text.contains("."), let end = nearest(to: text, among: ends.map(\.end)) else {
      return nil
    }
    return ends.first { $0.end == end }?.name
  }

  /// Returns how many letters must be inserted, deleted, replaced or swapped with their neighbour
  /// to turn one text into the other, or `nil` if that is more than `limit`.
  ///
  /// This is the optimal string alignment distance, the restricted form of Damerau–Levenshtein in
  /// which no letter is changed twice. Case matters.
  ///
  /// - Complexity: O(*n* · *m*) for texts of *n* and *m* letters.
  package static func edits(
    _ left: [Unicode.Scalar], _ right: [Unicode.Scalar], upTo limit: Int
  ) -> Int? {
    guard abs(left.count - right.count) <= limit else { return nil }
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        var edits = min(
          last[column + 1] + 1, current[column] + 1,
          last[column] + (left[row] == right[column] ? 0 : 1))
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          edits = min(edits, beforeLast[column - 1] + 1)
        }
        current.append(edits)
      }
      if current.min() ?? 0 > limit { return nil }
      (beforeLast, last) = (last, current)
    }
    return last[right.count] <= limit ? last[right.count] : nil
  }
}

extension Spelling {
  /// The maximum number of wrong letters. Words of up to `shortWordLettersMax` letters may have
  /// one.
  private static let wrongLettersMax = 2
  private static let shortWordLettersMax = 4

  /// Returns the known name that was probably meant: at most two letters from the text, or one if
  /// the text is short.
  ///
  /// - Complexity: O(*n* · *m*) for *n* names of *m* letters.
  package static func nearest(to text: String, among names: some Sequence<String>) -> String? {
    let limit = text.unicodeScalars.count <= shortWordLettersMax ? 1 : wrongLettersMax
    return nearest(to: text, among: names, within: limit)
  }
}
