import Audit
import Foundation
import LMDB
import LedgerEvents
import LedgerHistories
import LedgerModel
import LedgerQueries
import LedgerStore
import Replay
import Testing

/// What one customer has in one environment, as a set of lines. It is the same however the facts
/// were folded and whoever numbered their names.
private typealias Holdings = Set<String>

/// The answers that some events alone give: they are numbered, folded and asked in memory, without
/// a log or projections.
private struct FoldedEvents {
  let texts: NumberedEvents
  let ledger: InMemoryLedger

  init(_ events: [RecordedEvent]) {
    texts = NumberedEvents(events)
    ledger = InMemoryLedger(folding: texts.facts, texts: texts)
  }

  func holdings(
    of account: Name, in environment: StoreEnvironment, at moment: Instant
  ) -> Holdings {
    let subject = Subject.account(texts.number(.account, account))
    let answer = ledger.answer(
      subject, environments: EnvironmentSet(environment), at: moment.microseconds)
    var lines = timeless(of: account, in: environment)
    for entry in answer.entries { lines.insert("\(EntitlementsAnswer.Entry(entry, texts: texts))") }
    for name in answer.active { lines.insert("may use \(name)") }
    return lines
  }

  /// Balances and installed content, which do not change with time alone.
  func timeless(of account: Name, in environment: StoreEnvironment) -> Holdings {
    let subject = Subject.account(texts.number(.account, account))
    let set = EnvironmentSet(environment)
    var lines: Holdings = []
    for balance in ledger.answer(subject, environments: set, at: .max).balances {
      lines.insert("\(balance.amount) \(balance.unit)")
    }
    for content in ledger.installed(subject, environments: set) {
      lines.insert(
        line(texts.text(of: content.product), content.version, texts.name(content.device)))
    }
    return lines
  }

  /// The findings, judged at a moment, or at each environment's newest event if there is none.
  func findings(at moment: Instant?) -> [String] {
    var found = ledger.findings
    for environment in StoreEnvironment.allCases {
      guard let newest = ledger.newestEvent(in: environment) else { continue }
      found += ledger.findings(at: moment?.microseconds ?? newest, in: environment)
    }
    return found.sorted().map { "\(FindingAnswer($0, texts: texts))" }
  }

  func areLinked(_ first: Name, _ second: Name, in environment: StoreEnvironment) -> Bool {
    let (one, other) = (texts.number(.account, first), texts.number(.account, second))
    return ledger.unit(of: one)?.linkedAccounts(of: one, environments: EnvironmentSet(environment))
      .contains(other) ?? false
  }
}

private func line(_ product: Name, _ version: Name, _ device: Name?) -> String {
  "\(product) \(version) on \(device ?? "-")"
}

private func line(_ content: InstalledAnswer) -> String {
  line(content.product, content.contentVersion, content.device)
}

/// A ledger of one history, of which a part is in the projections and the rest in the tail.
private final class AgreeingLedger {
  let ledger: Ledger
  let events: [RecordedEvent]
  let accounts: [Name]
  /// After all events, so that no customer's newest event moves it.
  let now: Instant
  private let path: String

  init(_ events: [RecordedEvent], folded: Int) throws {
    self.events = events
    accounts = Set(events.compactMap(\.event.account)).sorted()
    let newest = events.map(\.event.occurredAt).max() ?? Instant(microseconds: 0)
    now = Instant(microseconds: newest.microseconds + Instant.second)
    path = NSTemporaryDirectory() + "daybook-\(UUID().uuidString)"
    // Nothing is synced, because these tests do not depend on the disk.
    ledger = try Ledger.create(at: path, options: .init(sync: .onRequest))
    try append(events.prefix(folded))
    try ledger.fold()
    try append(events.dropFirst(folded))
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch { print("left \(path)") }
  }

  private func append(_ events: some Collection<RecordedEvent>) throws {
    if events.isEmpty { return }
    let batch = events.map { recorded in
      EventInput(event: recorded.event, position: 1, recordedAt: recorded.recordedAt)
    }
    try ledger.appendAndWait(batch, options: AppendOptions(trustsRecordedAt: true))
  }

  /// The events that the clocks include.
  func known(_ end: UInt64?, _ moment: Instant?) -> [RecordedEvent] {
    events.filter {
      $0.position <= end ?? .max && EventFoldKey($0).time <= moment ?? EventFoldKey($0).time
    }
  }

  func clocks(_ end: UInt64?, _ moment: Instant?) -> Clocks {
    Clocks(at: moment, asOf: end.map { .position($0) })
  }
}

extension LedgerView {
  /// What a customer has, by the questions about one customer.
  fileprivate func holdings(
    of account: Name, in environment: StoreEnvironment, _ clocks: Clocks, now: Instant
  ) throws(LedgerError) -> Holdings {
    let answer = try entitlements(
      of: .account(account), environments: [environment], clocks: clocks, now: now)
    var lines: Holdings = []
    for entry in answer.entries { lines.insert("\(entry)") }
    for name in answer.active { lines.insert("may use \(name)") }
    for balance in answer.balances { lines.insert("\(balance.amount) \(balance.unit)") }
    for content in try self.installed(
      of: .account(account), environments: [environment], clocks: clocks)
    {
      lines.insert(line(content))
    }
    return lines
  }

  /// What every customer has, by the walk over the whole ledger that exports use.
  fileprivate func allHoldings(
    _ clocks: Clocks, now: Instant
  ) throws(LedgerError) -> [StoreEnvironment: [Name: Holdings]] {
    var all: [StoreEnvironment: [Name: Holdings]] = [:]
    try contents(environments: StoreEnvironment.allCases, clocks: clocks, now: now) { unit in
      for customer in unit.customers {
        var lines: Holdings = []
        for entry in customer.entries { lines.insert("\(entry)") }
        for name in customer.active { lines.insert("may use \(name)") }
        for balance in customer.balances { lines.insert("\(balance.amount) \(balance.unit)") }
        for content in customer.installed { lines.insert(line(content)) }
        for account in customer.accounts {
          all[customer.environment, default: [:]][account] = lines
        }
      }
      return true
    }
    return all
  }
}

/// The lines that a difference takes away and adds.
private struct LineChanges: Equatable {
  var lost: Holdings
  var gained: Holdings

  init(from before: Holdings, to after: Holdings) {
    lost = before.subtracting(after)
    gained = after.subtracting(before)
  }

  init(_ difference: CustomerDifference) {
    self.init(from: [], to: [])
    for entry in difference.answer?.entries ?? [] {
      if let before = entry.before { lost.insert("\(before)") }
      if let after = entry.after { gained.insert("\(after)") }
    }
    for name in difference.answer?.lost ?? [] { lost.insert("may use \(name)") }
    for name in difference.answer?.gained ?? [] { gained.insert("may use \(name)") }
    for balance in difference.answer?.balances ?? [] {
      if balance.before != 0 { lost.insert("\(balance.before) \(balance.unit)") }
      if balance.after != 0 { gained.insert("\(balance.after) \(balance.unit)") }
    }
    for content in difference.installed {
      if let before = content.before {
        lost.insert(line(content.product, before, content.device))
      }
      if let after = content.after {
        gained.insert(line(content.product, after, content.device))
      }
    }
  }

  var isEmpty: Bool { lost.isEmpty && gained.isEmpty }
}

/// However an answer is reached, the same facts give the same answer: one reducer and one driver.
@Suite("Every way to an answer") struct PathAgreementTests {
  private static func history(_ kind: Int, _ seed: UInt64) -> [RecordedEvent] {
    switch kind {
    case 0: Histories.dense(seed: seed, count: 60)
    case 1: RecordedEvent.shuffled(Histories.dense(seed: seed, count: 60), seed: seed)
    case 2:
      RecordedEvent.shuffled(Histories.sparse(seed: seed, count: 80, accounts: 6), seed: seed)
    case 3: RecordedEvent.shuffled(Histories.realistic(seed: seed, count: 80), seed: seed)
    default: Histories.sideBySide(seed: seed)
    }
  }

  private func make(_ kind: Int, _ seed: UInt64) throws -> (AgreeingLedger, SeededRandom) {
    var random = SeededRandom(seed: seed &+ 0xA6EE)
    let events = Self.history(kind, seed)
    return (try AgreeingLedger(events, folded: random.below(events.count + 1)), random)
  }

  /// Now, as of a position, at a moment, and both.
  private func settings(
    _ asked: AgreeingLedger, _ random: inout SeededRandom
  ) -> [(end: UInt64?, moment: Instant?)] {
    var settings: [(end: UInt64?, moment: Instant?)] = [(nil, nil)]
    for _ in 0..<3 {
      let end = UInt64(1 + random.below(asked.events.count))
      let moment = random.one(of: asked.events).event.occurredAt
      settings += [(end, nil), (nil, moment), (end, moment)]
    }
    return settings
  }

  @Test(
    "gives the same at every setting of the clocks: questions, the walk of exports, findings",
    arguments: 0..<5, 40..<44 as Range<UInt64>)
  func clocks(kind: Int, seed: UInt64) throws {
    var (asked, random) = try make(kind, seed)
    for (end, moment) in settings(asked, &random) {
      let note: Comment = "seed \(seed), kind \(kind), as of \(end ?? 0), at \("\(moment as Any)")"
      let expected = FoldedEvents(asked.known(end, moment))
      let clocks = asked.clocks(end, moment)
      try asked.ledger.read { (view) throws(LedgerError) in
        let walked = try view.allHoldings(clocks, now: asked.now)
        for environment in StoreEnvironment.allCases {
          for account in asked.accounts {
            let holdings = expected.holdings(
              of: account, in: environment, at: moment ?? asked.now)
            let found = try view.holdings(of: account, in: environment, clocks, now: asked.now)
            #expect(found == holdings, note)
            #expect(walked[environment]?[account] ?? [] == holdings, note)
          }
        }
        var query = FindingsQuery()
        query.clocks = clocks
        #expect(try view.findings(query).map { "\($0)" } == expected.findings(at: moment), note)
      }
    }
  }

  @Test(
    "differs between two settings of the clocks by what the differences say",
    arguments: 0..<5, 50..<54 as Range<UInt64>)
  func differences(kind: Int, seed: UInt64) throws {
    var (asked, random) = try make(kind, seed)
    for _ in 0..<4 {
      let ends = (0..<2).map { _ in UInt64(1 + random.below(asked.events.count)) }.sorted()
      let moment = random.one(of: asked.events).event.occurredAt
      let sides = ends.map { FoldedEvents(asked.known($0, moment)) }
      func changes(_ account: Name, _ environment: StoreEnvironment) -> LineChanges {
        let both = sides.map { $0.holdings(of: account, in: environment, at: moment) }
        return LineChanges(from: both[0], to: both[1])
      }
      var reported: [StoreEnvironment: [Name]] = [:]
      try asked.ledger.read { (view) throws(LedgerError) in
        try view.differences(
          from: .position(ends[0]), to: .position(ends[1]),
          environments: StoreEnvironment.allCases, at: moment
        ) { difference in
          let (account, environment) = (difference.account, difference.environment)
          reported[environment, default: []].append(account)
          #expect(LineChanges(difference) == changes(account, environment), "seed \(seed)")
          return true
        }
      }
      for environment in StoreEnvironment.allCases {
        for account in asked.accounts where !changes(account, environment).isEmpty {
          // Linked accounts are reported once.
          let isReported = reported[environment, default: []].contains {
            $0 == account || sides[1].areLinked($0, account, in: environment)
          }
          #expect(
            isReported, "seed \(seed), \(account) in \(environment) from \(ends) at \(moment)")
        }
      }
    }
  }

  @Test(
    "gives the same from the slice of a customer, folded and replayed",
    arguments: 0..<5, 60..<64 as Range<UInt64>)
  func slices(kind: Int, seed: UInt64) throws {
    var (asked, random) = try make(kind, seed)
    for account in asked.accounts {
      var slice = ReplaySlice()
      slice.account = account
      slice.to = UInt64(1 + random.below(asked.events.count))
      let read = try asked.ledger.read { (view) throws(LedgerError) in
        try view.replayEvents(slice)
      }
      guard let last = read.steps.max() else { continue }
      let whole = FoldedEvents(asked.known(last, nil))
      let part = FoldedEvents(read.events)
      let history = ReplayHistory(Replay(read))
      let shown = history.state(after: history.steps.count - 1)
      for environment in StoreEnvironment.allCases {
        let expected = whole.holdings(of: account, in: environment, at: asked.now)
        let found = part.holdings(of: account, in: environment, at: asked.now)
        #expect(found == expected, "seed \(seed), kind \(kind), \(account) through \(last)")
        // A replay judges entitlements at its newest event, so those are not compared.
        let timeless = shown.filter {
          $0.subject.account == account && $0.subject.environment == environment
        }.compactMap(Self.timeless)
        #expect(
          Set(timeless) == whole.timeless(of: account, in: environment),
          "seed \(seed), kind \(kind), \(account) through \(last)")
      }
    }
  }

  private static func timeless(_ shown: ReplayLine) -> String? {
    let (subject, text) = (shown.subject, shown.standing.text)
    switch subject.kind {
    case .balance: return "\(text) \(subject.name)"
    case .installed: return line(subject.name, Name(text), subject.device)
    default: return nil
    }
  }
}
