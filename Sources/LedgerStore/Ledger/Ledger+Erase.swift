internal import LMDB
public import LedgerEvents

/// What an erasure destroyed.
public struct ErasureResult: Hashable, Sendable {
  /// The position of `account.erased`.
  public let position: UInt64
  /// Whether the event was there already; what came since was destroyed all the same.
  public let isDuplicate: Bool
  /// Names of accounts, devices and sessions whose keys were destroyed.
  public let names: Int
  /// Events whose personal data was destroyed.
  public let texts: Int
}

extension Ledger {
  /// The file with the keys of what identifies people: it is backed up apart from the ledger.
  public var keyFile: String { "\(path)/\(PersonalKeys.fileName)" }

  /// Forgets a customer: appends `account.erased` and destroys the keys under which what
  /// identifies the customer is sealed, in every environment.
  ///
  /// Positions, records, roots and proofs stay; about the account every question answers that it
  /// is not known. The keys are overwritten in the key file; copies of that file, where it is
  /// backed up, have to be replaced. A process that dies in between leaves a mark in the log, and
  /// whoever opens the ledger to write next goes on with it.
  ///
  /// - Parameter event: A valid `account.erased`.
  /// - Complexity: O(*n* log *n*) in the events of the customer's unit; two commits more than an
  ///   append and one write a key.
  /// - Throws: ``LedgerError``: `notFound` where no event names the account, and as
  ///   ``appendAndWait(_:options:)``.
  @available(*, noasync, message: "blocks its thread")
  @discardableResult
  public func erase(_ event: Event) throws(LedgerError) -> ErasureResult {
    precondition(event.type.kind == .accountErased, "an erasure is account.erased")
    guard let account = event.account else {
      throw LedgerError(.invalidEvent, "An erasure says whose: it needs an account.")
    }
    try finishErasure()
    let number = try read { (view) throws(LedgerError) in
      try view.numberEvenErased(of: account)
    }
    guard let number else {
      throw LedgerError(.notFound, "No event names the account \(account.text).")
    }
    try log.mark(Erasing(event: event.id, account: number))
    let outcome = try appendAndWait([EventInput(event: event)]).outcomes[0]
    let (names, texts) = try destroy(number, at: outcome.position)
    try log.mark(nil)
    var isDuplicate = false
    if case .duplicate = outcome { isDuplicate = true }
    return ErasureResult(
      position: outcome.position, isDuplicate: isDuplicate, names: names, texts: texts)
  }

  /// Goes on with an erasure that was cut short.
  ///
  /// - Complexity: O(1) where there is none.
  func finishErasure() throws(LedgerError) {
    guard let erasing = try log.erasing() else { return }
    let event = try read { (view) throws(LedgerError) in try view.event(withID: erasing.event) }
    // An event that is not there was never acknowledged.
    if let event { _ = try destroy(erasing.account, at: event.position) }
    try log.mark(nil)
  }

  private func destroy(
    _ account: NameNumber, at position: UInt64
  ) throws(LedgerError) -> (names: Int, texts: Int) {
    let scope = try read { (view) throws(LedgerError) in
      // What came behind an erasure that is done again is about the same customer.
      try view.erasureScope(of: account, before: position)
    }
    // The log says first which slots are gone, so that whoever finds one empty knows why.
    try log.markErased(scope.slots, at: position)
    try log.destroyKeys()
    return (scope.names.count, scope.texts.count)
  }
}

/// An erasure that is under way.
struct Erasing {
  let event: Name
  let account: NameNumber
}

extension LedgerView {
  /// The number of an account, also of one that was erased.
  func numberEvenErased(of account: Name) throws(LedgerError) -> NameNumber? {
    try reader.overlay.number(
      of: NameUse(kind: .account, name: account), log, reader.keyHash, tables, projections)
  }
}

extension EventLog {
  /// The erasure that is under way; nil where none is.
  func erasing() throws(LedgerError) -> Erasing? {
    try read { (view) throws(LedgerError) in
      guard let row = try LogIdentity.row(.erasing, view.view, view.tables) else { return nil }
      guard row.count > 4, let id = String(validating: row[4...], as: UTF8.self) else {
        throw .corrupt("The mark of an erasure is damaged")
      }
      return Erasing(event: Name(id), account: row.span.bigEndianHalf(at: 0))
    }
  }

  /// Marks that an erasure is under way, or that none is.
  func mark(_ erasing: Erasing?) throws(LedgerError) {
    let key = LogIdentity.Row.erasing.bytes
    do throws(LMDBError) {
      var transaction = try environment.beginWrite()
      if let erasing {
        let value = erasing.account.bigEndianBytes + erasing.event.text.utf8
        try transaction.put(tables.meta, key.span, value.span)
      } else {
        _ = try transaction.delete(tables.meta, key.span)
      }
      try transaction.commit()
    } catch {
      throw LedgerError(error)
    }
  }

  /// Writes down which slots an erasure destroys.
  fileprivate func markErased(_ slots: Set<UInt32>, at position: UInt64) throws(LedgerError) {
    let value = [UInt8](bigEndianWord: position)
    do throws(LMDBError) {
      var transaction = try environment.beginWrite()
      for slot in slots.sorted() {
        try transaction.put(tables.erased, slot.bigEndianBytes.span, value.span)
      }
      try transaction.commit()
    } catch {
      throw LedgerError(error)
    }
  }

  /// Destroys the keys of every slot that the log says is gone: also those that a process which
  /// died before it came to them has left.
  fileprivate func destroyKeys() throws(LedgerError) {
    let slots = try read { (view) throws(LedgerError) in try view.erasedSlots() }
    try tables.texts.keys?.destroy(slots.keys)
  }
}
