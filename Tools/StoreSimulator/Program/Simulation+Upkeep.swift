import Foundation
import LedgerEvents
import LedgerHistories
import LedgerLog
import LedgerStore

// Erasing, backing up and verifying.
extension Simulation {
  func erase() throws {
    let candidates = customers.all.indices.filter { customer in
      !customers.all[customer].isErased
        && auditor.positions(of: customer).contains { auditor.entry($0).event.account != nil }
    }
    guard candidates.count > 3 else { return }
    let customer = random.one(of: candidates)
    let event = customers.erasure(of: customer)
    let before = keys()
    keysBeforeErasure = before
    onItsWay = [[Offer(event: event, customer: customer)]]
    let ledger = try ledger
    let answer = try attempt("erase") { () throws(LedgerError) in try ledger.erase(event) }
    tally.count(.erasure)
    guard case .success = answer else { return }
    onItsWay = []
    keysBeforeErasure = nil
    let keyCount = auditor.keyCount(of: customer)
    try reading { log in try auditor.adopt(event, of: customer, log) }
    auditor.acknowledge()
    customers.markErased(customer, true)
    let destroyed = try auditor.noteDestroyed(before: before, after: keys())
    guard destroyed >= keyCount else {
      throw Violation("an erasure has destroyed \(destroyed) keys instead of \(keyCount)")
    }
    try reading { log in
      for position in auditor.positions(of: customer) {
        try auditor.compare(log.event(at: UInt64(position)), at: position)
      }
    }
  }

  /// Backs the ledger up, restores the copy, and audits that.
  func backUp() throws {
    let copy = folder + "/copy"
    let restored = folder + "/restored"
    defer { remove([copy, copy + ".keys", restored]) }
    remove([copy, copy + ".keys", restored])
    let ledger = try ledger
    let made = try attempt("backup") { () throws(LedgerError) in
      let made = try ledger.backUp(to: copy)
      try ledger.backUpKeys(to: copy + ".keys")
      return made
    }
    tally.count(.backup)
    guard case .success(let made) = made, !Disk.isOff else { return }
    guard made.position == UInt64(auditor.positions), made.root.bytes == auditor.tree.root else {
      throw Violation("a backup of \(auditor.positions) events has \(made.position)")
    }
    let found = try attempt("restore") { () throws(LedgerError) in
      try Ledger.restore(copy, to: restored, keys: .file(copy + ".keys"))
    }
    guard case .success = found else { return }
    let log = try attempt("open a restored ledger") { () throws(LedgerError) in
      try EventLog(open: restored)
    }
    guard case .success(let log) = log else { return }
    var failure: (any Error)?
    try log.read { (view) throws(LedgerError) in
      do { try auditor.audit(view, everything: true) { _ in 0 } } catch { failure = error }
    }
    _ = try attempt("close a restored ledger") { () throws(LedgerError) in try log.close() }
    if let failure { throw failure }
  }

  /// Removes what the simulation itself has made. A disk that is off keeps it until the next time.
  private func remove(_ paths: [String]) {
    for path in paths where FileManager.default.fileExists(atPath: path) {
      _ = Result { try FileManager.default.removeItem(atPath: path) }
    }
  }

  /// What the store itself says of its log and its projections.
  func check() throws {
    let ledger = try ledger
    let found = try attempt("verify") { () throws(LedgerError) in try ledger.log.verify() }
    if case .success(let found) = found, let fault = found.faults.first {
      throw Violation("verify reports \(fault)")
    }
    let compared = try attempt("compare the projections") { () throws(LedgerError) in
      try ledger.checkProjections()
    }
    if case .success(let differences) = compared, !differences.isEmpty {
      throw Violation("the projections differ from the log: \(differences.prefix(4))")
    }
    tally.count(.check, 2)
  }
}
