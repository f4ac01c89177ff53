public import LedgerEvents

/// A slow and simple second implementation of `model.md` and `rules.md`, for tests to compare with.
///
/// It was written from the two texts alone and shares no code with the reducer. It sorts all events
/// into the fold order, makes several complete passes over each environment, and stores nothing.
public struct Oracle {
  /// A broken rule, with the position of the event that completes or opened it.
  public struct Finding: Hashable, Sendable {
    public var rule: String
    public var position: UInt64

    public init(rule: String, position: UInt64) {
      self.rule = rule
      self.position = position
    }
  }

  /// The answer about one account id.
  public struct Account: Equatable, Sendable {
    /// The state of each listed product. Entitlements granted by operators are only in `active`.
    public var states: [Name: String] = [:]
    public var active: [Name] = []
    /// The installed versions by device (nil for the absent device) and product.
    public var installed: [Name?: [Name: String]] = [:]
    public var balances: [Name: Int64] = [:]

    public init() {}
  }

  /// The answers for one environment at a moment.
  public struct Answer: Sendable {
    /// The store time of the question, else the newest believed store time of the environment.
    public var at: Instant
    /// The findings of rules about events.
    public var findings: [Finding]
    /// The findings of rules that hold at a moment.
    public var moment: [Finding]
    /// All account ids that events of the environment state.
    public var accounts: [Name: Account]
  }

  private let events: [RecordedEvent]

  /// Creates an oracle for all events, in any order.
  public init(_ events: [RecordedEvent]) { self.events = events }

  /// Returns the answers for every environment that has an event.
  ///
  /// - Parameter moment: The store time to fold up to and to judge at. Nil folds everything and
  ///   judges each environment at its newest believed store time.
  /// - Complexity: About O(*n* log *n*), quadratic in the length of single chains.
  public func answers(at moment: Instant? = nil) -> [StoreEnvironment: Answer] {
    let arrangement = Arrangement(events, at: moment)
    var answers: [StoreEnvironment: Answer] = [:]
    let mixed = arrangement.mixedEnvironments()
    for environment in StoreEnvironment.allCases {
      let world = World(environment, arrangement)
      guard let newest = world.events.last else { continue }
      let judged = moment?.microseconds ?? newest.at
      let sweep = Sweep(world)
      var answer = Answer(
        at: Instant(microseconds: judged), findings: sweep.findings,
        moment: sweep.findings(at: judged), accounts: sweep.accounts(at: judged))
      for mixed in mixed where mixed.environment == environment {
        answer.findings.append(Finding(rule: "environment-mixed", position: mixed.position))
      }
      answers[environment] = answer
    }
    return answers
  }
}
