import LedgerAnswers
import LedgerEvents
import LedgerQueries
import LocalTime

/// How a question about events groups them: it counts them by values, or adds up what was sold.
struct EventGroups: Sendable {
  /// The parameters that say so.
  static let parameters = ["by", "sum", "net"]

  private let dimensions: [EventDimension]
  /// What is added up; nil to count.
  private let summands: [Summand]?
  private let isNet: Bool

  /// nil if the question is about the events themselves.
  ///
  /// - Throws: ``Problem``: `badRequest`.
  init?(_ items: QueryItems) throws(Problem) {
    let summands = try items.words("sum", Summand.self)
    let dimensions = try items.words("by", EventDimension.self)
    isNet = try items.flag("net")
    guard !isNet || summands == [.price] else {
      throw Problem(.badRequest, "net needs sum=price: it is about money alone.")
    }
    guard summands != nil || dimensions != nil else { return nil }
    for other in ["reverse", "count"] where try items.flag(other) {
      throw Problem(
        .badRequest,
        "\(other) cannot be combined with by and sum: groups are counted, and have an order.")
    }
    (self.summands, self.dimensions) = (summands, dimensions ?? [])
  }

  /// A page of the groups.
  ///
  /// - Throws: `LedgerError`.
  func answer(
    _ query: EventsQuery, _ view: LedgerView, _ pager: Pager, _ moment: PageClocks.Moment
  ) throws(LedgerError) -> Answer {
    var pager = pager
    guard let summands else {
      let counts = try view.counts(of: query, by: dimensions, zone: .utc)
      for group in counts.groups {
        guard pager.add({ JSONText.text { counts.write(group, to: &$0) } }) else { break }
      }
      return pager.answer(columns: counts.columns, moment)
    }
    let table = try view.sums(of: query, summands, by: dimensions, zone: .utc)
    if isNet {
      for line in try table.netLines() {
        guard pager.add({ JSONText.text { table.write(line, to: &$0) } }) else { break }
      }
      return pager.answer(columns: table.netColumns, moment)
    }
    for line in try table.lines() {
      guard pager.add({ JSONText.text { table.write(line, to: &$0) } }) else { break }
    }
    return pager.answer(columns: table.columns, moment)
  }
}

extension QueryItems {
  /// Several words separated by commas, each once; nil if the parameter is not there.
  func words<Word: RawRepresentable & CaseIterable & Hashable>(
    _ name: String, _ type: Word.Type
  ) throws(Problem) -> [Word]? where Word.RawValue == String {
    guard let text = try text(name) else { return nil }
    var found: [Word] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let word = Word(rawValue: String(part)) else {
        throw Self.unknown(name, String(part), among: type.allCases.map(\.rawValue))
      }
      guard !found.contains(word) else {
        throw Problem(.badRequest, "\(name): \(part) is there twice.")
      }
      found.append(word)
    }
    return found
  }
}
