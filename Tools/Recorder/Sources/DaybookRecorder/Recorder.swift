import Foundation

/// What stays the same during a launch.
public struct RecorderSettings: Sendable {
  /// The bundle identifier.
  public var app: String
  /// Which installation: an id that you make at the first launch, not the advertising identifier.
  public var device: String
  /// Which launch. Made anew by default.
  public var session: String?
  /// The environment, if the app knows it. A transaction of StoreKit 2 says its own.
  public var environment: StoreEnvironment?
  /// Whether a transaction that names no account belongs to whoever is signed in. Switch it on only
  /// if one person uses the app on a device: the queue delivers everybody's.
  public var assignsToSignedIn = false
  /// The source of launches and of their ends.
  public var launchSource = EventSource.app

  public init(app: String, device: String) {
    self.app = app
    self.device = device
  }
}

/// Why a call was not recorded.
public enum RecorderError: Error, Equatable, CustomStringConvertible {
  /// The event could not be written to the disk: do not finish the transaction now. Unless it is a
  /// finish, it is kept in memory, and written later.
  case spool(SpoolError)
  /// The call lacks what the ledger needs for an event of this type: record it with these members.
  /// Nothing was recorded.
  case incomplete(type: String, missing: [String])
  /// Something that was reported of this transaction, or of this payment, could neither be written
  /// nor kept in memory: do not finish it in this launch. The queue delivers it again at the next.
  case dropped(String)

  /// This transaction, or one of this product, left the queue, and no finish of it was recorded in
  /// this launch: the app called `finishTransaction` itself, and so past the recorder.
  case finishedElsewhere(String)
  /// StoreKit did not verify this transaction: give nothing for it, and do not finish it.
  case unverified(String)

  public var description: String {
    switch self {
    case .finishedElsewhere(let name):
      "\(name) was finished past the recorder: call RecordingQueue.finish, not finishTransaction"
    case .unverified(let name):
      "not recorded: \(name) is not verified, so it is neither given nor finished"
    case .spool(let error): "not recorded: \(error)"
    case .incomplete(let type, let missing):
      "not recorded: \(type) needs \(missing.joined(separator: ", "))"
    case .dropped(let name):
      "not recorded: an event about \(name) was dropped, so it is not finished in this launch"
    }
  }
}

/// Writes down what happens to purchases, as events that a ledger takes.
///
/// A method returns when the event is on the disk, and throws if it is not. So an app that finishes
/// a transaction after it has returned never finishes what was not recorded. All methods can be
/// called from any thread; each waits for the disk, which takes milliseconds.
///
/// What cannot be written is kept in memory, up to 4 MiB, and written before anything else is; only
/// a finish is not kept. What does not fit there either is dropped: the number of the next event
/// shows the gap, and what it was about cannot be finished in this launch. So sell, deliver and
/// download although a method has thrown, but do not finish: the finish throws until everything
/// before it is on the disk. If the app ends first, the queue delivers the transaction again.
public final class Recorder: Sendable {
  private struct State {
    var mapping: EventMapping
    var sequence: Int64 = 0
    var account: String?
    /// What of `mapping` is on the disk, and its bytes there.
    var saved: EventMapping.Memory
    var savedBytes: [UInt8]?
    /// Lines of what happened and could not be written. They are written before any other.
    var missed: [[UInt8]] = []
    var missedBytes = 0
    /// The transactions and payments of events that were dropped.
    var dropped: Set<String> = []
    /// The payments of the transactions that were reported in this launch. What is missing of the
    /// payment is missing of the purchase.
    var payments: [String: String] = [:]
    /// The transactions, and the payments of failures, of which was recorded in this launch what
    /// became of them. A finish of any other is preceded by its report.
    var reported: Set<String> = []
    /// What was claimed by transactions that StoreKit did not verify.
    var unverified: Set<String> = []
    /// The objects of transactions that were finished and have not left the queue yet.
    var finished: Set<UInt> = []

    /// Whether it was recorded in this launch what became of a transaction. Of one that nothing
    /// became of yet there is nothing to record.
    func isReported(_ transaction: QueueTransaction) -> Bool {
      switch transaction.state {
      case .purchasing, .deferred: return true
      case .purchased, .restored: return transaction.transaction.map(reported.contains) ?? false
      case .failed:
        var names = mapping.memory.payments
        let keys = [transaction.transaction, names.name(of: transaction)].compactMap { $0 }
        return keys.contains(where: reported.contains)
      }
    }
  }

  /// Lines that are kept in memory while the disk takes none, in bytes.
  static let missedBytesMax = 4 << 20

  /// Where the events wait for the upload.
  public let spool: Spool
  private let settings: RecorderSettings
  private let session: String
  private let sources: RecorderSources
  private let memory: MemoryFile
  /// Whether the file of what is remembered may be replaced: not if it could not be read.
  private let savesMemory: Bool
  /// What of the settings a ledger would refuse in each event.
  private let tooLong: [String]
  private let state: Locked<State>

  /// - Parameters:
  ///   - account: The account token of whoever is signed in: an id of yours, no name and no
  ///   address.
  ///   - sources: The clock and where ids come from.
  public init(
    _ settings: RecorderSettings, spool: Spool, account: String? = nil,
    sources: RecorderSources = RecorderSources()
  ) {
    self.spool = spool
    self.settings = settings
    self.sources = sources
    session = settings.session ?? sources.makeID(sources.now())
    tooLong = EventDraft.tooLong([
      ("app", settings.app), ("device", settings.device), ("session", session),
    ])
    memory = MemoryFile(spool)
    let read = memory.read()
    let remembered = read ?? EventMapping.Memory()
    savesMemory = read != nil
    let mapping = EventMapping(
      memory: remembered, launchSource: settings.launchSource, makeName: sources.makePaymentName)
    state = Locked(
      State(
        mapping: mapping, account: account.map(AccountToken.canonical), saved: remembered,
        savedBytes: MemoryFile.bytes(of: remembered)))
  }

  /// Whose purchases these are from now on; nil if nobody is signed in. A UUID is kept in lower
  /// case, here and wherever a call names an account, as the store writes it.
  public var account: String? {
    get { state.withLock { $0.account } }
    set { state.withLock { $0.account = newValue.map(AccountToken.canonical) } }
  }

  /// Records a callback or a call of StoreKit 1.
  public func record(storeKit1 call: QueueCall) throws(RecorderError) {
    try record(storeKit1: [call])
  }

  /// Records a callback that brings several values at once, such as 500 restored transactions, with
  /// one write and one wait for the disk. All are recorded, or none; but if one is too long for a
  /// ledger, the others are recorded, each by itself. A finish among them is recorded by itself, in
  /// its turn, and not at all if anything before it failed.
  ///
  /// - Throws: ``RecorderError``, the first if they were recorded each by itself. Do not record
  ///   them again, except after ``RecorderError/incomplete(type:missing:)``.
  public func record(storeKit1 calls: [QueueCall]) throws(RecorderError) {
    var failure: RecorderError?
    var rest = calls[...]
    while let first = rest.first {
      let end =
        first.isFinish
        ? rest.startIndex + 1 : rest.firstIndex(where: \.isFinish) ?? rest.endIndex
      let part = Array(rest[..<end])
      rest = rest[end...]
      // What failed can be what is finished.
      if first.isFinish, failure != nil { continue }
      do throws(RecorderError) {
        try record(part: part)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Records calls of which none is a finish, or a finish alone.
  private func record(part calls: [QueueCall]) throws(RecorderError) {
    do throws(RecorderError) {
      try record(together: calls)
    } catch {
      guard error.isTooLong, calls.count > 1 else { throw error }
      var failure: RecorderError?
      for call in calls {
        do throws(RecorderError) {
          try record(together: [call])
        } catch {
          failure = failure ?? error
        }
      }
      if let failure { throw failure }
    }
  }

  private func record(together calls: [QueueCall]) throws(RecorderError) {
    try state.withLock { state throws(RecorderError) in
      let isFinish = calls.contains(where: \.isFinish)
      if case .finish(let transaction)? = calls.first, !state.isReported(transaction) {
        // The finish would be all that is known of it.
        try record(isFinish: false, &state) { state in
          state.mapping.events(of: .updated(transaction), signedIn: state.account)
        }
      }
      try record(isFinish: isFinish, isMany: calls.count > 1, &state) { state in
        calls.flatMap { state.mapping.events(of: $0, signedIn: state.account) }
      }
      for call in calls {
        switch call {
        case .finish(let transaction): state.finished.insert(transaction.object)
        case .removed(let transaction): state.finished.remove(transaction.object)
        default: continue
        }
      }
    }
  }

  /// Whether a finish of this transaction was recorded in this launch. Ask before its removal is
  /// recorded.
  public func sawFinish(of transaction: QueueTransaction) -> Bool {
    state.withLock { $0.finished.contains(transaction.object) }
  }

  /// Records a result or a call of StoreKit 2.
  ///
  /// - Throws: ``RecorderError``; ``RecorderError/unverified(_:)`` for the finish of a transaction
  ///   that was delivered in this launch and never verified.
  public func record(storeKit2 call: PurchaseCall) throws(RecorderError) {
    try state.withLock { state throws(RecorderError) in
      if let claimed = call.unverified { state.unverified.insert(claimed) }
      switch call {
      case .finish(let transaction), .refundRequested(let transaction):
        let id = transaction.transaction
        let isReported = state.reported.contains(id)
        if transaction.verificationError != nil || (!isReported && state.unverified.contains(id)) {
          throw .unverified(id)
        }
        if call.isFinish, !isReported {
          // A plain `purchase()` or a view of the store sold it: nothing else tells of it.
          try record(isFinish: false, &state) { state in
            state.mapping.events(of: .unfinished(transaction))
          }
        }
      default: break
      }
      try record(isFinish: call.isFinish, &state) { state in state.mapping.events(of: call) }
    }
  }

  /// Records what the app does.
  public func record(app call: AppCall) throws(RecorderError) {
    try state.withLock { state throws(RecorderError) in
      try record(isFinish: false, &state) { state in state.mapping.events(of: call) }
    }
  }

  /// Writes what is kept in memory because the disk did not take it. An ``Upload`` of this recorder
  /// calls it before each request; each record does, too.
  public func flush() throws(RecorderError) {
    try state.withLock { state throws(RecorderError) in
      guard !state.missed.isEmpty else { return }
      do throws(SpoolError) {
        try writeMissed(&state)
      } catch {
        throw .spool(error)
      }
      save(state.mapping.memory, &state)
    }
  }

  /// A name for a payment of StoreKit 2, which is passed to ``PurchaseCall``.
  public func makePaymentName() -> String { sources.makePaymentName() }

  // The lock is held over the write, so that the spool has the events in the order of their
  // numbers.
  //
  // - Parameter isMany: Whether each call is recorded by itself if one of them is too long.
  private func record(
    isFinish: Bool, isMany: Bool = false, _ state: inout State,
    _ map: (inout State) -> [EventDraft]
  ) throws(RecorderError) {
    var next = state
    let drafts = map(&next)
    guard !drafts.isEmpty else {
      state = next
      return
    }
    for draft in drafts {
      if let transaction = draft.transaction, let payment = draft.payment {
        next.payments[transaction] = payment
      }
    }
    do throws(RecorderError) {
      try check(drafts, isFinish: isFinish, next)
    } catch {
      // What it reports now is not on the disk: a finish has to report it first.
      if case .incomplete = error { state.reported.subtract(drafts.flatMap(\.reports)) }
      throw error
    }
    next.reported.formUnion(drafts.flatMap(\.reports))
    let lines = drafts.map { line($0, &next) }
    // A payment's name is written before it is used: without the event it does no harm. What was
    // recorded of a subscription is written after it was: a crash in between costs a second
    // event, and never the only one.
    var names = next.mapping.memory
    names.subscriptions = state.saved.subscriptions
    save(names, &next)
    let isRoutine = drafts.allSatisfy { $0.kind.isRoutine }
    do throws(RecorderError) {
      try append(lines, isRoutine: isRoutine, &next)
      save(next.mapping.memory, &next)
      state = next
    } catch {
      let bytes = lines.reduce(0) { $0 + $1.count }
      let isKept = !isFinish && !isRoutine && !error.isTooLong
      if isKept, next.missedBytes + bytes <= Self.missedBytesMax {
        next.missed += lines
        next.missedBytes += bytes
        state = next
      } else {
        (state.saved, state.savedBytes) = (next.saved, next.savedBytes)
        // Some of it may have found room.
        (state.missed, state.missedBytes) = (next.missed, next.missedBytes)
        if !isFinish, !(isMany && error.isTooLong) {
          drop(drafts, isRoutine: isRoutine, from: &state, next)
        }
        // It may be on the disk after all: its number is not given again.
        if isFinish, error.mayBeWritten { state.sequence = next.sequence }
      }
      throw error
    }
  }

  /// What happened can neither be written nor kept.
  private func drop(
    _ drafts: [EventDraft], isRoutine: Bool, from state: inout State, _ next: State
  ) {
    // The gap in the numbers says it.
    state.sequence = next.sequence
    // It happened all the same: its payment has its name, and what is reported of that payment
    // later is known to lack something.
    state.mapping.memory.payments = next.mapping.memory.payments
    (state.payments, state.reported) = (next.payments, next.reported)
    if !isRoutine { state.dropped.formUnion(drafts.flatMap(\.keys)) }
  }

  /// Whether the ledger would take the events, and a finish may be made.
  private func check(
    _ drafts: [EventDraft], isFinish: Bool, _ state: State
  ) throws(RecorderError) {
    for draft in drafts {
      let account = draft.account(state.account, settings.assignsToSignedIn)
      let missing = tooLong + draft.missing(account: account)
      if !missing.isEmpty { throw .incomplete(type: draft.kind.rawValue, missing: missing) }
      let payment = draft.transaction.flatMap { state.payments[$0] }
      let names = draft.keys + [payment].compactMap { $0 }
      if isFinish, let name = names.first(where: state.dropped.contains) { throw .dropped(name) }
    }
  }

  /// Appends what was missed, then these lines.
  private func append(
    _ lines: [[UInt8]], isRoutine: Bool, _ state: inout State
  ) throws(RecorderError) {
    do throws(SpoolError) {
      // Before anything else, so that nothing is kept in memory that will never be written.
      try spool.checkLengths(lines)
      try writeMissed(&state)
      try spool.append(lines, isRoutine: isRoutine)
    } catch {
      throw .spool(error)
    }
  }

  /// Writes what was missed, and waits for the disk: after a power cut that tears the next write,
  /// what was before it is there.
  ///
  /// One line first, then more: while the disk is full, each event costs the attempt to write one
  /// line, and not all that wait.
  private func writeMissed(_ state: inout State) throws(SpoolError) {
    var count = 1
    while !state.missed.isEmpty {
      let lines = Array(state.missed.prefix(count))
      try spool.append(lines)
      state.missed.removeFirst(lines.count)
      state.missedBytes -= lines.reduce(0) { $0 + $1.count }
      count *= 2
    }
  }

  /// Writes what is remembered, if the file would change.
  private func save(_ memory: EventMapping.Memory, _ state: inout State) {
    guard savesMemory, memory != state.saved, let bytes = MemoryFile.bytes(of: memory) else {
      return
    }
    if bytes == state.savedBytes {
      state.saved = memory
    } else if self.memory.write(bytes) {
      (state.saved, state.savedBytes) = (memory, bytes)
    }
  }

  private func line(_ draft: EventDraft, _ state: inout State) -> [UInt8] {
    let now = sources.now()
    let envelope = Envelope(
      id: sources.makeID(now), occurredAt: now, app: settings.app, device: settings.device,
      session: session, sequence: state.sequence, environment: settings.environment,
      signedIn: state.account, assignsToSignedIn: settings.assignsToSignedIn)
    state.sequence += 1
    return draft.line(envelope)
  }
}

extension RecorderError {
  /// Whether it is the event's own fault, and no later attempt will succeed.
  fileprivate var isTooLong: Bool {
    if case .spool(let error) = self { error.isTooLong } else { false }
  }

  /// Whether the disk failed, so that nobody knows whether it has the event.
  fileprivate var mayBeWritten: Bool {
    if case .spool(.failed) = self { true } else { false }
  }
}

extension EventDraft {
  /// What a finish names: the transaction, or the payment of a failure.
  fileprivate var keys: [String] { [transaction, payment].compactMap { $0 } }

  /// What it names, if it says what became of a transaction.
  fileprivate var reports: [String] {
    switch kind {
    case .purchased, .restored, .failed, .refunded, .revoked: keys
    default: []
    }
  }
}

extension PurchaseCall {
  /// The identifier that is claimed by a transaction that StoreKit did not verify.
  fileprivate var unverified: String? {
    switch self {
    case .updated(let transaction), .unfinished(let transaction),
      .purchased(.success(let transaction), _, _):
      transaction.verificationError == nil ? nil : transaction.transaction
    default: nil
    }
  }
}

/// The clock, and where ids come from. Tests pass others.
public struct RecorderSources: Sendable {
  public var now: @Sendable () -> Timestamp
  /// The id of an event or a launch that happens now: at most 128 bytes, never twice the same.
  public var makeID: @Sendable (Timestamp) -> String
  public var makePaymentName: @Sendable () -> String

  /// The device's clock, and UUIDs of version 7.
  public init() {
    now = { Timestamp.now() }
    makeID = { time in
      var random = SystemRandomNumberGenerator()
      return UUIDv7.make(at: time, random: (random.next(), random.next()))
    }
    makePaymentName = {
      var random = SystemRandomNumberGenerator()
      return "payment-" + UUIDv7.make(at: .now(), random: (random.next(), random.next()))
    }
  }
}
