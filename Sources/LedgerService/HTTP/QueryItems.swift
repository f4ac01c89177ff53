import Foundation
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries
import LedgerStore
import LocalTime
import ProductPages

/// The parameters of a request. One that the address does not take is a mistake of the client, and
/// is refused.
///
/// As in a form, `+` is a space; a plus sign is `%2B`.
///
/// Source: WHATWG, *URL Standard*, `application/x-www-form-urlencoded`.
struct QueryItems {
  private var values: [String: [String]] = [:]
  private let known: [String]
  private let times: SpokenTime

  /// The moment at which they were read.
  var now: Instant { times.now }

  /// - Parameters:
  ///   - query: The text after the question mark; nil if there is none.
  ///   - known: The parameters that the address takes.
  ///   - now: The moment that `7d` is relative to.
  /// - Throws: ``Problem``: `badRequest`.
  init(_ query: String?, _ known: [String], now: Instant) throws(Problem) {
    times = SpokenTime(in: .utc, now: now)
    self.known = known
    for part in (query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
      let pieces = part.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = try Self.decoded(pieces[0])
      guard known.contains(name) else { throw Self.unknown(name, known) }
      values[name, default: []].append(pieces.count > 1 ? try Self.decoded(pieces[1]) : "")
    }
  }

  private static func unknown(_ name: String, _ known: [String]) -> Problem {
    let near = Spelling.nearest(to: name, among: known).map { "; did you mean \($0)?" }
    let all = known.isEmpty ? "none is taken here." : "expected \(known.joined(separator: ", "))."
    return Problem(
      .badRequest, "There is no parameter “\(name.prefix(64))”\(near ?? ":") \(all)")
  }

  private static func decoded(_ text: Substring.UTF8View) throws(Problem) -> String {
    let written = String(decoding: text, as: UTF8.self)
    guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
      return written
    }
    let spaced = written.replacing("+", with: " ")
    guard let decoded = spaced.removingPercentEncoding else {
      throw Problem(
        .badRequest,
        "The query has a % that no two hexadecimal digits follow, or that is not UTF-8: write a "
          + "percent sign as %25.")
    }
    return decoded
  }

  // MARK: - Texts

  func texts(_ name: String) -> [String] {
    precondition(known.contains(name), "\(name) is no parameter of this address")
    return values[name] ?? []
  }

  func text(_ name: String) throws(Problem) -> String? {
    let found = texts(name)
    guard found.count <= 1 else {
      throw Problem(.badRequest, "\(name): expected one value, found \(found.count).")
    }
    guard found.first?.isEmpty != true else {
      throw Problem(.badRequest, "\(name): expected a value, found nothing.")
    }
    return found.first
  }

  /// Whether the address takes a parameter.
  func takes(_ name: String) -> Bool { known.contains(name) }

  func name(_ name: String) throws(Problem) -> Name? { try text(name).map { Name($0) } }

  /// Whether a flag is set: `true` or `false`; without a value it is set.
  func flag(_ name: String) throws(Problem) -> Bool {
    let found = texts(name)
    switch (found.count, found.first) {
    case (0, _), (1, "false"): return false
    case (1, "true"), (1, ""): return true
    default: throw Problem(.badRequest, "\(name): expected true or false.")
    }
  }

  /// One of several words.
  func word<Word: RawRepresentable & CaseIterable>(
    _ name: String, _ type: Word.Type
  ) throws(Problem) -> Word? where Word.RawValue == String {
    guard let text = try text(name) else { return nil }
    guard let word = Word(rawValue: text) else {
      throw Self.unknown(name, text, among: type.allCases.map(\.rawValue))
    }
    return word
  }

  static func unknown(_ name: String, _ text: String, among words: [String]) -> Problem {
    let near = Spelling.nearest(to: text, among: words).map { " Did you mean \($0)?" } ?? ""
    return Problem(.badRequest, "\(name): expected one of \(words.joined(separator: ", ")).\(near)")
  }

  // MARK: - Numbers and times

  func number(
    _ name: String, in range: ClosedRange<UInt64>
  ) throws(Problem) -> UInt64? {
    guard let text = try text(name) else { return nil }
    guard let number = UInt64(digits: text), range.contains(number) else {
      let end = range.upperBound == .max ? "" : " to \(range.upperBound)"
      throw Problem(
        .badRequest, "\(name): expected a whole number from \(range.lowerBound)\(end).")
    }
    return number
  }

  func instant(_ name: String) throws(Problem) -> Instant? {
    guard let text = try text(name) else { return nil }
    do throws(SpokenTimeError) { return try times.moment(text) } catch {
      throw Problem(.badRequest, "\(name): \(error.message)")
    }
  }

  func ledgerTime(_ name: String) throws(Problem) -> Clocks.LedgerTime? {
    guard let text = try text(name) else { return nil }
    if let position = UInt64(digits: text) { return .position(position) }
    do throws(SpokenTimeError) {
      return .instant(try times.moment(text, or: "a position (1200)"))
    } catch {
      throw Problem(.badRequest, "\(name): \(error.message)")
    }
  }

  /// The two clocks: `at` and `asOf`.
  func clocks() throws(Problem) -> Clocks {
    Clocks(at: try instant("at"), asOf: try ledgerTime("asOf"))
  }

  // MARK: - Names of the model

  /// The environments in their order, each once; production if none is named.
  func environments(
    _ usual: [StoreEnvironment] = [.production]
  ) throws(Problem) -> [StoreEnvironment] {
    var found: Set<StoreEnvironment> = []
    for text in texts("environment") { found.insert(try Self.environment(text)) }
    return found.isEmpty ? usual : found.sorted()
  }

  func environment() throws(Problem) -> StoreEnvironment? {
    guard let text = try text("environment") else { return nil }
    return try Self.environment(text)
  }

  private static func environment(_ text: String) throws(Problem) -> StoreEnvironment {
    if let found = StoreEnvironment(text: text) { return found }
    throw unknown("environment", text, among: StoreEnvironment.allCases.map(\.text))
  }

  /// The customer that the question names by an account, a transaction or an original transaction;
  /// nil if it names none.
  func customer() throws(Problem) -> CustomerReference? {
    let named: [CustomerReference] = [
      try name("account").map { .account($0) }, try name("transaction").map { .transaction($0) },
      try name("original").map { .original($0) },
    ].compactMap { $0 }
    guard named.count <= 1 else {
      throw Problem(.badRequest, "Name one of account, transaction and original.")
    }
    return named.first
  }

  /// The customer that the question has to name.
  func requiredCustomer() throws(Problem) -> CustomerReference {
    if let customer = try customer() { return customer }
    throw Problem(.badRequest, "Name an account, or a transaction or original in place of it.")
  }

  func required(_ name: String) throws(Problem) -> Name {
    if let found = try self.name(name) { return found }
    throw Problem(.badRequest, "\(name) is missing.")
  }

  func rules() throws(Problem) -> Set<Rule> {
    var rules: Set<Rule> = []
    for text in texts("rule") {
      guard let rule = Rule(id: text) else {
        throw Self.unknown("rule", text, among: Rule.allCases.map(\.id))
      }
      rules.insert(rule)
    }
    return rules
  }

  func severities() throws(Problem) -> Set<Rule.Severity> {
    var severities: Set<Rule.Severity> = []
    for text in texts("severity") {
      guard let found = Rule.Severity.allCases.first(where: { $0.text == text }) else {
        throw Self.unknown("severity", text, among: Rule.Severity.allCases.map(\.text))
      }
      severities.insert(found)
    }
    return severities
  }

  /// The thresholds of the rules, with those that the parameter `threshold` changes.
  func thresholds() throws(Problem) -> Thresholds {
    var thresholds = Thresholds.standard
    for text in texts("threshold") {
      do throws(RuleThreshold.Invalid) { try RuleThreshold(text).apply(to: &thresholds) } catch {
        throw Problem(.badRequest, "threshold: \(error.message)")
      }
    }
    return thresholds
  }

  /// The digits of the item of the store that a number or a link names.
  func storeItem() throws(Problem) -> String? {
    guard let text = try text("storeItem") else { return nil }
    do throws(StoreItemError) { return try StoreLink.item(in: text).item.description } catch {
      throw Problem(.badRequest, "storeItem: \(error).")
    }
  }
}
