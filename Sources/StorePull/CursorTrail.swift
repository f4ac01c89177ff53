import Crypto

/// The cursors that a run has seen of a list. A store whose pages go round would be asked for ever.
struct CursorTrail {
  private var digests: Set<SHA256.Digest> = []

  init(from cursor: String?) {
    if let cursor { _ = add(cursor) }
  }

  /// Whether the cursor was not seen before.
  mutating func add(_ cursor: String) -> Bool {
    digests.insert(SHA256.hash(data: Array(cursor.utf8))).inserted
  }

  static let goesRound = PullError(
    .endless,
    "the store says that there is more, and gives pages that it gave before. Try again later.")

  static func empty(_ pages: Int) -> PullError {
    PullError(
      .endless,
      "the store says that there is more, and \(pages) pages in a row have nothing in them. What "
        + "was pulled is kept; try again later.")
  }

  static func tooLong(_ pages: Int) -> PullError {
    PullError(
      .endless,
      "the store says after \(pages) pages that there is more. What was pulled is kept; pull again "
        + "to continue.")
  }
}
