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
  /// The event could not be written to the disk: do not finish the transaction now.
  case spool(SpoolError)

  public var description: String {
    switch self {
    case .spool(let error): "not recorded: \(error)"
    }
  }
}

/// Writes down what happens to purchases, as events that a ledger takes.
///
/// A method returns when the event is on the disk, and throws if it is not. So an app that finishes
/// a transaction after it has returned never finishes what was not recorded. All methods can be
/// called from any thread; each waits for the disk, which takes milliseconds.
///
/// What cannot be written is kept in memory, and written before anything else is; only a finish is
/// not kept. So sell, deliver and download although a method has thrown, but do not finish: the
/// finish throws until everything before it is on the disk. If the app ends first, the queue
/// delivers the transaction again.
public final class Recorder: Sendable {
  private struct State {
    var mapping: EventMapping
    var sequence: Int64 = 0
    var account: String?
    /// What of `mapping` is on the disk.
    var saved: EventMapping.Memory
    /// Lines of what happened and could not be written. They are written before any other.
    var missed: [[UInt8]] = []
  }

  /// Lines that are kept in memory while the disk takes none: some megabytes.
  private static let missedMax = 10_000

  /// Where the events wait for the upload.
  public let spool: Spool
  private let settings: RecorderSettings
  private let session: String
  private let sources: RecorderSources
  private let memory: MemoryFile
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
    memory = MemoryFile(spool)
    let remembered = memory.read()
    let mapping = EventMapping(
      memory: remembered, launchSource: settings.launchSource, makeName: sources.makePaymentName)
    state = Locked(State(mapping: mapping, account: account, saved: remembered))
  }

  /// Whose purchases these are from now on; nil if nobody is signed in.
  public var account: String? {
    get { state.withLock { $0.account } }
    set { state.withLock { $0.account = newValue } }
  }

  /// Records a callback or a call of StoreKit 1.
  public func record(storeKit1 call: QueueCall) throws(RecorderError) {
    try record(isKept: !call.isFinish) { state in
      state.mapping.events(of: call, signedIn: state.account)
    }
  }

  /// Records a result or a call of StoreKit 2.
  public func record(storeKit2 call: PurchaseCall) throws(RecorderError) {
    try record(isKept: !call.isFinish) { state in state.mapping.events(of: call) }
  }

  /// Records what the app does.
  public func record(app call: AppCall) throws(RecorderError) {
    try record(isKept: true) { state in state.mapping.events(of: call) }
  }

  /// A name for a payment of StoreKit 2, which is passed to ``PurchaseCall``.
  public func makePaymentName() -> String { sources.makePaymentName() }

  // The lock is held over the write, so that the spool has the events in the order of their
  // numbers.
  private func record(
    isKept: Bool, _ map: (inout State) -> [EventDraft]
  ) throws(RecorderError) {
    try state.withLock { state throws(RecorderError) in
      var next = state
      let drafts = map(&next)
      guard !drafts.isEmpty else {
        state = next
        return
      }
      let lines = drafts.map { line($0, &next) }
      if next.mapping.memory != state.saved, memory.write(next.mapping.memory) {
        next.saved = next.mapping.memory
      }
      let isRoutine = drafts.allSatisfy { $0.kind.isRoutine }
      do throws(SpoolError) {
        try spool.append(
          state.missed + lines, isRoutine: isRoutine && state.missed.isEmpty)
        next.missed = []
        state = next
      } catch {
        if isKept, !isRoutine, !error.isTooLong, state.missed.count < Self.missedMax {
          next.missed += lines
          state = next
        }
        throw .spool(error)
      }
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
