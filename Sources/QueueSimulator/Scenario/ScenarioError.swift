/// The reason why a scenario cannot be played: the path in its document, what was expected there
/// and what was found.
public struct ScenarioError: Error, Hashable, Sendable {
  /// The path in the document, such as `script[3].product`; empty for the whole document.
  public var path: String
  /// What was expected, what was found and what to do, in one sentence.
  public var reason: String

  public init(path: String = "", reason: String) {
    self.path = path
    self.reason = reason
  }
}

extension ScenarioError: CustomStringConvertible {
  /// `script[3].product: expected a product of the catalogue, found "alps"`.
  public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}
