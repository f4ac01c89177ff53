import Foundation
import LedgerEvents
import LedgerHistories
import LedgerLog
import LedgerStore

/// A snapshot of the log that is held while others write.
struct HeldSnapshot: ~Copyable {
  var snapshot: LogSnapshot
  var positions: Int
  var root: SHA256.Digest
}

extension Simulation {
  func perform(_ operation: Operation) throws {
    note("\(operation)")
    switch operation {
    case .append: try offer([batch()])
    case .group: try offer((0..<2 + random.below(4)).map { _ in batch() })
    case .conflict: try offerConflict()
    case .condition: try offerUnderCondition()
    case .question: try ask(count: 3)
    case .past: try askAboutThePast()
    case .interleaved: try readWhileWriting()
    case .hold: try hold()
    case .release: try compareHeld()
    case .fold:
      let ledger = try ledger
      _ = try attempt("fold") { () throws(LedgerError) in try ledger.fold() }
      tally.count(.fold)
    case .background:
      try ledger.foldInBackground()
      tally.count(.fold)
    case .erase: try erase()
    case .rebuild:
      let ledger = try ledger
      _ = try attempt("rebuild") { () throws(LedgerError) in try ledger.rebuild() }
      tally.count(.rebuild)
    case .reopen: try reopen()
    case .cut: Disk.powerOff()
    case .backup: try backUp()
    case .check: try check()
    }
  }
}

// MARK: - Appending

extension Simulation {
  /// New events, and now and then some that the ledger has.
  func batch() -> [Offer] {
    let count = random.chance(1, in: 20) ? 20 + random.below(60) : 1 + random.below(12)
    var offers: [Offer] = []
    for _ in 0..<count {
      if random.chance(1, in: 20), auditor.durable > 1 {
        if let known = knownEvent() { offers.append(known) }
        continue
      }
      if random.chance(1, in: 40), let late = customers.lateEvent(&random) {
        offers.append(Offer(event: late.event, customer: late.customer))
        continue
      }
      let customer = customers.anybody(&random)
      offers.append(Offer(event: customers.event(of: customer, &random), customer: customer))
    }
    clock.set(customers.now)
    return offers
  }

  /// An event of somebody who was not erased, which the ledger has.
  private func knownEvent() -> Offer? {
    let position = 2 + random.below(auditor.durable - 1)
    let entry = auditor.entry(position)
    guard let customer = entry.customer, auditor.erasures[customer] == nil else { return nil }
    return Offer(event: entry.event, customer: customer, isRepeat: true)
  }

  /// Offers batches as one group. Each is appended as a whole.
  func offer(_ batches: [[Offer]]) throws {
    onItsWay = batches
    if settings.sabotage == .earlyAnswers {
      auditor.promise(batches.joined().count { !$0.isRepeat })
    }
    if settings.sabotage == .halfBatches { return try offerHalves(batches) }
    let ledger = try ledger
    let results: [Result<AppendResult, LedgerError>]
    if batches.count == 1 {
      let inputs = batches[0].map { EventInput(event: $0.event) }
      results = [
        try attempt("append") { () throws(LedgerError) in try ledger.appendAndWait(inputs) }
      ]
    } else {
      let tickets = try attempt("submit") { () throws(LedgerError) in
        try ledger.log.whileWriterIsHeld { () throws(LedgerError) in
          try batches.map { (offers) throws(LedgerError) in
            try ledger.submit(offers.map { EventInput(event: $0.event) })
          }
        }
      }
      guard case .success(let tickets) = tickets else { return }
      results = try tickets.map { ticket in
        try attempt("append") { () throws(LedgerError) in try ticket.wait() }
      }
    }
    try adopt(zip(batches, results).map { ($0, $1) })
  }

  /// What a writer would do that does not keep batches together.
  private func offerHalves(_ batches: [[Offer]]) throws {
    let ledger = try ledger
    for batch in batches {
      var outcomes: [AppendOutcome] = []
      for half in [batch.prefix(batch.count / 2), batch.dropFirst(batch.count / 2)] {
        let inputs = half.map { EventInput(event: $0.event) }
        let answer = try attempt("append") { () throws(LedgerError) in
          try ledger.appendAndWait(inputs)
        }
        guard case .success(let result) = answer else { return }
        outcomes += result.outcomes
      }
      try adopt(batch, outcomes)
    }
    onItsWay = []
  }

  /// Adopts the acknowledged events into the audited history.
  private func adopt(
    _ answers: [(offers: [Offer], result: Result<AppendResult, LedgerError>)]
  ) throws {
    for (offers, result) in answers {
      guard case .success(let result) = result else { continue }
      try adopt(offers, result.outcomes)
    }
    if answers.allSatisfy({ if case .success = $0.result { true } else { false } }) {
      onItsWay = []
    }
  }

  private func adopt(_ offers: [Offer], _ outcomes: [AppendOutcome]) throws {
    guard outcomes.count == offers.count else { throw Violation("an answer is missing") }
    onItsWay.removeFirst(onItsWay.isEmpty ? 0 : 1)
    try reading { log in
      for (offer, outcome) in zip(offers, outcomes) {
        switch outcome {
        case .appended(let position):
          guard !offer.isRepeat, position == UInt64(auditor.positions + 1) else {
            throw Violation(
              "\(offer.event.id) was appended at \(position), after "
                + "\(auditor.positions)\(offer.isRepeat ? ", a second time" : "")")
          }
          try auditor.adopt(offer.event, of: offer.customer, log)
          tally.count(.event)
        case .duplicate(let position):
          guard position <= UInt64(auditor.positions),
            auditor.entry(Int(position)).event.id == offer.event.id
          else { throw Violation("\(offer.event.id) is no duplicate of position \(position)") }
          tally.count(.repetition)
        }
      }
    }
    auditor.acknowledge()
  }

  /// A batch with an id that stands for something else: nothing of it is appended.
  private func offerConflict() throws {
    guard auditor.durable > 1, var known = knownEvent() else { return }
    known.event.occurredAt = Instant(microseconds: known.event.occurredAt.microseconds + 1)
    var inputs = batch().filter { !$0.isRepeat }.map { EventInput(event: $0.event) }
    inputs.insert(EventInput(event: known.event), at: random.below(inputs.count + 1))
    let ledger = try ledger
    let answer = try attempt("append", excusing: [.conflict]) { () throws(LedgerError) in
      try ledger.appendAndWait(inputs)
    }
    if case .success = answer { throw Violation("\(known.event.id) was appended with new content") }
    tally.count(.refusal)
  }

  /// A batch that is appended only if nothing has happened to a customer after a position.
  private func offerUnderCondition() throws {
    guard auditor.durable > 1, let known = knownEvent(), let customer = known.customer,
      let account = known.event.account
    else { return }
    let last =
      auditor.positions(of: customer).last { auditor.entry($0).event.account == account } ?? 0
    let after = random.chance(1, in: 2) ? last : max(0, last - 1 - random.below(3))
    var offers = batch()
    offers.removeAll { $0.isRepeat }
    guard !offers.isEmpty else { return }
    let options = AppendOptions(
      condition: .noEvent(matching: EventFilter(account: account), after: UInt64(after)))
    onItsWay = [offers]
    let ledger = try ledger
    let inputs = offers.map { EventInput(event: $0.event) }
    let answer = try attempt("append", excusing: after < last ? [.conditionFailed] : []) {
      () throws(LedgerError) in try ledger.appendAndWait(inputs, options: options)
    }
    switch answer {
    case .success(let result):
      guard after >= last else { throw Violation("appended although the condition did not hold") }
      try adopt(offers, result.outcomes)
    case .failure(let error):
      tally.count(.refusal)
      if error.code == .conditionFailed { onItsWay = [] }
    }
  }
}

// MARK: - Asking

extension Simulation {
  /// Asks what customers have, and compares with the oracle.
  func ask(count: Int) throws {
    guard !customers.all.isEmpty else { return }
    let chosen = (0..<count).map { _ in random.below(customers.all.count) }
    try asking("question") { view in
      for customer in chosen {
        try auditor.compareAnswer(
          of: customer, named: customers.all[customer].account, view)
        tally.count(.question)
      }
    }
  }

  private func askAboutThePast() throws {
    guard !customers.all.isEmpty, auditor.positions > 1 else { return }
    let customer = random.below(customers.all.count)
    let position = 1 + random.below(auditor.positions)
    try asking("question") { view in
      try auditor.compareAnswer(
        of: customer, named: customers.all[customer].account, asOf: position, view)
      tally.count(.question)
    }
  }

  /// Asks, and goes on appending and folding before the last answer: a view never changes.
  private func readWhileWriting() throws {
    guard !customers.all.isEmpty else { return }
    let customer = random.below(customers.all.count)
    try asking("question") { view in
      let before = auditor
      let account = customers.all[customer].account
      try before.compareAnswer(of: customer, named: account, view)
      for _ in 0..<1 + random.below(4) where !Disk.isOff && onItsWay.isEmpty {
        try perform(random.one(of: [.append, .append, .group, .fold, .background, .rebuild]))
      }
      guard view.position == UInt64(before.positions) else {
        throw Violation("a view went from \(before.positions) to \(view.position)")
      }
      try before.compareAnswer(of: customer, named: account, view)
      tally.count(.question, 2)
    }
  }

  private func asking(_ what: String, _ body: (LedgerView) throws -> Void) throws {
    var failure: (any Error)?
    let ledger = try ledger
    _ = try attempt(what) { () throws(LedgerError) in
      try ledger.read { (view) throws(LedgerError) in
        do { try body(view) } catch let error as LedgerError { throw error } catch {
          failure = error
        }
      }
    }
    if let failure { throw failure }
  }

  private func hold() throws {
    try compareHeld()
    let ledger = try ledger
    let root = auditor.tree.root
    let held = try ledger.log.snapshot()
    snapshot = HeldSnapshot(snapshot: held, positions: auditor.positions, root: root)
    tally.count(.snapshot)
  }

  /// A snapshot shows what it showed when it was taken, but for what was erased since.
  private func compareHeld() throws {
    guard var held = snapshot.take() else { return }
    if settings.sabotage == .movingSnapshots { try held.snapshot.renew() }
    let view = try held.snapshot.view
    guard view.lastPosition == UInt64(held.positions),
      try view.root(at: view.lastPosition).bytes == held.root
    else { throw Violation("a snapshot of \(held.positions) events has changed") }
    for _ in 0..<4 where held.positions > 0 {
      let position = 1 + random.below(held.positions)
      // Erased texts vanish from old snapshots, too, since their keys are not in the log. The
      // number of the name stays, which an older snapshot does not know to be erased.
      let entry = auditor.entry(position)
      if let customer = entry.customer, auditor.erasures[customer] != nil { continue }
      try auditor.compare(view.event(at: UInt64(position)), at: position)
    }
  }
}
