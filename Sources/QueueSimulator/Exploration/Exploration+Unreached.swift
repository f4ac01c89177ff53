public import LedgerModel

extension Exploration {
  /// What no run of a search reached. The search proves nothing about it.
  public struct Unreached: Hashable, Sendable {
    /// Faults that never struck.
    public var faults: [Action.Verb] = []
    /// Commands of the script that no run carried out.
    public var commands: [UnreachedCommand] = []
    /// Rules that no run broke, although the runs recorded the events that each rule looks at.
    public var nearRules: [Rule] = []
    /// Rules that no run came near, because an event that the rule looks at was never recorded.
    public var farRules: [Rule] = []
    /// Rules that no simulated run can break.
    public var impossibleRules: [Rule] = []
  }

  /// A command that no run of a search carried out.
  public struct UnreachedCommand: Hashable, Sendable {
    /// Its index in the script, from 0.
    public var index: Int
    /// The reason, as one sentence.
    public var reason: String
  }
}
