/// The names of the envelope's fields, found by their bytes.
enum EnvelopeNames {
  private static let fields: [EnvelopeField] = EnvelopeField.allCases
  private static let names: [[UInt8]] = fields.map { Array($0.rawValue.utf8) }
  private static let prefixes: [UInt64] = fields.map { NameKey($0.rawValue).prefix }

  /// - Parameter expected: Where to look first, by the field's place among all: writers keep to an
  ///   order.
  static func field(
    _ name: JSONRange, in scanner: borrowing JSONScanner, expected: inout Int
  ) -> EnvelopeField? {
    let prefix = scanner.prefix(name)
    let prefixes = prefixes
    for step in prefixes.indices {
      var index = expected + step
      if index >= prefixes.count { index -= prefixes.count }
      guard prefixes[index] == prefix, scanner.isText(name, names[index]) else { continue }
      expected = index + 1 < prefixes.count ? index + 1 : 0
      return fields[index]
    }
    return nil
  }

  /// The error for a field that the envelope does not have, with the nearest one that it has.
  static func unknown(_ name: String, at offset: Int) -> EventError {
    let near = fields.map { ($0.rawValue, editDistance(name, $0.rawValue)) }
      .min { $0.1 < $1.1 }
    var reason = "is no field of an event"
    if let near, near.1 <= 3, near.1 < name.count {
      reason += ": did you mean \(near.0)?"
    } else {
      reason += ": fields of your own go into data"
    }
    return EventError(at: offset, reason).within(name.isEmpty ? "\"\"" : name)
  }
}

/// How many letters must be put in, taken out or replaced to make one text of the other
/// (Levenshtein), without regard to case.
///
/// Only the first 64 letters count: longer texts are no misspelling of a field's name.
func editDistance(_ left: String, _ right: String) -> Int {
  let left = Array(left.lowercased().prefix(64))
  let right = Array(right.lowercased().prefix(64))
  var row = Array(0...right.count)
  for (line, letter) in left.enumerated() {
    var diagonal = row[0]
    row[0] = line + 1
    for (column, other) in right.enumerated() {
      let above = row[column + 1]
      row[column + 1] = min(
        above + 1, row[column] + 1, diagonal + (letter == other ? 0 : 1))
      diagonal = above
    }
  }
  return row[right.count]
}
