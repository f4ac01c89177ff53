internal import Foundation
internal import LedgerEvents
internal import LedgerModel
internal import LedgerQueries
internal import LedgerStore

/// An entry of an account's answer, as it was told last.
///
/// The names are those of products and entitlements, which are no persons'.
struct ToldEntry: Codable, Hashable {
  var name: String
  /// Whether the name is that of an entitlement that an operator granted, and of no product.
  var isEntitlement: Bool?
  /// What a product opens.
  var opens: [String]?
  var state: UInt8
  var since: Int64
  var end: Int64?
  var isOperators: Bool?
  var environment: UInt8

  init(_ entry: StoredEntry) {
    let standing = entry.standing
    name = entry.item.name.text
    isEntitlement = entry.item.isEntitlement ? true : nil
    opens = entry.entitlements.isEmpty ? nil : entry.entitlements.map(\.text)
    state = standing.state.rawValue
    since = standing.since
    end = standing.end == .max ? nil : standing.end
    isOperators = standing.source == .operator ? true : nil
    environment = standing.environment.rawValue
  }

  /// The entry of an answer; nil if another program has written it.
  var entry: EntitlementsAnswer.Entry? {
    guard let state = EntitlementState(rawValue: state),
      let environment = StoreEnvironment(rawValue: environment)
    else { return nil }
    return EntitlementsAnswer.Entry(
      StoredEntry(
        item: ItemReference(Name(name), isEntitlement: isEntitlement ?? false),
        entitlements: (opens ?? []).map { Name($0) },
        standing: ItemStanding(
          state: state, since: since, end: end ?? .max,
          source: isOperators ?? false ? .operator : .store, environment: environment)))
  }

  /// The names that it makes a message be about.
  var names: [Name] { [Name(name)] + (opens ?? []).map { Name($0) } }

  static func text(_ entries: [ToldEntry]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(entries), as: UTF8.self)
  }

  static func list(_ text: String) throws -> [ToldEntry] {
    try JSONDecoder().decode([ToldEntry].self, from: Data(text.utf8))
  }
}
