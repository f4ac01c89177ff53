internal import LedgerEvents
internal import LedgerModel

/// The lines of one unit, brought up to date fact by fact.
struct UnitLines {
  private(set) var sheet = LineSheet()
  private var environments: [StoreEnvironment: EnvironmentLines] = [:]
  /// When the unit must be updated again, by environment.
  private var queued: [StoreEnvironment: Int64] = [:]

  /// The lines of a unit that was folded from the start.
  init(_ unit: Unit, _ replay: ReplayLedger) {
    // An environment without a moment has no lines: its transactions have no events there.
    for source in Self.sources(unit, replay) {
      environments[source.environment, default: EnvironmentLines()].writeAll(source, &sheet)
    }
  }

  /// Writes what facts can have changed. The unit must have advanced with all of them.
  mutating func write(_ facts: [Fact], of unit: Unit, _ replay: ReplayLedger) {
    let sources = Self.sources(unit, replay)
    var touched: [(parts: TouchedParts, fact: Fact, source: PartSource)] = []
    for fact in facts {
      for parts in unit.parts(touchedBy: fact) {
        guard let source = sources.first(where: { $0.environmentIndex == parts.environment })
        else { continue }
        touched.append((parts, fact, source))
      }
    }
    // What the first one changes is evaluated with what the last one says.
    for (parts, _, source) in touched { environments[source.environment]?.note(parts) }
    for (parts, fact, source) in touched {
      environments[source.environment, default: EnvironmentLines()]
        .write(parts, of: fact, source, &sheet)
    }
  }

  /// Writes what time alone has changed in an environment.
  mutating func writeDue(
    in environment: StoreEnvironment, of unit: Unit, _ replay: ReplayLedger
  ) {
    queued[environment] = nil
    for source in Self.sources(unit, replay) where source.environment == environment {
      environments[environment]?.writeDue(source, &sheet)
    }
  }

  /// Whether the unit waits for a moment of an environment.
  func waits(for moment: Int64, in environment: StoreEnvironment) -> Bool {
    queued[environment] == moment
  }

  /// The moments for which the unit has begun to wait.
  mutating func takeNewDues() -> [(environment: StoreEnvironment, moment: Int64)] {
    var new: [(environment: StoreEnvironment, moment: Int64)] = []
    for (environment, lines) in environments {
      guard let next = lines.nextDue, queued[environment] != next else { continue }
      queued[environment] = next
      new.append((environment, next))
    }
    return new
  }

  mutating func takeChanges() -> [ReplayChange] { sheet.takeChanges() }

  private static func sources(_ unit: Unit, _ replay: ReplayLedger) -> [PartSource] {
    unit.partEnvironments.enumerated().compactMap { index, environment in
      replay.moment(of: environment).map { moment in
        PartSource(
          unit: unit, environmentIndex: index, environment: environment, moment: moment,
          context: replay.ledger.context, texts: replay.texts)
      }
    }
  }
}
