import ArgumentParser

/// The dimensions by which answers are grouped: one, or several separated by commas, such as
/// `day,product`.
struct Dimensions<Dimension: RawRepresentable & CaseIterable & Hashable>: ExpressibleByArgument
where Dimension.RawValue == String {
  let list: [Dimension]

  /// `nil` if a value is unknown or named twice.
  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    let found = parts.compactMap { Dimension(rawValue: String($0)) }
    guard found.count == parts.count, Set(found).count == found.count else { return nil }
    list = found
  }

  var names: [String] { list.map(\.rawValue) }

  func contains(_ dimension: Dimension) -> Bool { list.contains(dimension) }

  static var allValueStrings: [String] { Dimension.allCases.map(\.rawValue) }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
