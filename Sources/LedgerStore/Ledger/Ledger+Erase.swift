internal import LMDB
public import LedgerEvents
internal import Synchronization

/// What an erasure destroyed.
public struct ErasureResult: Hashable, Sendable {
  /// The position of `account.erased`.
  public let position: UInt64
  /// Whether the ledger already had the event. If so, nothing more was destroyed.
  public let isDuplicate: Bool
  /// The number of names of accounts, devices and sessions whose keys were destroyed.
  public let names: Int
  /// The number of events whose personal data was destroyed.
  public let texts: Int
  /// What stays readable, and why; empty for a duplicate.
  public let remainder: ErasureRemainder

  /// Creates the result of an erasure.
  ///
  /// - Parameters:
  ///   - position: The position of `account.erased`.
  ///   - isDuplicate: Whether the ledger already had the event.
  ///   - names: The number of names whose keys were destroyed.
  ///   - texts: The number of events whose personal data was destroyed.
  ///   - remainder: What stays readable, and why.
  public init(
    position: UInt64, isDuplicate: Bool, names: Int, texts: Int, remainder: ErasureRemainder
  ) {
    self.position = position
    self.isDuplicate = isDuplicate
    self.names = names
    self.texts = texts
    self.remainder = remainder
  }
}

extension Ledger {
  /// The file with the keys of personal data. Back it up separately from the ledger.
  public var keyFile: String { log.keyFile }

  /// Forgets a customer: appends `account.erased`, and destroys the keys of the customer's personal
  /// data in every environment.
  ///
  /// Positions, records, roots and proofs stay. Every query then reports the account as unknown.
  /// The event and the list of what is destroyed are written in one commit. So everything that was
  /// appended before it is forgotten, and every later append sees it. After the commit, the keys
  /// are overwritten in the key file. If the process dies before that, it leaves a mark, and the
  /// next process that opens the ledger to write completes the erasure. You must replace copies of
  /// the key file in backups.
  ///
  /// If you erase the customer again with another event, this destroys what has turned out since to
  /// belong to the erased customer: events that arrived late, and earlier events that they connect
  /// to the customer.
  ///
  /// - Parameter event: A valid `account.erased`. If its time is earlier than the customer's newest
  ///   event, it is dated after that event, because everything is to be forgotten.
  /// - Complexity: O(*n* log *n*) in the events of the customer's units, with the log locked.
  ///   Before that, a walk over the kinds of all events. One write per key.
  /// - Throws: ``LedgerError``: `notFound` if no event names the account, `conflict` if the ledger
  ///   has another event with the same id, and as ``appendAndWait(_:options:)``. Nothing is written
  ///   in these cases.
  @available(*, noasync, message: "blocks its thread")
  @discardableResult
  public func erase(_ event: Event) throws(LedgerError) -> ErasureResult {
    precondition(event.type.kind == .accountErased, "an erasure is account.erased")
    guard let account = event.account else {
      throw LedgerError(.invalidEvent, "An erasure needs an account.")
    }
    try finishErasure()
    let mentions = try read { (view) throws(LedgerError) in try view.mentions(of: account) }
    var event = event
    while true {
      let found = FoundScope()
      do throws(LedgerError) {
        let outcome = try appendErasure(event, mentions, found)
        return try result(of: outcome, account, found.erasure)
      } catch {
        guard error.code == .conditionFailed, let newest = found.erasure?.scope.newest,
          newest >= event.occurredAt
        else { throw error }
        event.occurredAt = Instant(microseconds: newest.microseconds + 1)
      }
    }
  }

  private func appendErasure(
    _ event: Event, _ mentions: Mentions, _ found: FoundScope
  ) throws(LedgerError) -> AppendOutcome {
    try prepareAppend()
    let account = event.account ?? ""
    let occurredAt = event.occurredAt
    let outcome = try log.eraseAndWait(EventInput(event: event)) {
      [self] () throws(LedgerError) in
      let erasure = try read { (view) throws(LedgerError) in
        try view.erasureScope(of: account, mentions)
      }
      found.erasure = erasure
      guard erasure.scope.newest < occurredAt else {
        throw LedgerError(.conditionFailed, "An event of the customer's came in between.")
      }
      return erasure.scope
    }
    noteAppend()
    return outcome
  }

  private func result(
    of outcome: AppendOutcome, _ account: Name, _ erasure: CustomerErasure?
  ) throws(LedgerError) -> ErasureResult {
    var isDuplicate = false
    if case .duplicate = outcome {
      isDuplicate = true
      try requireErasure(of: account, at: outcome.position)
      try destroyErasedKeys()
    }
    try finishErasure()
    return ErasureResult(
      position: outcome.position, isDuplicate: isDuplicate, names: erasure?.scope.names.count ?? 0,
      texts: erasure?.scope.texts.count ?? 0,
      remainder: erasure?.remainder ?? ErasureRemainder())
  }

  /// Rejects an id that belongs to another event, since erased content cannot be compared.
  private func requireErasure(of account: Name, at position: UInt64) throws(LedgerError) {
    let isSame = try log.read { (view) throws(LedgerError) in
      let record = try view.record(at: position)
      guard record.kind == .accountErased else { return false }
      return try view.isName(record.number(.account), NameUse(kind: .account, name: account))
    }
    guard isSame else {
      throw LedgerError(
        .conflict,
        """
        The id is already used at position \(position) by another event: use a new one. Nothing \
        was erased.
        """, position: position)
    }
  }

  /// Overwrites the keys of everything that was erased, even if that was done before: somebody may
  /// have put back a key file from before an erasure.
  ///
  /// - Complexity: O(*n*) in everything that was ever erased.
  /// - Throws: ``LedgerError``.
  public func destroyErasedKeys() throws(LedgerError) {
    try log.destroyErasedKeys()
    try finishErasure()
  }

  /// Overwrites the keys of everything that was erased, if an erasure is not complete. Its mark
  /// names the slots, so it becomes complete even if the list of what was erased is damaged.
  ///
  /// - Complexity: O(1) if it is complete; otherwise O(*n*) in everything that was ever erased.
  /// - Throws: ``LedgerError``: `corrupt` if the list is damaged, `io`.
  func finishErasure() throws(LedgerError) {
    guard let mark = try log.erasureMark() else { return }
    // If the key file is missing, the mark stays until the file is put back or given up.
    guard try log.destroyKeys(of: mark) else { return }
    try log.clearErasureMark(mark.position)
    // An older key file that was put back has the keys of earlier erasures again.
    try log.destroyErasedKeys()
  }
}

/// What the writer's thread found, for the thread that waits for it.
private final class FoundScope: Sendable {
  private let found = Mutex<CustomerErasure?>(nil)

  var erasure: CustomerErasure? {
    get { found.withLock { $0 } }
    set { found.withLock { $0 = newValue } }
  }
}

extension EventLog {
  /// The mark of the erasures whose keys may not have been overwritten yet; `nil` if all have been.
  func erasureMark() throws(LedgerError) -> ErasureMark? {
    try read { (view) throws(LedgerError) in try ErasureMark(view.view, view.tables) }
  }

  /// Overwrites the keys of everything that was erased.
  ///
  /// - Returns: Whether there is a key file.
  @discardableResult
  func destroyErasedKeys() throws(LedgerError) -> Bool {
    // Before the list, which may be damaged.
    if let mark = try erasureMark(), !mark.slots.isEmpty {
      guard try destroyKeys(of: mark) else { return false }
    }
    let slots = try read { (view) throws(LedgerError) in try view.erasedSlots() }
    return try tables.texts.keys?.destroy(slots.map(\.slot)) ?? true
  }

  /// Overwrites the keys that a mark names. If it names none, it may be about anything in the list.
  ///
  /// - Returns: Whether there is a key file.
  fileprivate func destroyKeys(of mark: ErasureMark) throws(LedgerError) -> Bool {
    if mark.slots.isEmpty { return try destroyErasedKeys() }
    return try tables.texts.keys?.destroy(mark.slots) ?? true
  }

  /// Removes the mark, unless another erasure has set a new one since.
  fileprivate func clearErasureMark(_ position: UInt64) throws(LedgerError) {
    let key = LogIdentity.Row.erasing.bytes
    var transaction: WriteTransaction
    do throws(LMDBError) { transaction = try environment.beginWrite() } catch {
      throw LedgerError(error)
    }
    let mark = try ErasureMark(transaction.view, tables)
    do throws(LMDBError) {
      if mark?.position == position { _ = try transaction.delete(tables.meta, key.span) }
      try transaction.commit()
    } catch {
      throw LedgerError(error)
    }
  }
}
