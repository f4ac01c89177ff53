import LMDB
import LedgerEvents
import LedgerHistories
import LedgerModel
import Testing

@testable import LedgerStore

/// What the projections of a ledger hold, byte by byte.
struct StoredRows {
  fileprivate private(set) var rows: [String: [[UInt8]: [UInt8]]] = [:]

  init(_ projections: Projections) throws {
    let tables = projections.tables
    let reading = try projections.beginRead()
    for table in [tables.pages, tables.answers, tables.couplings, tables.observed, tables.units] {
      var cursor = try RowCursor(table, reading.view)
      while try cursor.next() {
        // How far a row was folded depends on how the log was cut.
        let skipped = table.name == tables.units.name ? 8 : 0
        let content = [UInt8](copying: cursor.content)
        rows[table.name, default: [:]][[UInt8](copying: cursor.key)] = Array(
          content[skipped...])
      }
    }
  }

  func count(of table: RowTable) -> Int { rows[table.name]?.count ?? 0 }

  func keys(of table: RowTable) -> Set<[UInt8]> { Set((rows[table.name] ?? [:]).keys) }

  /// The names of the tables whose rows differ.
  func differences(from other: StoredRows) -> [String] {
    Set(rows.keys).union(other.rows.keys).filter { rows[$0] ?? [:] != other.rows[$0] ?? [:] }
      .sorted()
  }
}

@Suite("A unit whose state is divided into pages") struct DividedUnitTests {
  private static let layouts = [
    UnitLayout(rowsPerPage: 1, undividedRowsMax: 0),
    UnitLayout(rowsPerPage: 2, undividedRowsMax: 9),
    UnitLayout(rowsPerPage: 3, undividedRowsMax: 40),
    UnitLayout(rowsPerPage: 64, undividedRowsMax: 10),
    .standard,
  ]

  private static func history(_ seed: UInt64, _ random: inout SeededRandom) -> [RecordedEvent] {
    let dense = Histories.dense(seed: seed, count: 140)
    switch seed % 6 {
    case 0: return dense
    case 1: return RecordedEvent.shuffled(dense, seed: seed)
    case 2: return dense.mostlyWithoutDevices(&random)
    case 3: return RecordedEvent.someLate(dense, delayMax: 15, &random)
    case 4:
      return RecordedEvent.someLate(
        Histories.realistic(seed: seed, count: 220), delayMax: 9, &random)
    default: return Histories.sparse(seed: seed, count: 200, accounts: 6)
    }
  }

  private static func input(_ events: some Sequence<RecordedEvent>) -> [EventInput] {
    events.map { EventInput(event: $0.event, position: 1, recordedAt: $0.recordedAt) }
  }

  /// Appends events piece by piece and folds each, with `pace`, by a projector that is replaced now
  /// and then, as by another process.
  private func fold(
    _ events: [RecordedEvent], into ledger: Ledger, _ pace: MergePace,
    _ random: inout SeededRandom, afterEach body: (Projections) throws -> Void = { _ in }
  ) throws {
    let projections = try #require(try ledger.source.live())
    var projector = Projector(log: ledger.log, projections: projections, pace: pace)
    var rest = events[...]
    while !rest.isEmpty {
      let piece = rest.prefix(1 + random.below(12))
      rest = rest.dropFirst(piece.count)
      let batch = Self.input(piece)
      _ = try ledger.appendAndWait(batch, options: AppendOptions(trustsRecordedAt: true))
      if random.chance(1, in: 6) {
        try projector.writeReports()
        projector = Projector(log: ledger.log, projections: projections, pace: pace)
      }
      _ = try projector.step()
      try body(projections)
    }
    try projector.writeReports()
  }

  @Test(
    "has the same rows as after a complete fold, whatever the layout", arguments: layouts,
    800..<812 as Range<UInt64>)
  func sameRows(layout: UnitLayout, seed: UInt64) throws {
    let walk = try LedgerWalk()
    let ledger = try walk.ledger()
    ledger.foldsOnlyWhenCalled()
    var random = SeededRandom(seed: seed)
    let events = Self.history(seed, &random)
    let pace = MergePace(layout: layout, keptRowsMax: seed % 3 == 0 ? 30 : KeptUnits.rowsMax)
    try fold(events, into: ledger, pace, &random)
    let live = try #require(try ledger.source.live())
    let fresh = try Projections.make(live.generation + 1, of: ledger.log)
    let whole = Projector(log: ledger.log, projections: fresh, pace: MergePace(layout: layout))
    try whole.fold(through: .max, nil)
    try whole.writeReports()
    let stored = try StoredRows(live)
    let tables = stored.differences(from: try StoredRows(fresh))
    #expect(tables.isEmpty, "seed \(seed): \(tables)")
    let found = try ProjectionComparison(live, fresh).differences()
    #expect(found.isEmpty, "seed \(seed): \(found)")
    if layout.undividedRowsMax < 20 { #expect(stored.count(of: live.tables.pages) > 0) }
  }

  @Test(
    "has the same rows after each fold if some events are late",
    arguments: 840..<856 as Range<UInt64>)
  func someLate(seed: UInt64) throws {
    let walk = try LedgerWalk()
    let ledger = try walk.ledger()
    ledger.foldsOnlyWhenCalled()
    var random = SeededRandom(seed: seed)
    var history = Histories.dense(seed: seed, count: 70)
    switch seed % 4 {
    case 0: history = Histories.sparse(seed: seed, count: 90, accounts: 2)
    case 1: history = history.mostlyWithoutDevices(&random)
    case 2: history = try Self.manyProducts(&random)
    default:
      // No state of the absent device is shared, so that the unit goes back.
      for index in history.indices where history[index].event.device == nil {
        history[index].event.device = "phone"
      }
    }
    let events = RecordedEvent.someLate(history, delayMax: 10, &random)
    let layout = UnitLayout(rowsPerPage: 2, undividedRowsMax: 0)
    let live = try #require(try ledger.source.live())
    let projector = Projector(
      log: ledger.log, projections: live, pace: MergePace(layout: layout))
    var generation = live.generation
    var rest = events[...]
    while !rest.isEmpty {
      let piece = rest.prefix(1 + random.below(3))
      rest = rest.dropFirst(piece.count)
      _ = try ledger.appendAndWait(
        Self.input(piece), options: AppendOptions(trustsRecordedAt: true))
      _ = try projector.step()
      generation += 1
      let fresh = try Projections.make(generation, of: ledger.log)
      _ = try Projector(log: ledger.log, projections: fresh, pace: MergePace(layout: layout))
        .step()
      let tables = try StoredRows(live).differences(from: try StoredRows(fresh))
      guard tables.isEmpty else {
        Issue.record("seed \(seed), \(events.count - rest.count) events: \(tables)")
        return
      }
    }
  }

  @Test("has no row of a product any more that a late event shows it never observed")
  func lostObservation() throws {
    let walk = try LedgerWalk()
    let ledger = try walk.ledger()
    ledger.foldsOnlyWhenCalled()
    // The download says no product, so it has that of its transaction: the first one stated.
    var events = (10..<20).map { (second: $0, text: #""type":"session.started""#) }
    events += [
      (30, #""type":"transaction.purchased","transaction":"t","product":"book""#),
      (
        40,
        #""type":"download.waiting","transaction":"t","download":"d","#
          + #""data":{"contentVersion":"1"}"#
      ),
      (25, #""type":"transaction.purchasing","transaction":"t","payment":"y","product":"map""#),
    ]
    let live = try #require(try ledger.source.live())
    let pace = MergePace(layout: UnitLayout(rowsPerPage: 2, undividedRowsMax: 0))
    let projector = Projector(log: ledger.log, projections: live, pace: pace)
    var observed: [Set<[UInt8]>] = []
    for (index, event) in events.enumerated() {
      let text =
        #"{"id":"e\#(index)","account":"ada","device":"phone","#
        + #""occurredAt":"2026-01-01T00:00:\#(event.second)Z",\#(event.text)}"#
      let event = try EventDecoder().decode(line: Array(text.utf8), number: index + 1)
      _ = try ledger.appendAndWait([event])
      _ = try projector.step()
      observed.append(try StoredRows(live).keys(of: live.tables.observed))
    }
    let fresh = try Projections.make(live.generation + 1, of: ledger.log)
    _ = try Projector(log: ledger.log, projections: fresh, pace: pace).step()
    #expect(try StoredRows(live).differences(from: try StoredRows(fresh)).isEmpty)
    #expect(observed.suffix(2).map(\.count) == [1, 1] && observed.last != observed.dropLast().last)
  }

  /// Purchases and refunds of many products by one customer, who also observes versions of them.
  private static func manyProducts(_ random: inout SeededRandom) throws -> [RecordedEvent] {
    try (0..<80).map { index in
      let transaction = random.chance(1, in: 5) ? random.below(index + 1) : index
      var line = #"{"id":"e\#(index)","account":"ada","device":"phone","occurredAt":"#
      line += #""2026-01-01T00:\#(10 + index / 8):\#(10 + index % 8)Z","type":"#
      switch random.below(5) {
      case 0: line += #""transaction.refunded","transaction":"t\#(transaction)"}"#
      case 1...2:
        line += #""content.versionPublished","product":"p\#(index % 40)","#
        line += #""data":{"contentVersion":"\#(1 + random.below(3)).0"}}"#
      default:
        line += #""transaction.purchased","transaction":"t\#(transaction)","#
        line += #""product":"p\#(index % 40)"}"#
      }
      let event = try EventDecoder().decode(line: Array(line.utf8), number: index + 1).event
      return RecordedEvent(
        position: UInt64(index + 1), recordedAt: event.occurredAt, event: event)
    }
  }

  @Test("is read again from its pages as it was") func readAgain() throws {
    for seed in 820..<828 as Range<UInt64> {
      let walk = try LedgerWalk()
      let ledger = try walk.ledger()
      ledger.foldsOnlyWhenCalled()
      var random = SeededRandom(seed: seed)
      let events = Self.history(seed, &random)
      let pace = MergePace(layout: UnitLayout(rowsPerPage: 2, undividedRowsMax: 0))
      try fold(events, into: ledger, pace, &random)
      try ledger.read { (view) throws(LedgerError) in
        var walk = try view.units()
        var count = 0
        while let state = try walk.next() {
          let facts = try view.facts(of: walk.unit)
          let folded = UnitSet.fold(
            connected: facts, context: view.reader.overlay.context, texts: view.reader.texts)
          #expect(state.encoded() == folded.encoded(), "seed \(seed), unit \(walk.unit)")
          count += 1
        }
        #expect(count > 0)
      }
    }
  }

  @Test("of which a page is missing is folded again from its events") func missingPage() throws {
    let walk = try LedgerWalk()
    let ledger = try walk.ledger()
    ledger.foldsOnlyWhenCalled()
    var random = SeededRandom(seed: 830)
    let events = Self.history(832, &random)
    let pace = MergePace(layout: UnitLayout(rowsPerPage: 2, undividedRowsMax: 0))
    try fold(events, into: ledger, pace, &random)
    let before = try ledger.read { (view) throws(LedgerError) in try Self.states(view) }
    let live = try #require(try ledger.source.live())
    try live.environment.write { transaction in
      var keys: [[UInt8]] = []
      do {
        var cursor = try transaction.view.cursor(live.tables.pages.table)
        while try cursor.next() { keys.append([UInt8](copying: cursor.key)) }
      }
      for key in keys where random.chance(1, in: 5) {
        _ = try transaction.delete(live.tables.pages.table, key.span)
      }
    }
    let after = try ledger.read { (view) throws(LedgerError) in try Self.states(view) }
    #expect(before == after)
    #expect(try !ledger.checkProjections().isEmpty)
  }

  @Test("has new answers when the catalogue changes after its last event") func laterCatalogue()
    throws
  {
    let walk = try LedgerWalk()
    let ledger = try walk.ledger()
    ledger.foldsOnlyWhenCalled()
    let live = try #require(try ledger.source.live())
    let layout = UnitLayout(rowsPerPage: 2, undividedRowsMax: 0)
    let projector = Projector(
      log: ledger.log, projections: live, pace: MergePace(layout: layout))
    // The first entry, so that the second one changes nothing about the purchase before it.
    for line in [
      #"""
      {"id":"0","type":"catalog.set","occurredAt":"2023-01-01T00:00:00Z","data":{"products":[\#
      {"product":"book","kind":"nonConsumable"}]}}
      """#,
      #"""
      {"id":"1","type":"transaction.purchased","occurredAt":"2024-01-01T00:00:00Z",\#
      "account":"ada","device":"d","transaction":"1","product":"book"}
      """#,
      #"""
      {"id":"2","type":"catalog.set","occurredAt":"2024-01-02T00:00:00Z","data":{"products":[\#
      {"product":"book","kind":"nonConsumable","entitlements":["library"]}]}}
      """#,
    ] {
      let input = try EventDecoder().decode(line: Array(line.utf8), number: 1)
      try ledger.appendAndWait([input])
      _ = try projector.step()
    }
    try projector.writeReports()
    let fresh = try Projections.make(live.generation + 1, of: ledger.log)
    let whole = Projector(log: ledger.log, projections: fresh, pace: MergePace(layout: layout))
    try whole.fold(through: .max, nil)
    try whole.writeReports()
    let stored = try StoredRows(live)
    #expect(stored.count(of: live.tables.pages) > 0)
    #expect(stored.differences(from: try StoredRows(fresh)).isEmpty)
  }

  private static func states(_ view: LedgerView) throws(LedgerError) -> [UnitNumber: [UInt8]] {
    var states: [UnitNumber: [UInt8]] = [:]
    var walk = try view.units()
    while let state = try walk.next() { states[walk.unit] = state.encoded() }
    return states
  }

  @Test("costs an event the rows that it touches, not the age of its customer") func costs() throws
  {
    var written: [Int: Int] = [:]
    for age in [400, 4_000] {
      let walk = try LedgerWalk()
      let ledger = try walk.ledger()
      ledger.foldsOnlyWhenCalled()
      let projections = try #require(try ledger.source.live())
      let projector = Projector(
        log: ledger.log, projections: projections, pace: MergePace(layout: .standard))
      let events = (0..<age + 40).map { index in
        EventInput(event: Self.purchase(index))
      }
      _ = try ledger.appendAndWait(Array(events[..<age]))
      _ = try projector.step()
      var changed = 0
      var known = try StoredRows(projections).pages(projections)
      for event in events[age...] {
        _ = try ledger.appendAndWait([event])
        _ = try projector.step()
        let now = try StoredRows(projections).pages(projections)
        changed += now.filter { known[$0.key] != $0.value }.count
        known = now
      }
      written[age] = changed
    }
    let young = try #require(written[400])
    let old = try #require(written[4_000])
    // Pages end at other rows, so the numbers are not quite the same.
    #expect(young > 40 && abs(old - young) < 40, "\(young) and \(old) pages written")
  }

  private static func purchase(_ index: Int) -> Event {
    Event(
      id: Name("id-\(index)"), type: EventType(.transactionPurchased),
      occurredAt: Instant(microseconds: 1_700_000_000_000_000 + Int64(index) * 1_000_000),
      source: EventSource(.app), app: "example.reader", account: "reader",
      product: Name("example.reader.chapter\(index % 7)"),
      transaction: Name("transaction-\(index)"))
  }
}

extension StoredRows {
  fileprivate func pages(_ projections: Projections) -> [[UInt8]: [UInt8]] {
    rows[projections.tables.pages.name] ?? [:]
  }
}
