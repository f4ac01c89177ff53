public import LedgerEvents
internal import PackageFiles

/// Changes a folder of installed content and reports to a ledger, so that both agree even after an
/// interruption.
///
/// Each change is an attempt with a journal. The intended change and the events that report it are
/// on disk before the change is made. The next change to the folder first completes or undoes
/// interrupted ones.
public struct ContentKeeper {
  /// An interrupted attempt and its outcome.
  public struct Recovery: Sendable {
    public var product: Name
    /// Nil if a whole product was being removed.
    public var version: Name?
    /// True if the work was completed; false if it was undone.
    public var isFinished: Bool
  }

  /// The folder into which content is installed.
  public let path: String
  public let owner: ContentOwner
  let ledger: any ContentLedger
  let clock: () -> Instant
  let isolation: PackageIsolation
  private let onRecovery: (Recovery) -> Void

  /// - Parameters:
  ///   - path: The folder. Installing creates it if it is missing.
  ///   - owner: The owner of the folder.
  ///   - ledger: The ledger to which each change is reported.
  ///   - clock: Returns the present time, as store time.
  ///   - isolation: Where packages are parsed.
  ///   - onRecovery: Called for each interrupted attempt that was completed or undone.
  public init(
    _ path: String, owner: ContentOwner, ledger: any ContentLedger,
    clock: @escaping () -> Instant, isolation: PackageIsolation = .none,
    onRecovery: @escaping (Recovery) -> Void = { _ in }
  ) {
    self.path = path
    self.owner = owner
    self.ledger = ledger
    self.clock = clock
    self.isolation = isolation
    self.onRecovery = onRecovery
  }

  /// Opens the folder for a change, after completing or undoing interrupted attempts.
  func open(makes: Bool = false) throws(ContentError) -> ContentRoot {
    let root = try ContentRoot.changing(path, for: owner, makes: makes)
    for id in try root.attemptsLeft() { try recover(id, in: root) }
    return root
  }

  private func recover(_ id: String, in root: borrowing ContentRoot) throws(ContentError) {
    let attempt = try Attempt(left: id, in: root)
    guard var journal = try attempt.journal(),
      var maker = ContentEventMaker(resuming: journal, attempt: id, clock: clock)
    else {
      // The attempt had not begun: nothing was reported, and nothing was moved.
      return try attempt.remove(from: root)
    }
    let intent = journal.intent
    let isFinished: Bool
    switch intent.kind {
    case .install:
      isFinished = try isInPlace(journal, attempt, root)
      if isFinished {
        try finishInstall(attempt, &journal, &maker, in: root)
      } else {
        try undo(attempt, &journal, &maker, ContentFailure.interrupted, in: root)
      }
    case .activate:
      isFinished = true
      try finishActivation(attempt, journal, in: root)
    case .remove:
      isFinished = true
      try finishRemoval(attempt, journal, in: root)
    }
    onRecovery(
      Recovery(product: intent.product, version: intent.version, isFinished: isFinished))
  }

  /// Returns whether an interrupted install had moved its version into position: the staged tree no
  /// longer exists, the event that it was going to append is in the journal, and the version
  /// exists.
  private func isInPlace(
    _ journal: borrowing AttemptJournal, _ attempt: borrowing Attempt,
    _ root: borrowing ContentRoot
  ) throws(ContentError) -> Bool {
    guard let version = journal.intent.version, journal.event(.contentInstalled) != nil,
      journal.event(.contentInstallFailed) == nil
    else { return false }
    if try attempt.hasTree() { return false }
    return try root.hasVersion(journal.intent.product, version)
  }

  /// Returns an event with the fields that all events of an attempt share.
  func base(
    _ product: Name, transaction: Name? = nil, download: Name? = nil, app: Name? = nil,
    environment: StoreEnvironment? = nil
  ) -> Event {
    Event(
      id: "", type: EventType(.noteAdded), occurredAt: Instant(microseconds: 0),
      environment: environment, app: app, account: owner.account, device: owner.device,
      product: product, transaction: transaction, download: download)
  }

  /// Runs `body`. If it fails, undoes what can be undone and reports both failures.
  ///
  /// A version that is in position stays, also if the disk failed to confirm that: the attempt is
  /// kept, and the next change completes it, as after a kill.
  func undoing<Value>(
    _ attempt: borrowing Attempt, _ journal: inout AttemptJournal,
    _ maker: inout ContentEventMaker, in root: borrowing ContentRoot,
    _ body: (inout AttemptJournal, inout ContentEventMaker) throws(ContentError) -> Value
  ) throws(ContentError) -> Value {
    do throws(ContentError) {
      return try body(&journal, &maker)
    } catch {
      let failure = error
      let isInPlace: Bool
      do throws(ContentError) {
        isInPlace = try self.isInPlace(journal, attempt, root)
        if !isInPlace {
          try undo(attempt, &journal, &maker, ContentFailure.value(of: failure), in: root)
        }
      } catch {
        throw ContentError(
          failure.code, path: failure.path,
          "\(failure.message) It could not be undone yet (\(error.description)): the next "
            + "command that changes \(path) will do so.")
      }
      guard isInPlace else { throw failure }
      throw ContentError(
        failure.code, path: failure.path,
        "\(failure.message) The version is in its place: the next command that changes \(path) "
          + "will report it.")
    }
  }
}
