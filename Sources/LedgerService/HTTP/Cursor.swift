import LedgerEvents
import LedgerStore

/// Where the next page of an answer begins: at which moments of both clocks the question was asked,
/// and how much of the answer has been read. So all pages belong to one answer, whatever is
/// appended meanwhile. An erasure changes answers about the past, too: a cursor that counts items
/// says what was erased, so that nothing is lost between two pages without a word (``Pager``).
struct Cursor: Equatable {
  /// The last position that the answer knows.
  var position: UInt64
  /// The store time of the answer.
  var at: Instant
  /// How many items have been read; of events, the last position.
  var read: UInt64
  /// How many names and texts were erased when the question was asked; nil if the items that were
  /// read are not counted, so that it does not matter.
  var erased: UInt64?

  var text: String {
    "\(position)-\(at.microseconds)-\(read)" + (erased.map { "-\($0)" } ?? "")
  }

  init(position: UInt64, at: Instant, read: UInt64, erased: UInt64? = nil) {
    self.position = position
    self.at = at
    self.read = read
    self.erased = erased
  }

  /// nil if the text is no cursor.
  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard (3...4).contains(parts.count), let position = UInt64(digits: parts[0]),
      let at = UInt64(digits: parts[1]).flatMap({ Int64(exactly: $0) }),
      // What follows the last one that was read has a number, too.
      let read = UInt64(digits: parts[2]), read < .max,
      (0...Instant.microsecondsMax).contains(at)
    else { return nil }
    var erased: UInt64?
    if parts.count == 4 {
      guard let count = UInt64(digits: parts[3]) else { return nil }
      erased = count
    }
    self.init(position: position, at: Instant(microseconds: at), read: read, erased: erased)
  }
}

extension UInt64 {
  /// A number in digits alone; nil for anything else, also for a sign.
  init?(digits text: some StringProtocol) {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = UInt64(text)
    else { return nil }
    self = number
  }
}

extension QueryItems {
  func cursor() throws(Problem) -> Cursor? {
    guard let text = try text("cursor") else { return nil }
    if let cursor = Cursor(text) { return cursor }
    throw Problem(
      .badRequest, "cursor: expected the member “next” of the page before, unchanged.")
  }

  /// How many items a page has.
  func limit() throws(Problem) -> UInt64 {
    try number("limit", in: 1...ServiceLimits.pageItemsMax) ?? ServiceLimits.pageItems
  }
}
