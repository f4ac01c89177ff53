import LedgerEvents

/// What a unit needs to go back to earlier moments of its fold, so that a late fact does not cost a
/// fold of everything: marks, and the facts that were folded since the first of them. The rows that
/// have changed since are kept by the tables themselves (`RowJournal`).
///
/// It is in memory only, and never decides what the state is: whoever lacks it folds everything.
struct FoldJournal: Sendable {
  /// A moment between two facts.
  struct Mark: Sendable {
    /// The unit without the rows of its tables.
    fileprivate(set) var head: Unit
    /// The number of the journal's facts that were folded before.
    fileprivate(set) var factIndex: Int
  }

  /// What was noted of a dated store fact, to be judged in the order of arrival.
  struct NotedArrival: Equatable, Sendable {
    var original: NameNumber
    var finding: Finding
  }

  fileprivate(set) var marks: [Mark] = []
  /// The facts since the first mark, in the fold order.
  fileprivate var facts: [Fact] = []
  /// The dated store facts among them, by position.
  fileprivate var arrivals: [UInt64: NotedArrival] = [:]

  #if DEBUG
    static let factCountMin = 6
    fileprivate static let spacing = 3
    fileprivate static let marksMax = 6
  #else
    /// Smaller units keep no journal. Folding so many facts again takes a few milliseconds.
    static let factCountMin = 4_096
    /// The number of facts between two marks. Going back costs up to as many facts more than
    /// necessary; a mark costs as much as some tens of facts.
    fileprivate static let spacing = 256
    /// The number of marks. With all of them, the journal goes back 16,384 facts, and takes up to
    /// 20 MB.
    fileprivate static let marksMax = 64
  #endif
  /// How many facts a journal goes back if it begins with a complete fold.
  static var reach: Int { spacing * marksMax }
  /// How many marks are forgotten when there is no room for another one. Forgetting costs a look at
  /// every table, and what is forgotten is out of reach.
  fileprivate static var marksForgotten: Int { max(marksMax / 4, 1) }

  /// The number of facts in it.
  var factCount: Int { facts.count }
  fileprivate var isMarkDue: Bool {
    marks.last.map { facts.count - $0.factIndex >= Self.spacing } ?? true
  }
}

// MARK: - Marks

extension Unit {
  /// Whether the unit is large enough for a journal and has more rows than that.
  func mayKeepJournal(rowsMin: Int) -> Bool {
    factCount >= FoldJournal.factCountMin && rowCount > rowsMin
  }

  /// Begins or continues the journal, if the unit is large enough and a mark is due.
  mutating func markIfDue() {
    guard journal.isMarkDue, factCount >= FoldJournal.factCountMin else { return }
    if journal.marks.count == FoldJournal.marksMax { forgetMarks(FoldJournal.marksForgotten) }
    var marker = TableMarker()
    visitTables(&marker)
    for index in environments.indices { environments[index].eachDerivedIndex { $0.mark() } }
    journal.marks.append(
      FoldJournal.Mark(head: withoutRows, factIndex: journal.facts.count))
  }

  /// Forgets the oldest marks, and the facts that only they need.
  private mutating func forgetMarks(_ count: Int) {
    var forgetter = TableForgetter(count: count)
    visitTables(&forgetter)
    for index in environments.indices {
      environments[index].eachDerivedIndex { $0.forgetMarks(count) }
    }
    journal.marks.removeFirst(count)
    let first = journal.marks.first?.factIndex ?? journal.facts.count
    for fact in journal.facts[..<first] { journal.arrivals[fact.position] = nil }
    journal.facts.removeFirst(first)
    for index in journal.marks.indices { journal.marks[index].factIndex -= first }
  }

  /// Forgets all marks.
  mutating func forgetMarks() {
    if journal.marks.isEmpty { return }
    journal = FoldJournal()
    var forgetter = TableForgetter(count: nil)
    visitTables(&forgetter)
    for index in environments.indices {
      environments[index].eachDerivedIndex { $0.forgetMarks() }
    }
  }

  /// Forgets the marks if the states there may rest on what changed in the shared context.
  package mutating func forgetMarks(restingOn change: ContextChange) {
    if journal.marks.isEmpty { return }
    let rests =
      change.addsEnvironment || !change.products.isEmpty
      || journal.marks.contains { mark in
        change.absentDeviceFrom.map { mark.head.absentDeviceReach >= $0 } ?? false
      }
    if rests { forgetMarks() }
  }

  /// Adds a fact that was folded.
  mutating func noteFolded(_ fact: Fact) {
    if journal.marks.isEmpty { return }
    journal.facts.append(fact)
    for index in environments.indices {
      guard let arrival = environments[index].arrival(of: fact) else { continue }
      journal.arrivals[fact.position] = arrival
    }
  }
}

extension EnvironmentState {
  /// What the batch notes of a fact that was folded last, if it is a dated store fact.
  fileprivate func arrival(of fact: Fact) -> FoldJournal.NotedArrival? {
    guard let last = arrivals.last, last.finding.position == fact.position else { return nil }
    return FoldJournal.NotedArrival(
      original: chains[last.chain].original, finding: last.finding)
  }

  /// Judges nothing about a dated store fact that was folded last and has been judged before.
  fileprivate mutating func dropArrival() {
    let last = arrivals.removeLast()
    let latest = chains[last.chain].latestStoreTime
    chains[last.chain].latestStoreTime = max(latest, last.storeTime)
  }
}

// MARK: - Going back

extension Unit {
  /// Goes back to the newest mark before a key. Returns the facts that were folded since, in the
  /// fold order; `nil` if there is no such mark.
  ///
  /// What was judged in the order of arrival stays.
  ///
  /// - Complexity: O(*k*) in what changed since the mark, and O(*n* / 64) in the rows.
  mutating func goBack(before key: FoldKey, _ texts: any FactTexts) -> [Fact]? {
    let found = journal.marks.lastIndex { mark in
      mark.head.lastKey.map { $0.precedes(key, texts) } ?? true
    }
    guard let found else { return nil }
    var returner = TableReturner(mark: found)
    visitTables(&returner)
    for index in environments.indices {
      environments[index].eachDerivedIndex { $0.goBack(to: found) }
      environments[index].chains.goBack(to: found) { _, now, then in
        then?.latestStoreTime = now.latestStoreTime
      }
      environments[index].indexes = FoldIndexes()
    }
    var former = journal.marks[found].head
    former.exchangeRows(with: &self)
    swap(&journal, &former.journal)
    self = former
    journal.marks.removeLast(journal.marks.count - found - 1)
    let facts = Array(journal.facts[journal.marks[found].factIndex...])
    journal.facts.removeLast(facts.count)
    return facts
  }

  /// Ends a fact that was folded once more. Returns false if the fold has noted something else than
  /// before of a fact that was judged in the order of arrival.
  mutating func isNotedAsBefore(_ fact: Fact) -> Bool {
    var noted: FoldJournal.NotedArrival?
    for index in environments.indices {
      guard let arrival = environments[index].arrival(of: fact) else { continue }
      noted = arrival
      environments[index].dropArrival()
    }
    if !journal.marks.isEmpty { journal.facts.append(fact) }
    return noted == journal.arrivals[fact.position]
  }

  /// The unit with empty tables.
  private var withoutRows: Unit {
    var head = self
    head.journal = FoldJournal()
    var rows = Unit()
    rows.environments = environments.map { EnvironmentState(environment: $0.environment) }
    head.exchangeRows(with: &rows)
    for index in head.environments.indices { head.environments[index].arrivals = [] }
    return head
  }

  private mutating func exchangeRows(with other: inout Unit) {
    swap(&identity, &other.identity)
    swap(&statedAccounts, &other.statedAccounts)
    for index in environments.indices {
      environments[index].exchangeRows(with: &other.environments[index])
    }
  }

  /// The number of former rows and facts that the journal keeps.
  ///
  /// - Complexity: O(1) in the rows.
  package var journalCount: Int {
    var counter = FormerCounter()
    readTables(&counter)
    return counter.count + journal.factCount
  }
}

// MARK: - Tables

private struct TableMarker: StateTableVisitor {
  mutating func visit<Row: Persisted & Sendable>(
    _ number: StateTableNumber, _ table: inout StateTable<Row>
  ) {
    if number != .lateFindings { table.mark() }
  }
}

private struct TableForgetter: StateTableVisitor {
  /// `nil` for all marks.
  let count: Int?

  mutating func visit<Row: Persisted & Sendable>(
    _ number: StateTableNumber, _ table: inout StateTable<Row>
  ) {
    if number == .lateFindings { return }
    if let count { table.forgetMarks(count) } else { table.forgetMarks() }
  }
}

/// Takes tables back, but for those of which more has to be known.
private struct TableReturner: StateTableVisitor {
  let mark: Int

  mutating func visit<Row: Persisted & Sendable>(
    _ number: StateTableNumber, _ table: inout StateTable<Row>
  ) {
    if number != .lateFindings && number != .chains { table.goBack(to: mark) }
  }

  mutating func visit(_ number: StateTableNumber, of index: inout KeyIndex) {
    index.goBack(to: mark)
  }
}

private struct FormerCounter: StateTableReader {
  private(set) var count = 0

  mutating func read<Row: Persisted & Sendable>(
    _ number: StateTableNumber, _ table: StateTable<Row>
  ) {
    count += table.formerCount
  }
}
