/// Why a catalogue document cannot be set: where the problem is, what was expected, and what was
/// found.
public struct CatalogueError: Error, Hashable, Sendable {
  /// The path in the document, such as `products[2].kind`; empty for the whole document.
  public var path: String
  /// What was expected, what was found and what to do, in one sentence.
  public var reason: String

  public init(path: String = "", reason: String) {
    self.path = path
    self.reason = reason
  }
}

extension CatalogueError: CustomStringConvertible {
  /// `products[2].kind: expected one of …, found "consumables"`.
  public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}
