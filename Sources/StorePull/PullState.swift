import Foundation

/// How far a list was pulled: what the next request needs.
///
/// It moves on only after the importer has taken a page. A pull that is killed before that asks for
/// the page again, or imports the saved answer again, and importing twice changes nothing.
package struct PullState: Codable, Sendable, Equatable {
  package static let versionKnown = 1
  /// How many pages a state can have. A program that counts a thousand each second takes years.
  static let pagesKnown = 0...1_000_000_000_000

  package var version = PullState.versionKnown
  /// How many pages were imported.
  package var pages = 0
  /// The revision or pagination token of the next page; nil for the first one.
  package var cursor: String?
  /// The revision before it, for the case that the store does not take `cursor` any more.
  package var previous: String?
  /// The question whose pages are under way: for notifications.
  package var question: NotificationQuestion?
  /// Until when all notifications were pulled, in milliseconds since 1970.
  package var completeUntil: Int64?

  package init() {}

  package init(json: [UInt8], name: String) throws(PullError) {
    do { self = try JSONDecoder().decode(PullState.self, from: Data(json)) } catch {
      throw PullError(
        .damagedState,
        "\(name) is not a state of a pull. Remove it: the list is then pulled from its beginning, "
          + "and nothing is doubled.")
    }
    guard version == Self.versionKnown else {
      throw PullError(
        .damagedState,
        "\(name) is of version \(version), which this program does not know: update it.")
    }
    guard Self.pagesKnown.contains(pages), completeUntil.map(Milliseconds.known.contains) ?? true,
      question?.isPlausible ?? true
    else {
      throw PullError(
        .damagedState,
        "\(name) is damaged: it has a number of pages or a time that no pull writes. Remove it: "
          + "the list is then pulled from its beginning, and nothing is doubled.")
    }
  }

  package func json() throws(PullError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do { return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")] } catch {
      throw PullError(.disk, "the state of the pull cannot be written as JSON.")
    }
  }

  /// The state after a page was imported.
  package func after(_ page: StorePage) -> PullState {
    var next = self
    next.pages += 1
    if let cursor = page.cursor, cursor != self.cursor {
      (next.cursor, next.previous) = (cursor, self.cursor)
    }
    return next
  }

  /// The state that asks again for what the store would continue after `cursor`; nil if there is
  /// nothing to go back to.
  package func steppedBack() -> PullState? {
    guard cursor != nil else { return nil }
    var state = self
    (state.cursor, state.previous) = (previous, nil)
    return state
  }
}
