import Foundation
import LedgerEvents
import LedgerQueries
import ProductCatalogue
import StoreImport

/// `import storekit-config`: each file merged with the catalogue in force, as `catalog set` does.
struct CatalogueImportRun {
  private let command: Import
  /// `nil` for a dry run without a ledger.
  private let ledger: Ledger?
  private let digestKey: [UInt8]
  private var summary = AppendSummary()

  /// How many customers the preview shows by name.
  private static let shownCustomersMax = 20

  init(command: Import, ledger: Ledger?) throws {
    self.command = command
    self.ledger = ledger
    digestKey = try Import.digestKey(of: ledger)
  }

  mutating func run() throws {
    for (index, file) in command.files.enumerated() {
      do { try add(file) } catch {
        // What was appended from the earlier files is kept and reported.
        if index > 0 && !command.dryRun { summary.print(command.format) }
        throw error
      }
    }
    if !command.dryRun { summary.print(command.format) }
  }

  private mutating func add(_ file: String) throws {
    let bytes = try Import.bytes(of: file)
    var document: CatalogueDocument
    do throws(ImportError) {
      document = try CatalogueDocument(storekit: bytes, name: file)
    } catch { throw InputProblem(error.description) }
    document.scope.app = command.app
    document.scope.environment = command.environment?.environment
    guard !document.products.isEmpty else {
      return Console.complain("daybook: \(file) names no product: there is nothing to import.")
    }
    let now = EventLog.systemClock()
    let setting = CatalogueSetting(document: document, effective: command.effective ?? now)
    try setting.checkTime(now: now, file: file)
    let received = StoreKitConfiguration.received(
      bytes,
      options: ImportOptions(
        fileName: file, digestKey: digestKey, app: command.app,
        environment: command.environment?.environment),
      effective: setting.effective)
    guard let ledger else {
      let id = document.identifier(at: setting.effective, operator: nil)
      return Self.print([received, document.event(id: id, at: setting.effective)])
    }
    try add(setting, received, file, now, to: ledger)
  }

  private mutating func add(
    _ setting: CatalogueSetting, _ received: Event, _ file: String, _ now: Instant,
    to ledger: Ledger
  ) throws {
    // Standard output is for people in only one format. With the others, the preview goes to
    // standard error.
    let isForPeople = command.format == .table && !command.dryRun
    var report = CatalogueReport(
      .table, limit: Self.shownCustomersMax, isDryRun: command.dryRun,
      line: isForPeople ? Console.print : { Console.complain($0) })
    let proposal = try setting.proposal(to: ledger, now: now, &report)
    let changed = proposal.effect.changed
    if isForPeople || command.dryRun || changed > 0 { report.preview(proposal.plan) }
    guard let event = proposal.plan.event else { return }
    if command.dryRun { return Self.print([received, event]) }
    if changed > 0 || proposal.losses != nil { try consent(to: proposal, file) }
    summary.add(
      try CatalogueSetting.append([received, event], after: proposal.position, to: ledger))
  }

  /// Asks the user, and throws if the user does not agree.
  private func consent(to proposal: CatalogueSetting.Proposal, _ file: String) throws {
    if command.yes { return }
    let changed = proposal.effect.changed
    let what = [
      changed > 0 ? "the answers of \(changed.counted("customer")) would change" : nil,
      proposal.losses,
    ].compactMap(\.self).joined(separator: ", and ")
    if Consent.canAsk {
      if Consent.isGiven(to: "\(file): \(what). Set it?") { return }
      throw InputProblem("\(file): nothing was appended.")
    }
    throw InputProblem(
      "\(file): nothing was appended, because \(what). Run it again with --yes to set it, or with "
        + "--dry-run to look at it.")
  }

  private static func print(_ events: [Event]) {
    for event in events { Console.print(bytes: EventEncoder().encode(event)) }
  }
}
