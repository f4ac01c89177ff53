import LedgerEvents

/// Takes apart JSON that this program has written: without white space, and well formed.
enum JSONPieces {
  /// The members of an object, in their order.
  ///
  /// - Complexity: O(*n*) in the size of the object.
  static func members(of object: [UInt8]) -> [CSVAnswer.Member] {
    pieces(of: object).map { piece in
      // A name contains no unescaped quotation mark, so the colon follows its end.
      var end = piece.startIndex + 1
      while piece[end] != UInt8(ascii: "\"") { end += piece[end] == UInt8(ascii: "\\") ? 2 : 1 }
      let name = String(decoding: piece[...end], as: UTF8.self)
      return (text(name), String(decoding: piece[(end + 2)...], as: UTF8.self))
    }
  }

  /// The elements of an array.
  ///
  /// - Complexity: O(*n*) in the size of the array.
  static func elements(of array: [UInt8]) -> [[UInt8]] { pieces(of: array).map(Array.init) }

  /// The text of a string in quotation marks.
  static func text(_ json: String) -> String {
    guard json.utf8.contains(UInt8(ascii: "\\")) else {
      // By bytes: the quotation mark and a combining mark after it are one character.
      return String(decoding: json.utf8.dropFirst().dropLast(), as: UTF8.self)
    }
    do throws(EventError) { return try JSONValue(json: Array(json.utf8)).string ?? json } catch {
      // What is not a JSON string stays as it is.
      return json
    }
  }

  /// The text between the outermost brackets, split at its commas.
  private static func pieces(of json: [UInt8]) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var depth = 0
    var isText = false
    var start = 1
    var index = 0
    while index < json.count {
      switch json[index] {
      case UInt8(ascii: "\\") where isText: index += 1
      case UInt8(ascii: "\""): isText.toggle()
      case _ where isText: break
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0, index > start { pieces.append(json[start..<index]) }
      case UInt8(ascii: ",") where depth == 1:
        pieces.append(json[start..<index])
        start = index + 1
      default: break
      }
      index += 1
    }
    return pieces
  }
}
