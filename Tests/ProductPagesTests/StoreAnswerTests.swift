import Foundation
import ProductPages
import Testing

@Suite("Answers of the store") struct StoreAnswerTests {
  private func items(_ json: String) throws(StoreItemError) -> [FoundItem] {
    try StoreAnswer.items(in: Array(json.utf8))
  }

  @Test("a track gives its number, kind, name and its largest picture")
  func track() throws {
    let items = try items(
      #"""
      {"resultCount":1,"results":[{"wrapperType":"software","kind":"software","trackId":364709193,
      "trackName":"Books","artworkUrl60":"60","artworkUrl100":"100","artworkUrl512":"512",
      "bundleId":"com.apple.iBooks","artistId":284417353,"price":0.0}]}
      """#)
    #expect(
      items == [
        FoundItem(
          try #require(StoreItem(number: 364_709_193)), kind: "software", name: "Books",
          artwork: "512", bundle: "com.apple.iBooks")
      ])
  }

  @Test("a collection and an artist by themselves give theirs")
  func others() throws {
    let items = try items(
      #"""
      {"results":[{"wrapperType":"collection","collectionId":1474815798,"artistId":136975,
      "collectionName":"Abbey Road","artistName":"The Beatles","artworkUrl100":"a"},
      {"wrapperType":"artist","artistId":136975,"artistName":"The Beatles"}]}
      """#)
    #expect(items.map(\.item.number) == [1_474_815_798, 136_975])
    #expect(items.map(\.name) == ["Abbey Road", "The Beatles"])
    #expect(items.map(\.kind) == ["collection", "artist"])
  }

  @Test("digits beyond those of a double are kept")
  func digits() throws {
    let items = try items(#"{"results":[{"trackId":9007199254740993}]}"#)
    #expect(items.first?.item.number == 9_007_199_254_740_993)
  }

  @Test("one result by itself is read, and an answer without results is empty")
  func single() throws {
    #expect(try items(#"{"trackId":7,"trackName":"x"}"#).map(\.item.number) == [7])
    #expect(try items(#"{"resultCount":0,"results":[]}"#).isEmpty)
  }

  @Test("a refused question says why the store refused it")
  func refusal() {
    let error = #expect(throws: StoreItemError.self) {
      try items(#"{"errorMessage":"Invalid value(s) for key(s): [itunesId]"}"#)
    }
    #expect(error?.code == .refusedAnswer)
    #expect(error?.message.contains("Invalid value(s) for key(s): [itunesId]") == true)
  }

  @Test(
    "what is no answer is refused with the path",
    arguments: [
      (#"{"results":[{"trackId":1},{"trackId":"2"}]}"#, "results[1].trackId"),
      (#"{"results":[{"trackId":-1}]}"#, "results[0].trackId"),
      (#"{"results":[{"trackId":1.5}]}"#, "results[0].trackId"),
      (#"{"results":[{"trackName":"x"}]}"#, "results[0]"),
      (#"{"results":[{"trackId":0}]}"#, "results[0].trackId"),
      (#"{"hello":1}"#, "results"), (#"{"results":[{"trackId":1}"#, "not JSON"),
      (#"[1]"#, "the document"), ("", "not JSON"),
    ])
  func malformed(_ json: String, _ path: String) {
    let error = #expect(throws: StoreItemError.self) { try items(json) }
    #expect(error?.message.contains(path) == true, "\(error?.message ?? "")")
  }
}

/// Responses and links that other projects have recorded.
@Suite(
  "Recorded answers of the store",
  .enabled(if: Fixtures.arePresent, "skipped: no ../shared/fixtures beside the package"))
struct RecordedAnswerTests {
  @Test("each answer gives the item that its own link names")
  func answers() throws {
    var links = 0
    for file in try Fixtures.answers() {
      let bytes = try Data(contentsOf: file)
      let json = try JSONSerialization.jsonObject(with: bytes) as? [String: Any]
      guard let results = json?["results"] as? [[String: Any]] else {
        #expect(throws: StoreItemError(.refusedAnswer, "")) {
          try StoreAnswer.items(in: Array(bytes))
        }
        continue
      }
      let items = try StoreAnswer.items(in: Array(bytes))
      #expect(items.count == results.count)
      for (item, result) in zip(items, results) {
        let link = try #require(result["trackViewUrl"] as? String)
        #expect(try StoreLink.item(in: link).item == item.item)
        #expect(item.name == result["trackName"] as? String)
        #expect(item.artwork != nil)
        let maker = try #require(result["artistViewUrl"] as? String)
        #expect(try StoreLink.item(in: maker).item.number == result["artistId"] as? UInt64)
        links += 2
      }
    }
    #expect(links >= 4)
  }

  @Test("every link with an id in the fixtures gives the digits behind it")
  func links() throws {
    let links = try Fixtures.links()
    #expect(links.count >= 4)
    for (link, digits) in links {
      #expect(try StoreLink.item(in: link).item.description == digits, "\(link)")
    }
  }
}

private enum Fixtures {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "../shared/fixtures").standardizedFileURL

  static var arePresent: Bool { FileManager.default.fileExists(atPath: folder.path) }

  private static func files() throws -> [URL] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
      .map { folder.appending(path: $0) }
  }

  static func answers() throws -> [URL] {
    try files().filter { $0.lastPathComponent.hasPrefix("itunesLookup") }
  }

  /// Returns links to the store with `id` and digits, found without the code under test.
  static func links() throws -> [(String, String)] {
    let pattern = /https?:\/\/[A-Za-z0-9.]*\.apple\.com\/[^"\s<>\\]*\/id([0-9]+)[^"\s<>\\]*/
    var found: [String: String] = [:]
    for file in try files() {
      guard (try file.resourceValues(forKeys: [.isRegularFileKey])).isRegularFile == true,
        let text = String(data: try Data(contentsOf: file), encoding: .utf8)
      else { continue }
      for match in text.replacingOccurrences(of: #"\/"#, with: "/").matches(of: pattern) {
        found[String(match.output.0)] = String(match.output.1)
      }
    }
    return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
