internal import Foundation

/// Reads the items in a response of the store's search or lookup.
///
/// Source: Apple, *iTunes Search API*. The response has `resultCount` and `results`. Each result
/// has a `trackId` (a collection or an artist without a track has `collectionId` or `artistId`
/// instead), a `kind` or `wrapperType`, names and `artworkUrl…`. If the request is refused, the
/// response is an `errorMessage`.
public enum StoreAnswer {
  /// The largest accepted response in bytes. A search returns at most 200 results, which are about
  /// two megabytes.
  public static let sizeBytesMax = 64 << 20

  /// Reads a response.
  ///
  /// - Parameter bytes: The JSON document, which can also be a single result.
  /// - Throws: ``StoreItemError`` with the location in the document.
  /// - Complexity: O(*n*) in the number of bytes.
  public static func items(in bytes: [UInt8]) throws(StoreItemError) -> [FoundItem] {
    guard bytes.count <= sizeBytesMax else {
      throw StoreItemError(
        .malformed, "the response has \(bytes.count) bytes; the maximum is \(sizeBytesMax)")
    }
    let answer: ResponseMembers
    do {
      answer = try JSONDecoder().decode(ResponseMembers.self, from: Data(bytes))
    } catch let error as DecodingError {
      throw StoreItemError(.malformed, Self.explained(error))
    } catch {
      throw StoreItemError(.malformed, "the response cannot be read: \(error)")
    }
    if let message = answer.errorMessage {
      throw StoreItemError(
        .refusedAnswer,
        "the store refused the request: \(message). Try again with id, bundleId "
          + "or term, and a country")
    }
    let results = answer.results ?? (answer.result.item == nil ? nil : [answer.result])
    guard let results else {
      throw StoreItemError(
        .malformed, "results: missing; expected a response of the store's search or lookup")
    }
    var items: [FoundItem] = []
    for (index, result) in results.enumerated() {
      guard let item = result.found else {
        throw StoreItemError(
          .noItem, "results[\(index)]: has none of trackId, collectionId and artistId")
      }
      items.append(item)
    }
    return items
  }

  private static func explained(_ error: DecodingError) -> String {
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .keyNotFound(_, let context):
      "\(path(context.codingPath)): \(context.debugDescription)"
    case .dataCorrupted(let context):
      context.codingPath.isEmpty
        ? "not JSON: \(context.debugDescription)"
        : "\(path(context.codingPath)): \(context.debugDescription)"
    @unknown default:
      "the response cannot be read: \(error)"
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    let path = keys.reduce(into: "") { path, key in
      if let index = key.intValue {
        path += "[\(index)]"
      } else {
        path += path.isEmpty ? key.stringValue : "." + key.stringValue
      }
    }
    return path.isEmpty ? "the document" : path
  }
}

/// The members of a response that this module reads.
private struct ResponseMembers: Decodable {
  let results: [Result]?
  let errorMessage: String?
  /// The document itself, if it is a single result.
  let result: Result

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Key.self)
    results = try members.decodeIfPresent([Result].self, forKey: .results)
    errorMessage = try members.decodeIfPresent(String.self, forKey: .errorMessage)
    result = try Result(from: decoder)
  }

  enum Key: String, CodingKey { case results, errorMessage }

  struct Result: Decodable {
    let wrapperType: String?
    let kind: String?
    let trackId: Number?
    let collectionId: Number?
    let artistId: Number?
    let trackName: String?
    let collectionName: String?
    let artistName: String?
    let artworkUrl512: String?
    let artworkUrl100: String?
    let artworkUrl60: String?
    let bundleId: String?

    var item: StoreItem? {
      (trackId ?? collectionId ?? artistId)?.item
    }

    var found: FoundItem? {
      guard let item else { return nil }
      let name = trackId != nil ? trackName : collectionId != nil ? collectionName : artistName
      return FoundItem(
        item, kind: kind ?? wrapperType, name: name,
        artwork: artworkUrl512 ?? artworkUrl100 ?? artworkUrl60, bundle: bundleId)
    }
  }

  /// An Apple ID as a decimal number. This type preserves all digits and reports the location of an
  /// invalid number.
  struct Number: Decodable {
    let item: StoreItem

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      let number = try value.decode(Decimal.self)
      guard let item = StoreItem(digits: "\(number)") else {
        throw DecodingError.dataCorruptedError(
          in: value, debugDescription: "expected the number of an item, found \(number)")
      }
      self.item = item
    }
  }
}
