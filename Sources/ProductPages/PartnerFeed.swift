internal import LedgerEvents

/// Reads the items of an Enterprise Partner Feed file, piece by piece.
///
/// Fields end with byte 1, and records with byte 2 and a line feed. Records that begin with `#` are
/// headers. The first names the columns. Others state the primary key, the types, the mode and, at
/// the end, how many records were written. A field may contain line feeds.
///
/// Source: Apple, *Enterprise Partner Feed Relational*, file format.
public struct PartnerFeed: Sendable {
  /// The largest accepted record in bytes. Descriptions of apps have 4,000 characters.
  public static let recordSizeBytesMax = 1 << 20

  /// The columns that contain an item's number, with the kind of item.
  private static let numberColumns: [(column: String, kind: String)] = [
    ("application_id", "application"), ("song_id", "song"), ("video_id", "video"),
    ("collection_id", "collection"), ("book_id", "book"), ("itunes_id", "item"),
    ("artist_id", "artist"),
  ]

  private var pending: [UInt8] = []
  private var columns: [String] = []
  private var number: (index: Int, kind: String)?
  private var names: [Int] = []
  private var pictures: [Int] = []
  private var storefront: Int?
  /// The number of data records so far.
  public private(set) var records: UInt64 = 0
  private var written: UInt64?

  public init() {}

  /// Takes the next bytes, and returns the items of the records that end in them.
  ///
  /// - Complexity: O(*n*) in the bytes. Between calls, at most one record is in memory.
  /// - Throws: ``StoreItemError`` with the number of the record.
  public mutating func items(
    in bytes: some Sequence<UInt8>
  ) throws(StoreItemError) -> [FoundItem] {
    var items: [FoundItem] = []
    for byte in bytes {
      if byte == 0x0A, pending.last == 0x02 {
        pending.removeLast()
        if let item = try record() { items.append(item) }
        pending.removeAll(keepingCapacity: true)
      } else {
        guard pending.count < Self.recordSizeBytesMax else {
          throw failure(
            "has more than \(Self.recordSizeBytesMax) bytes; records must end with the byte 2 "
              + "and a line feed")
        }
        pending.append(byte)
      }
    }
    return items
  }

  /// Ends the feed.
  ///
  /// - Throws: ``StoreItemError`` if the last record is incomplete, if no header named the columns,
  ///   or if the number of records differs from the number stated.
  public consuming func end() throws(StoreItemError) {
    guard pending.isEmpty else {
      throw failure(
        "is incomplete: it does not end with the byte 2 and a line feed; download the file "
          + "again")
    }
    guard !columns.isEmpty else {
      throw StoreItemError(
        .malformed, "the feed is empty; expected a header that names the columns")
    }
    if let written, written != records {
      throw StoreItemError(
        .malformed,
        "the feed has \(records.counted("record")), but states that \(written) were written; "
          + "download the file again")
    }
  }

  /// Returns the item of the complete record, or `nil` for a header.
  private mutating func record() throws(StoreItemError) -> FoundItem? {
    if pending.first == UInt8(ascii: "#") {
      try header()
      return nil
    }
    records += 1
    guard let number else {
      throw failure("precedes the header that names the columns")
    }
    let fields = pending.split(separator: 0x01, omittingEmptySubsequences: false)
    guard fields.count == columns.count else {
      throw failure(
        "has \(fields.count.counted("field")), but the header names "
          + "\(columns.count.counted("column"))")
    }
    let text = { (index: Int) -> String? in
      fields[index].isEmpty ? nil : String(decoding: fields[index], as: UTF8.self)
    }
    guard let item = text(number.index).flatMap({ StoreItem(digits: $0) }) else {
      let found = text(number.index) ?? ""
      throw failure("\(columns[number.index]): expected the number of an item, found \"\(found)\"")
    }
    return FoundItem(
      item, kind: number.kind, name: names.lazy.compactMap(text).first,
      artwork: pictures.lazy.compactMap(text).first, storefront: storefront.flatMap(text))
  }

  private mutating func header() throws(StoreItemError) {
    let text = String(decoding: pending.dropFirst(), as: UTF8.self)
    if text.hasPrefix("#") { return }  // ##legal
    if let count = text.wholeMatch(after: "recordsWritten:") {
      guard let count = UInt64(count) else {
        throw StoreItemError(.malformed, "recordsWritten: expected a number, found \"\(count)\"")
      }
      written = count
      return
    }
    for name in ["primaryKey:", "dbTypes:", "exportMode:"] where text.hasPrefix(name) { return }
    guard columns.isEmpty else { return }
    columns = text.split(separator: "\u{1}", omittingEmptySubsequences: false).map(String.init)
    number =
      Self.numberColumns.lazy.compactMap { [columns] column, kind in
        columns.firstIndex(of: column).map { ($0, kind) }
      }.first
    guard number != nil else {
      throw StoreItemError(
        .malformed,
        "the header has no column with an item's number; expected one of "
          + Self.numberColumns.map(\.column).joined(separator: ", ") + ", found "
          + columns.joined(separator: ", "))
    }
    names = ["title", "name"].compactMap { columns.firstIndex(of: $0) }
    pictures = ["artwork_url_large", "artwork_url", "artwork_url_small"]
      .compactMap { columns.firstIndex(of: $0) }
    storefront = columns.firstIndex(of: "country_code")
  }

  private func failure(_ reason: String) -> StoreItemError {
    StoreItemError(.malformed, "record \(records): \(reason)")
  }
}

extension String {
  /// Returns the text after `prefix`, or `nil` if the text does not begin with it.
  fileprivate func wholeMatch(after prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
