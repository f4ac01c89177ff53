import ProductPages
import Testing

@Suite("The partner feed") struct PartnerFeedTests {
  private let header =
    "#export_date\u{1}application_id\u{1}title\u{1}view_url\u{1}artwork_url_large\u{2}\n"
    + "#primaryKey:application_id\u{2}\n"
    + "#dbTypes:BIGINT\u{1}INTEGER\u{1}VARCHAR(1000)\u{1}VARCHAR(1000)\u{1}VARCHAR(1000)\u{2}\n"
    + "#exportMode:FULL\u{2}\n##legal: all rights\u{2}\n"
  private let rows =
    "1352800000\u{1}364709193\u{1}iBooks\u{1}http://x\u{1}http://a.png\u{2}\n"
    + "1352800000\u{1}496963922\u{1}MWC 2012\nUnofficial\u{1}http://y\u{1}\u{2}\n"

  /// Reads the feed in pieces of this many bytes.
  private func items(_ text: String, piece: Int = .max) throws(StoreItemError) -> [FoundItem] {
    var feed = PartnerFeed()
    var items: [FoundItem] = []
    let bytes = Array(text.utf8)
    var start = 0
    while start < bytes.count {
      let end = piece == .max ? bytes.count : min(start + piece, bytes.count)
      items += try feed.items(in: bytes[start..<end])
      start = end
    }
    try feed.end()
    return items
  }

  @Test("rows give number, name and picture; a field may hold a line feed")
  func read() throws {
    let items = try items(header + rows + "#recordsWritten:2\u{2}\n")
    #expect(items.map(\.item.number) == [364_709_193, 496_963_922])
    #expect(items.map(\.name) == ["iBooks", "MWC 2012\nUnofficial"])
    #expect(items.map(\.artwork) == ["http://a.png", nil])
    #expect(items.map(\.kind) == ["application", "application"])
  }

  @Test("it is the same in whatever pieces it comes", arguments: 1...40)
  func pieces(_ size: Int) throws {
    let text = header + rows + "#recordsWritten:2\u{2}\n"
    #expect(try items(text, piece: size) == items(text))
  }

  @Test(
    "what is no feed is refused with the record",
    arguments: [
      ("", "empty"), ("1\u{1}2\u{2}\n", "record 1: precedes the header"),
      ("#a\u{1}b\u{2}\n", "the header has no column"),
      ("#application_id\u{1}title\u{2}\n1\u{2}\n", "record 1: has 1 field,"),
      ("#application_id\u{1}title\u{2}\nx\u{1}y\u{2}\n", "record 1: application_id"),
      ("#application_id\u{2}\n1\u{2}\n2", "record 1: is incomplete"),
      ("#application_id\u{2}\n1\u{2}\n#recordsWritten:2\u{2}\n", "states that 2 were written"),
      ("#application_id\u{2}\n#recordsWritten:two\u{2}\n", "recordsWritten"),
    ])
  func malformed(_ text: String, _ message: String) {
    let error = #expect(throws: StoreItemError.self) { try items(text) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test("a record without an end is refused before it fills the memory")
  func endless() {
    let error = #expect(throws: StoreItemError.self) {
      var feed = PartnerFeed()
      _ = try feed.items(in: Array("#application_id\u{2}\n".utf8))
      for _ in 0...PartnerFeed.recordSizeBytesMax / 1024 {
        _ = try feed.items(in: [UInt8](repeating: 0x61, count: 1024))
      }
    }
    #expect(error?.message.contains("more than \(PartnerFeed.recordSizeBytesMax) bytes") == true)
  }
}
