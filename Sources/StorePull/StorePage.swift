import LedgerEvents

/// What a pull needs to know of an answer; the rest is the importer's.
package struct StorePage: Sendable, Equatable {
  /// The longest revision or pagination token that is taken, in bytes: it goes into the next
  /// request's address and into the state of the list. The store's have about a hundred.
  package static let cursorBytesMax = 4 * 1024

  /// The revision or the pagination token of the next page.
  package var cursor: String?
  package var hasMore: Bool
  /// The signed texts in it. The importer refuses an answer without any.
  package var signedCount: Int

  /// - Parameter app: The bundle identifier that an answer must have, if it states one.
  /// - Complexity: O(*n*) in the number of bytes.
  /// - Throws: ``PullError``: `malformed` if it is not an answer of this list, `refused` if it is
  ///   about another app.
  package init(
    _ body: [UInt8], of list: StoreList, app: String
  ) throws(PullError) {
    let document: JSONValue
    do throws(EventError) { document = try JSONValue(document: body, nulls: .leftOut) } catch {
      throw PullError(
        .malformed, "the answer is not JSON (\(body.count) bytes): \(error.reason)")
    }
    if let bundle = document["bundleId"]?.string, bundle != app {
      throw PullError(
        .refused, "the store answered for \(StoreFault.cut(bundle)), and --app is \(app).")
    }
    func missing(_ member: String) -> PullError {
      PullError(.malformed, "the answer has no \(member), which \(list.rawValue) always has")
    }
    switch list {
    case .history, .refunds:
      guard let signed = document["signedTransactions"]?.array else {
        throw missing("signedTransactions")
      }
      guard let more = document["hasMore"]?.boolean else { throw missing("hasMore") }
      // Without more, it is where the next pull would begin; without it, where this one did.
      let revision = document["revision"]?.string
      guard revision != nil || !more else { throw missing("revision") }
      (cursor, hasMore, signedCount) = (revision, more, signed.count)
    case .statuses:
      guard let groups = document["data"]?.array else { throw missing("data") }
      signedCount = groups.reduce(0) { $0 + ($1["lastTransactions"]?.array?.count ?? 0) }
      (cursor, hasMore) = (nil, false)
    case .notifications:
      guard let entries = document["notificationHistory"]?.array else {
        throw missing("notificationHistory")
      }
      guard let more = document["hasMore"]?.boolean else { throw missing("hasMore") }
      cursor = document["paginationToken"]?.string
      guard cursor != nil || !more else { throw missing("paginationToken") }
      (hasMore, signedCount) = (more, entries.count)
    }
    if let cursor, cursor.utf8.count > Self.cursorBytesMax {
      let name = list == .notifications ? "paginationToken" : "revision"
      throw PullError(
        .malformed,
        "the answer has a \(name) of \(cursor.utf8.count) bytes, and expected are at most "
          + "\(Self.cursorBytesMax)")
    }
  }
}
