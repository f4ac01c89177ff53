import LedgerEvents
import LedgerHistories
import LedgerModel
import Testing

@testable import QueueSimulator

/// Explorations fold facts that were never encoded. They must equal the facts of the written
/// events.
struct FactAgreementTests {
  @Test("what explorations judge is what a ledger would read", arguments: AppPolicy.all.map(\.name))
  func explorationsJudge(policy: String) throws {
    let policy = try #require(AppPolicy.named(policy))
    for file in ScenarioCase.explored {
      for number in 0..<16 { try compareFacts(file, policy, number) }
    }
  }
}

/// Fails if a run's facts differ from those of its events.
func compareFacts(_ file: ScenarioCase, _ policy: AppPolicy, _ number: Int) throws {
  let cast = Cast(file.scenario, policy: policy, seed: file.scenario.seed)
  let recording = Play.atRandom(number, cast, Exploration.Options()).play.recording
  var direct: [Fact] = []
  cast.facts(of: recording.events, into: &direct)
  let recorded = RecordedEvent.appended(
    cast.events(of: recording.events).map { EventInput(event: $0) })
  var numbers = NameNumbers()
  let read = recorded.map {
    Fact(
      $0.event, position: $0.position, recordedAt: $0.recordedAt,
      numbers: numbers.number($0.event))
  }
  let label = "\(file.name), \(policy.name), run \(number) at random by the usual options"
  #expect(direct.count == read.count, "\(label)")
  // The same answers, however these facts are folded: at once, one by one, and from the events.
  let cut = InMemoryLedger(folding: direct, texts: cast)
  var growing = InMemoryLedger(texts: cast)
  for fact in direct { growing.append([fact]) }
  let numbered = NumberedEvents(recorded)
  let reported = Reported(cut, cast)
  #expect(!reported.lines.isEmpty, "\(label)")
  #expect(Reported(growing, cast) == reported, "\(label), one by one")
  #expect(
    Reported(InMemoryLedger(folding: numbered.facts, texts: numbered), numbered) == reported,
    "\(label), from events")
  if file.scenario.accounts.count == 1 {
    // Folding everything as one unit must equal folding the separate connected components.
    let one = InMemoryLedger(foldingAsOne: direct, texts: cast)
    #expect(Reported(one, cast) == reported, "\(label), as one")
    let moment = cut.newestEvent(in: .production) ?? 0
    func all(_ folded: InMemoryLedger) -> Set<Finding> {
      Set(folded.findings + folded.findings(at: moment, in: .production))
    }
    #expect(all(one) == all(cut), "\(label)")
    #expect(one.findings.count == cut.findings.count, "\(label)")
  }
  for (one, other) in zip(direct, read) {
    let stated = FactText(one) { cast.text(of: $0) }
    let expected = FactText(other) { numbers.use($0)?.name ?? "" }
    guard stated.text != expected.text else { continue }
    Issue.record("\(label)\n  \(stated.text)\n  \(expected.text)")
    return
  }
}

/// What every account has at the newest event, by names.
private struct Reported: Equatable {
  private(set) var lines: Set<String> = []

  init(_ book: InMemoryLedger, _ texts: any FactTexts) {
    for environment in StoreEnvironment.allCases {
      guard let moment = book.newestEvent(in: environment) else { continue }
      for unit in book.units {
        for account in unit.knownAccounts { add(account, environment, moment, unit, book, texts) }
      }
    }
  }

  private mutating func add(
    _ account: NameNumber, _ environment: StoreEnvironment, _ moment: Int64,
    _ unit: LedgerModel.Unit,
    _ book: InMemoryLedger, _ texts: any FactTexts
  ) {
    let (set, about) = (EnvironmentSet(environment), "\(environment) \(texts.text(of: account))")
    let answer = unit.answer(
      .account(account), environments: set, at: moment, context: book.context, texts: texts)
    lines.insert("\(about) may use \(answer.active) until \(answer.nextChangeAt as Any)")
    for entry in answer.entries where entry.product != 0 {
      lines.insert(
        "\(about) \(texts.text(of: entry.product)) \(entry.state) \(entry.since) "
          + "\(entry.expiresAt as Any) \(entry.transactions.map(texts.text(of:)))")
    }
    for balance in answer.balances { lines.insert("\(about) \(balance)") }
    for content in unit.installed(.account(account), environments: set) {
      let device = content.device == 0 ? "-" : texts.text(of: content.device)
      lines.insert("\(about) \(texts.text(of: content.product)) \(content.version) on \(device)")
    }
  }
}

/// Everything that the reducer reads from a fact, with names in place of numbers.
private struct FactText {
  private(set) var text = ""

  init(_ fact: Fact, _ name: (NameNumber) -> Name) {
    func named(_ number: NameNumber) -> String { number == 0 ? "-" : "\(name(number))" }
    text =
      "\(fact.position) \(fact.kind) \(fact.source) \(fact.environment?.text ?? "-") "
      + "\(fact.occurredAt) \(fact.statedOccurredAt) \(fact.recordedAt) \(fact.sequence) "
      + "\(fact.idPrefix) \(fact.signedAt) \(fact.progress) "
      + [
        fact.app, fact.account, fact.device, fact.session, fact.payment, fact.product,
        fact.transaction, fact.original, fact.download,
      ].map(named).joined(separator: " ")
    // A hash of the path, which no rule reads without a digest.
    var fields = fact.detail?.fields ?? FactDetail.Fields()
    fields.pathHash = nil
    text +=
      " \(fields.purchasedAt) \(fields.expiresAt) \(fields.gracePeriodExpiresAt) \(fields.until) "
      + "\(fields.quantity) \(fields.percentMillionths) \(fields.amount) "
      + "\(fields.contentVersion?.text ?? "-") \(fields.digest?.text ?? "-") "
      + "\(fields.entitlement?.text ?? "-") \(fields.unit?.text ?? "-") "
      + "\(String(describing: fields.host)) \(named(fields.to)) \(fields.hasError) "
      + "\(fields.isUpgraded) \(fields.familyShared) \(fields.required) "
      + "\(String(describing: fields.allowed)) \(String(describing: fields.excludedFromBackup)) "
    for download in fields.downloads {
      text += "\(named(download.download)) \(download.contentVersion?.text ?? "-") "
      text += "\(String(describing: download.host)) "
    }
    for entry in fields.definitions {
      text += "\(named(entry.product)) \(entry.kind) \(entry.entitlements) "
      text += "\(entry.grants.map { "\($0.unit)=\($0.amount)" }) "
      text += "\(String(describing: entry.duration)) "
    }
    for offer in fields.offered {
      text += "\(named(offer.product)) \(offer.contentVersion?.text ?? "-") "
    }
    text += fields.invalid.map(named).joined(separator: " ")
  }
}
