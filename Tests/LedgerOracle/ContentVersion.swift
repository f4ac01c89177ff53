/// Returns whether one content version precedes another (`model.md` 18): dotted integers are
/// compared part by part, where a missing part is 0. A part that is not an integer comes after
/// every integer, by its bytes.
func versionPrecedes(_ left: String, _ right: String) -> Bool { compare(left, right) < 0 }

/// Returns whether two texts are the same version: 1 equals 1.0.
func versionEquals(_ left: String, _ right: String) -> Bool { compare(left, right) == 0 }

private func compare(_ left: String, _ right: String) -> Int {
  var one = left.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  var two = right.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  while one.count < two.count { one.append("0") }
  while two.count < one.count { two.append("0") }
  for (first, second) in zip(one, two) {
    switch (significantDigits(first), significantDigits(second)) {
    case (let first?, let second?):
      if first.utf8.count != second.utf8.count {
        return first.utf8.count < second.utf8.count ? -1 : 1
      }
      if first != second { return first < second ? -1 : 1 }
    case (.some, nil): return -1
    case (nil, .some): return 1
    case (nil, nil):
      if first.utf8.elementsEqual(second.utf8) { continue }
      return first.utf8.lexicographicallyPrecedes(second.utf8) ? -1 : 1
    }
  }
  return 0
}

/// Returns the digits of an integer of any size without leading zeros; nil for any other text.
private func significantDigits(_ part: String) -> String? {
  guard !part.isEmpty, part.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
  return String(part.drop { $0 == "0" })
}
