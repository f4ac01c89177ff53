/// Returns the elements of a JSON array in a line as their original bytes, so that the decoder sees
/// the original digits of numbers.
///
/// - Parameters:
///   - name: The member whose value is the array. It must occur exactly once as a member.
///   - line: One well-formed JSON object.
/// - Complexity: O(*n*) in the length of the line.
func elements(of name: String, in line: [UInt8]) -> [[UInt8]] {
  let key = Array("\"\(name)\":[".utf8)
  guard let start = firstOccurrence(of: key, in: line) else { return [] }
  var elements: [[UInt8]] = []
  var depth = 0
  var isInString = false
  var begin = start + key.count
  var at = begin
  while at < line.count {
    let byte = line[at]
    if isInString {
      if byte == UInt8(ascii: "\\") { at += 1 }
      if byte == UInt8(ascii: "\"") { isInString = false }
    } else if byte == UInt8(ascii: "\"") {
      isInString = true
    } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
      depth += 1
    } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
      depth -= 1
    }
    if depth <= 0, !isInString, byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") {
      if depth < 0 || byte == UInt8(ascii: ",") {
        if at > begin { elements.append(Array(line[begin..<at])) }
        begin = at + 1
      }
      if depth < 0 { break }
    }
    at += 1
  }
  return elements
}

private func firstOccurrence(of key: [UInt8], in line: [UInt8]) -> Int? {
  guard line.count >= key.count else { return nil }
  return (0...(line.count - key.count)).first { line[$0..<($0 + key.count)].elementsEqual(key) }
}
