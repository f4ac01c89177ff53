import LedgerEvents
import LedgerHistories
import Testing

@testable import LedgerModel

@Suite("The facts on which entitlements depend") struct EntitlementFactsTests {
  /// How facts are chosen: as for questions, or wrong in a way that the comparison has to notice.
  enum Choice: CaseIterable {
    case asAsked
    /// Of those about downloads and installs, the first one of each transaction.
    case byTransaction
    /// Of those that name the same things, the last one.
    case lastOfEach
    /// None about downloads and installs.
    case none
  }

  @Test("give every customer what all facts give", arguments: [false, true], Choice.allCases)
  func agree(isShuffled: Bool, choice: Choice) throws {
    var compared = Comparison()
    for seed in 400..<430 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var events = Histories.dense(seed: seed, count: 100).withDownloads(&random)
      if isShuffled { events = random.shuffled(events) }
      let ledger = NumberedEvents(RecordedEvent.renumbered(events))
      for _ in 0..<4 {
        let moment = random.one(of: ledger.facts).occurredAt
        // Without a moment of the past, events may be later than the clock of the question.
        let isCut = random.chance(1, in: 2)
        let facts = ledger.facts.filter { !isCut || $0.occurredAt <= moment }
        let needed = needed(facts, choice, pieces: 1 + random.below(3), at: moment)
        compared.compare(facts, needed, at: moment, ledger, "seed \(seed) at \(moment)")
      }
    }
    // Otherwise, nothing was left out, or nothing was there to be found.
    #expect(compared.leftOut > 1_000 && compared.entries > 1_000)
    if choice == .asAsked {
      #expect(compared.differences.isEmpty)
    } else {
      #expect(!compared.differences.isEmpty)
    }
  }

  /// The needed ones of some pieces, as several threads find them.
  private func needed(
    _ facts: [Fact], _ choice: Choice, pieces: Int, at moment: Int64
  ) -> [Fact] {
    var found: [Fact] = []
    for piece in 0..<pieces {
      var needed = EntitlementFacts(at: moment)
      var transactions: Set<NameNumber> = []
      // The last one is what comes first backwards in time.
      var backwards = EntitlementFacts(at: .max)
      for index in facts.indices where index % pieces == piece {
        let fact = facts[index]
        let isReport = [RecordedEvent].downloadKinds.contains(fact.kind) && fact.device != 0
        let isKept =
          switch choice {
          case .asAsked: needed.needs(fact)
          case .byTransaction: !isReport || transactions.insert(fact.transaction).inserted
          case .none: !isReport
          case .lastOfEach: !isReport || backwards.needs(fact.mirrored)
          }
        if isKept { found.append(fact) }
      }
    }
    return found.sorted { $0.position < $1.position }
  }
}

/// What all facts give, beside what those give that are needed.
private struct Comparison {
  private(set) var differences: [String] = []
  /// How many facts were not needed.
  private(set) var leftOut = 0
  /// How many entries the answers had.
  private(set) var entries = 0

  /// Compares everybody's answers.
  mutating func compare(
    _ facts: [Fact], _ needed: [Fact], at moment: Int64, _ texts: NumberedEvents, _ name: String
  ) {
    leftOut += facts.count - needed.count
    let whole = InMemoryLedger(folding: facts, texts: texts)
    let part = InMemoryLedger(folding: needed, texts: texts)
    // Questions about the past fold a unit's facts as one.
    let asOne = UnitSet.fold(connected: needed, context: part.context, texts: texts)
    for subject in Self.subjects(facts) {
      guard let unit = whole.unit(of: subject.number) else { continue }
      let expected = answers(unit, subject, at: moment, whole.context, texts)
      let units = [(part.unit(of: subject.number), whole.context), (asOne, part.context)]
      for (other, context) in units
      where other.map({ answers($0, subject, at: moment, context, texts) }) != expected {
        differences.append("\(name), \(subject)")
      }
      entries += expected.reduce(0) { $0 + $1.answer.entries.count }
    }
  }

  /// What a customer has in an environment, and when that is judged.
  private struct Answered: Equatable {
    var isKnown: Bool
    var moment: Int64
    var answer: Answer
  }

  private func answers(
    _ unit: Unit, _ subject: Subject, at moment: Int64, _ context: SharedContext,
    _ texts: NumberedEvents
  ) -> [Answered] {
    StoreEnvironment.allCases.map { environment in
      let only = EnvironmentSet(environment)
      let moment = max(moment, unit.newestEvent(of: subject, environments: only) ?? .min)
      return Answered(
        isKnown: unit.knows(account: subject.number), moment: moment,
        answer: unit.answer(
          subject, environments: only, at: moment, context: context, texts: texts))
    }
  }

  private static func subjects(_ facts: [Fact]) -> [Subject] {
    let accounts = Set(facts.map(\.account)).subtracting([0]).sorted()
    let transactions = Set(facts.map(\.transaction)).subtracting([0]).sorted()
    return accounts.map { .account($0) }
      + transactions.flatMap { [.transaction($0), .original($0)] }
  }
}

extension Subject {
  fileprivate var number: NameNumber {
    switch self {
    case .account(let number), .transaction(let number), .original(let number): number
    }
  }
}

extension Fact {
  /// The same in a time that runs backwards.
  fileprivate var mirrored: Fact {
    var fact = self
    fact.occurredAt = -occurredAt
    return fact
  }
}
