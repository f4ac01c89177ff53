import Foundation
import LMDB
import LedgerEvents
import LedgerHistories
import LedgerLog
import LedgerStore
import Synchronization

/// The ledger's clock.
final class SimulatedClock: Sendable {
  private let microseconds = Atomic<Int64>(0)

  func set(_ instant: Int64) { microseconds.store(instant, ordering: .relaxed) }
  var now: Instant { Instant(microseconds: microseconds.load(ordering: .relaxed)) }
}

/// The life of one ledger: operations and faults that follow from a seed, and an audit after each.
///
/// There is one thread of control. The store's own threads only run while it waits for them.
final class Simulation {
  struct Settings {
    var seed: UInt64
    /// How many operations a history has.
    var operationsMax = 600
    /// One in how many steps begins with a planned fault; nil for none.
    var faultEvery: Int? = 10
    var sabotage = Sabotage.nothing
    var tells = false
  }

  let settings: Settings
  let folder: String
  var random: SeededRandom
  var customers: Customers
  var auditor = Auditor()
  let clock = SimulatedClock()
  private(set) var current: Ledger?
  var snapshot: HeldSnapshot?
  var tally = Tally()
  /// A digest of what was done, for comparing two runs.
  private(set) var trace: UInt64 = 0
  private(set) var steps: [String] = []
  /// What was offered and has no answer yet.
  var onItsWay: [[Offer]] = []
  /// Whether the disk has failed since the ledger was opened. Then an operation may refuse.
  var isTainted = false
  private var isFaultPlanned = false
  /// The key file before the erasure that has no answer yet.
  var keysBeforeErasure: [UInt8]?

  var path: String { folder + "/ledger" }
  var keyFile: String { path + "/keys" }

  init(_ settings: Settings, folder: String) {
    self.settings = settings
    self.folder = folder
    random = SeededRandom(seed: settings.seed)
    customers = Customers(prefix: String(settings.seed, radix: 36))
    clock.set(customers.now)
  }

  var ledger: Ledger {
    get throws {
      guard let current else { throw Violation("the ledger is not open") }
      return current
    }
  }

  func note(_ step: String) {
    steps.append(step)
    for byte in step.utf8 { trace = (trace ^ UInt64(byte)) &* 0x100_0000_01B3 }
    if settings.tells { print("  \(step)") }
  }
}

// MARK: - The course

extension Simulation {
  func run() throws {
    try make()
    while tally.operations < settings.operationsMax { try step() }
    try end()
  }

  /// Makes the ledger. It may take more than one attempt.
  private func make() throws {
    planFault(oneIn: 4)
    while true {
      let made = try attempt("create", excusing: [.exists]) { () throws(LedgerError) in
        try Ledger.create(at: path, clock: { [clock] in clock.now })
      }
      tally.count(.open)
      guard case .failure(let error) = made else {
        take(try made.get())
        break
      }
      try leave()
      if Disk.isOff { powerOn() }
      Disk.plan(nil)
      isFaultPlanned = false
      isTainted = false
      // Its making was interrupted after the ledger was whole.
      if error.code == .exists, try open() { break }
    }
    guard auditor.positions == 0 else { return }
    let catalogue = Offer(event: customers.catalogue())
    while auditor.positions == 0 {
      try offer([[catalogue]])
      try recoverIfNeeded()
    }
  }

  private func step() throws {
    if !isFaultPlanned, let every = settings.faultEvery { planFault(oneIn: every) }
    try perform(Operation.drawn(&random))
    try recoverIfNeeded()
    try auditALittle()
  }

  /// Plans a fault at one of the next calls.
  private func planFault(oneIn every: Int) {
    guard settings.faultEvery != nil, random.chance(1, in: every) else { return }
    let kind: Disk.Fault.Kind =
      random.chance(1, in: 2) ? .powerCut : random.one(of: Disk.Fault.Kind.allCases)
    let reach = random.one(of: [3, 8, 24, 80, 300])
    plan(Disk.Fault(kind: kind, call: UInt64(1 + random.below(reach))))
  }

  private func plan(_ fault: Disk.Fault) {
    note("plan \(fault)")
    Disk.plan(fault)
    isFaultPlanned = true
  }

  /// Ends with every question that there is.
  private func end() throws {
    Disk.plan(nil)
    try reopen()
    try auditEverything()
    let differences = try ledger.checkProjections()
    guard differences.isEmpty else {
      throw Violation("the projections differ from the log: \(differences.prefix(4))")
    }
    let faults = try ledger.log.verify().faults
    guard faults.isEmpty else { throw Violation("verify reports \(faults.prefix(4))") }
    snapshot = nil
    try ledger.close()
    current = nil
  }
}

// MARK: - Faults

extension Simulation {
  /// Runs an operation. It may fail if the disk has failed, or with one of `codes`.
  func attempt<Value>(
    _ what: String, excusing codes: Set<LedgerError.Code> = [],
    _ body: () throws(LedgerError) -> Value
  ) throws -> Result<Value, LedgerError> {
    do throws(LedgerError) { return .success(try body()) } catch {
      if Disk.hasFailed { isTainted = true }
      guard isTainted || codes.contains(error.code) else {
        throw Violation("\(what) failed on a disk that works: \(error.code) \(error.message)")
      }
      note("\(what) refused: \(error.code)")
      return .failure(error)
    }
  }

  /// After a power cut the ledger is opened on what is left. After an error it goes on, or not.
  func recoverIfNeeded() throws {
    if Disk.isOff { return try restart() }
    if isFaultPlanned, Disk.hasFailed {
      isFaultPlanned = false
      isTainted = true
    }
    guard isTainted else { return }
    let goesOn = try !random.chance(1, in: 3) && onItsWay.isEmpty && isReadable()
    if goesOn { return }
    // A disk that has failed often fails once more, before what it should hold was written again.
    if !isFaultPlanned, random.chance(1, in: 2) {
      plan(Disk.Fault(kind: .powerCut, call: UInt64(1 + random.below(16))))
    }
    try reopen()
  }

  /// Whether the log can be read. If a meta page could not be written, LMDB refuses everything
  /// until it is opened again.
  private func isReadable() throws -> Bool {
    let log = try ledger.log
    let read = try attempt("read") { () throws(LedgerError) in try log.lastPosition() }
    if case .failure(let error) = read {
      guard error.code == .outcomeUnknown else { throw error }
      return false
    }
    return true
  }

  private func restart() throws {
    while true {
      try leave()
      tally.count(.powerCut)
      powerOn()
      planFault(oneIn: 6)
      if try open() { break }
      if !Disk.isOff {
        // An error, not a cut: the next attempt meets a disk that works.
        Disk.plan(nil)
        isFaultPlanned = false
        isTainted = false
        if try open() { break }
      }
    }
    try reconcile(afterCut: true)
    if Disk.isOff { return try restart() }
  }

  private func powerOn() {
    let leavings = random.below(Disk.leavings)
    let lost = Disk.powerOn(leaving: leavings, seed: random.next())
    isFaultPlanned = false
    isTainted = false
    note("power cut, leaves \(leavings), \(lost) lost")
  }

  /// Closes the ledger and opens it again, on a disk that may fail.
  func reopen() throws {
    try leave()
    tally.count(.close)
    if Disk.isOff { return try restart() }
    isTainted = false
    while try !open() {
      if Disk.isOff { return try restart() }
      Disk.plan(nil)
      isFaultPlanned = false
      isTainted = false
    }
    try reconcile(afterCut: false)
    if Disk.isOff { try restart() }
  }

  private func leave() throws {
    snapshot = nil
    guard let ledger = current else { return }
    do throws(LedgerError) { try ledger.close() } catch {
      // The last root could not be synced; the ledger is closed all the same.
      guard error.code != .busy else { throw Violation("the ledger cannot be closed: \(error)") }
    }
    current = nil
  }

  /// Opens the ledger; false if the disk has failed meanwhile.
  private func open() throws -> Bool {
    let opened = try attempt("open") { () throws(LedgerError) in
      try Ledger(at: path, clock: { [clock] in clock.now })
    }
    tally.count(.open)
    guard case .success(let ledger) = opened else { return false }
    take(ledger)
    return true
  }

  private func take(_ ledger: Ledger) {
    ledger.foldsOnlyWhenCalled()
    current = ledger
  }

  private func reconcile(afterCut: Bool) throws {
    let batches = onItsWay
    try reading { log in
      try auditor.reconcile(log, onItsWay: batches, afterCut: afterCut)
    }
    onItsWay = []
    for (customer, _) in auditor.erasures { customers.markErased(customer, true) }
    if let before = keysBeforeErasure, !Disk.hasFailed || !isTainted {
      _ = try auditor.noteDestroyed(before: before, after: keys())
      keysBeforeErasure = nil
    }
    if afterCut { try auditEverything() }
  }
}

// MARK: - Auditing

extension Simulation {
  /// Reads the log. Whoever reads does not need the disk to write.
  func reading(_ body: (LogView) throws -> Void) throws {
    var failure: (any Error)?
    let log = try ledger.log
    try log.read { (view) throws(LedgerError) in
      do { try body(view) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  func keys() -> [UInt8] { [UInt8](FileManager.default.contents(atPath: keyFile) ?? Data()) }

  private func auditALittle() throws {
    try reading { log in try auditor.audit(log) { random.below($0) } }
  }

  private func auditEverything() throws {
    try reading { log in try auditor.audit(log, everything: true) { _ in 0 } }
    try auditor.auditKeys(keys())
    try ask(count: 2)
  }
}

extension Simulation {
  /// Lets go of the ledger after a violation, whatever state it is in.
  func abandon() {
    Disk.plan(nil)
    snapshot = nil
    _ = Result { try current?.close() }
    current = nil
  }
}
