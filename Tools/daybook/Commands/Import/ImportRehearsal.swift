import Foundation
import LedgerEvents
import LedgerQueries
import StoreImport

/// A temporary ledger to which a dry run over several files appends, so that each file is compared
/// with the ones before it. It begins with what the real ledger knows about the files' customers.
final class ImportRehearsal {
  let ledger: Ledger
  private let folder: ScratchFolder

  /// - Parameter source: The real ledger, which is only read; `nil` if there is none.
  /// - Complexity: O(*n*) in the events of the customers whom the files name.
  /// - Throws: `LedgerError`, and what creating the folder throws.
  init(of receipts: [any PurchaseImport], from source: Ledger?) throws {
    folder = try ScratchFolder("daybook-rehearsal")
    ledger = try Ledger.create(at: folder.path)
    guard let source else { return }
    let known = try source.read { (view) throws(LedgerError) in
      try Self.events(about: receipts, in: view)
    }
    let inputs = known.map { recorded in
      // An event with a position was accepted before, and is not judged again.
      EventInput(
        event: recorded.event, position: recorded.position, recordedAt: recorded.recordedAt)
    }
    var start = 0
    while start < inputs.count {
      let end = min(inputs.count, start + batchEventsMax)
      _ = try ledger.appendAndWait(
        Array(inputs[start..<end]),
        options: AppendOptions(trustsRecordedAt: true, validates: false))
      start = end
    }
  }

  deinit {
    do { try ledger.close() } catch {
      Console.complain("daybook: \(folder.path) cannot be closed: \(error.systemReason)")
    }
  }

  /// Every event of the files' chains, and of all customers that those name, by position.
  private static func events(
    about receipts: [any PurchaseImport], in view: LedgerView
  ) throws(LedgerError) -> [RecordedEvent] {
    var found: [UInt64: RecordedEvent] = [:]
    let subjects = receipts.flatMap(\.subjects)
    var accounts = subjects.flatMap(\.accounts)
    func add(_ recorded: RecordedEvent) {
      guard found.updateValue(recorded, forKey: recorded.position) == nil else { return }
      accounts += [recorded.event.account, recorded.event.data.name("to")].compactMap { $0 }
    }
    let purchases = subjects.flatMap(\.purchases).map { ($0.original, Name?($0.transaction)) }
    let renewals = subjects.flatMap(\.renewals).map { ($0.original, $0.transaction) }
    for (original, transaction) in purchases + renewals {
      var query = EventsQuery()
      query.original = original
      try view.events(query) { recorded in
        add(recorded)
        return true
      }
      guard let transaction else { continue }
      query = EventsQuery()
      query.transaction = transaction
      try view.events(query) { recorded in
        add(recorded)
        return true
      }
    }
    var asked: Set<Name> = []
    while let account = accounts.popLast() {
      guard asked.insert(account).inserted else { continue }
      for recorded in try view.events(connectedWith: account, upTo: view.position) {
        add(recorded)
      }
    }
    return found.values.sorted { $0.position < $1.position }
  }
}
