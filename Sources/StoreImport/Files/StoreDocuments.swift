/// The JSON documents of a file: one, an array of them, or one a line.
enum StoreDocuments {
  /// A document and where it stands: `line 3`, `[2]`; empty for a file of one document.
  typealias Placed = (place: String, document: StoreJSON)

  /// - Parameter what: What a document must be, with its article, for messages.
  /// - Complexity: O(*n*) in the number of bytes.
  static func read(_ bytes: [UInt8], _ what: String) throws(ImportError) -> [Placed] {
    guard bytes.count <= importSizeBytesMax else {
      throw ImportError(
        .malformed, reason: "the file has more than \(importSizeBytesMax) bytes",
        remedy: "Split the file, for example by its lines")
    }
    let text = text(of: bytes)
    let lines = try lines(text)
    guard let first = lines.first else {
      throw ImportError(
        .otherFormat, reason: "expected \(what), found an empty file",
        remedy: "Pass what was received")
    }
    var documents: [Placed] = []
    if lines.count > 1, isWhole(first.text) {
      for line in lines {
        let place = "line \(line.number)"
        do throws(ImportError) {
          documents += flat(try StoreJSONReader.document(Array(line.text)), place)
        } catch { throw error.at(place) }
        guard documents.count <= importDocumentsMax else {
          throw tooMany("documents", importDocumentsMax)
        }
      }
    } else {
      documents = flat(try StoreJSONReader.document(Array(text)), "")
    }
    for (place, document) in documents where !document.isObject {
      throw ImportError(
        .otherFormat, path: place, reason: "expected \(what), found \(document.described)",
        remedy: "Pass what was received, one a line, as an array, or one in a file")
    }
    return documents
  }

  private static func flat(_ document: StoreJSON, _ place: String) -> [Placed] {
    guard let elements = document.elements else { return [(place, document)] }
    return elements.enumerated().map { index, element in
      (place.isEmpty ? "[\(index)]" : "\(place), [\(index)]", element)
    }
  }

  /// The text of a file, without a byte order mark.
  static func text(of bytes: [UInt8]) -> ArraySlice<UInt8> {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    return bytes.starts(with: mark) ? bytes[mark.count...] : bytes[...]
  }

  /// The lines that are not blank, without white space at either end.
  static func lines(
    _ text: ArraySlice<UInt8>
  ) throws(ImportError) -> [(number: Int, text: ArraySlice<UInt8>)] {
    var lines: [(number: Int, text: ArraySlice<UInt8>)] = []
    var number = 0
    var rest = text
    while !rest.isEmpty {
      number += 1
      let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
      let line = rest[..<end].trimmed
      if !line.isEmpty { lines.append((number, line)) }
      guard lines.count <= importLinesMax else { throw tooMany("lines", importLinesMax) }
      rest = rest[end...].dropFirst()
    }
    return lines
  }

  static func tooMany(_ what: String, _ max: Int) -> ImportError {
    ImportError(
      .malformed, reason: "the file has more than \(max) \(what)",
      remedy: "Split the file, for example by its lines")
  }

  /// Whether a line holds a whole document.
  static func isWhole(_ line: ArraySlice<UInt8>) -> Bool {
    do throws(ImportError) {
      _ = try StoreJSONReader.document(Array(line))
      return true
    } catch {
      // Then the document goes on in the next line, or its error is reported with it.
      return false
    }
  }
}

extension ArraySlice<UInt8> {
  /// The bytes without white space at either end.
  fileprivate var trimmed: ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    var text = self
    while let first = text.first, isSpace(first) { text.removeFirst() }
    while let last = text.last, isSpace(last) { text.removeLast() }
    return text
  }
}
