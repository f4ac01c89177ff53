public import LedgerEvents

/// A slow and simple second statement of `model.md` and `rules.md`, for tests to compare with.
///
/// It was written from the two texts alone and shares no code with the reducer: it sorts all events
/// into the fold's order, makes several whole passes over each environment, and keeps nothing.
public struct Oracle {
  /// A broken rule, and the position of the event that completes or opened it.
  public struct Finding: Hashable, Sendable {
    public var rule: String
    public var position: UInt64

    public init(rule: String, position: UInt64) {
      self.rule = rule
      self.position = position
    }
  }

  /// What one account id is answered.
  public struct Account: Equatable, Sendable {
    /// The state of each product that is listed; operators' entitlements are in `active` only.
    public var states: [Name: String] = [:]
    public var active: [Name] = []
    /// Versions by device (nil: the absent one) and product.
    public var installed: [Name?: [Name: String]] = [:]
    public var balances: [Name: Int64] = [:]

    public init() {}
  }

  /// What one environment says at a moment.
  public struct Answer: Sendable {
    /// The moment asked for, else the newest believed store time of the environment.
    public var at: Instant
    /// Rules of the first table.
    public var findings: [Finding]
    /// Rules of the second table.
    public var moment: [Finding]
    /// Every account id that an event of the environment states.
    public var accounts: [Name: Account]
  }

  private let events: [RecordedEvent]

  /// Takes all events, in any order.
  public init(_ events: [RecordedEvent]) { self.events = events }

  /// What every environment with an event says.
  ///
  /// - Parameter moment: store time to fold up to and to judge at; nil folds everything and judges
  ///   each environment at its newest believed store time.
  /// - Complexity: about O(*n* log *n*), quadratic in the length of single chains.
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
