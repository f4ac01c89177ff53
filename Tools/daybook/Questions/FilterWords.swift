import LedgerEvents
import LedgerQueries

/// Refuses filters on words that neither the vocabulary nor the ledger contains: they would find
/// nothing, and nobody would learn why.
enum FilterWords {
  /// - Parameter isLasting: Whether the question includes future events. Then only words that are
  ///   similar to a known word are refused.
  /// - Throws: `InputProblem` (exit 64) with the word that was probably meant.
  static func refuseUnknown(_ query: EventsQuery, isLasting: Bool, _ ledger: Ledger) throws {
    var problems: [String?] = []
    try ledger.read { (view) throws(LedgerError) in
      problems = [
        try type(query, isLasting, view), try source(query, isLasting, view),
        try product(query, isLasting, view),
      ]
    }
    if let problem = problems.compactMap({ $0 }).first {
      throw InputProblem(problem, exitCode: ExitStatus.usage)
    }
  }

  private static func type(
    _ query: EventsQuery, _ isLasting: Bool, _ view: LedgerView
  ) throws(LedgerError) -> String? {
    guard let type = query.type else { return nil }
    let known = EventKind.allCases.filter { $0 != .unknown }.map(\.text)
    let pattern = TypePattern(type)
    if known.contains(where: pattern.matches) { return nil }
    let near = Spelling.nearest(to: type, among: known) ?? nearPattern(type, known)
    if isLasting && near == nil { return nil }
    var only = EventsQuery()
    only.type = type
    if try isStated(only, view) { return nil }
    return message("--type \(type)", "no known type, and no event of the ledger, matches it", near)
  }

  /// The pattern with the subject that was probably meant: `download.*` for `downlod.*`.
  private static func nearPattern(_ pattern: String, _ known: [String]) -> String? {
    let parts = pattern.split(separator: ".", maxSplits: 1).map(String.init)
    let subjects = known.map { String($0.prefix { $0 != "." }) }
    guard parts.count == 2, let subject = Spelling.nearest(to: parts[0], among: subjects) else {
      return nil
    }
    return subject == parts[0] ? nil : "\(subject).\(parts[1])"
  }

  private static func source(
    _ query: EventsQuery, _ isLasting: Bool, _ view: LedgerView
  ) throws(LedgerError) -> String? {
    guard let source = query.source, source.text != source.kind.text else { return nil }
    let near = Spelling.nearest(to: source.text, among: EventSource.Kind.allCases.map(\.text))
    if isLasting && near == nil { return nil }
    var only = EventsQuery()
    only.source = source
    if try isStated(only, view) { return nil }
    return message(
      "--source \(source.text)", "it is not a known source, and no event of the ledger states it",
      near)
  }

  private static func product(
    _ query: EventsQuery, _ isLasting: Bool, _ view: LedgerView
  ) throws(LedgerError) -> String? {
    guard let product = query.product, try view.number(of: .product, product) == nil else {
      return nil
    }
    let near = try view.nearestName(to: product, of: .product)
    if isLasting && near == nil { return nil }
    return message(
      "--product \(product.text)", "no event of the ledger states this product", near?.text)
  }

  private static func isStated(
    _ query: EventsQuery, _ view: LedgerView
  ) throws(LedgerError) -> Bool {
    var isStated = false
    try view.events(query) { _ in
      isStated = true
      return false
    }
    return isStated
  }

  private static func message(_ option: String, _ reason: String, _ near: String?) -> String {
    ("\(option): \(reason)" + (near.map { "; did you mean \($0)?" } ?? ".")).printable
  }
}
