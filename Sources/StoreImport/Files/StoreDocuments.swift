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
    let lines = lines(bytes)
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
      }
    } else {
      documents = flat(try StoreJSONReader.document(bytes), "")
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

  private static func lines(_ bytes: [UInt8]) -> [(number: Int, text: ArraySlice<UInt8>)] {
    bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .enumerated().map { (number: $0.offset + 1, text: $0.element) }
      .filter { !$0.text.allSatisfy { $0 <= 0x20 } }
  }

  /// Whether a line holds a whole document.
  private static func isWhole(_ line: ArraySlice<UInt8>) -> Bool {
    do throws(ImportError) {
      _ = try StoreJSONReader.document(Array(line))
      return true
    } catch {
      // Then the document goes on in the next line, or its error is reported with it.
      return false
    }
  }
}
