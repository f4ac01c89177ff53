internal import LMDB
internal import LedgerEvents

/// The state that the writer keeps between groups, and the commit of a group.
///
/// All of this state follows from the log and can be dropped. Because other processes append, too,
/// each group begins by reading what they have added.
struct LogAppender {
  let environment: Environment
  let tables: LogTables
  let keyHash: KeyHash
  /// Writes the root after each commit.
  let roots: RootKeeper
  let clock: @Sendable () -> Instant

  /// The ids that the index does not contain yet.
  var ids = KeyTail()
  /// Finds and assigns the numbers of names.
  var names: NameNumberer
  /// Assigns key slots and encrypts under them.
  var sealer: PersonalSealer
  /// Adds leaves to the tree.
  var tree = TreeWriter()
  /// Whether the properties above include events that are not committed yet.
  var isAhead = false

  /// The position of the last event that was written. The tree has one leaf for each event.
  var position: UInt64 { tree.frontier.size }

  /// The maximum number of events in a group: enough to share the cost of a commit, and few enough
  /// to answer soon.
  static let groupEventsMax = 2_000

  /// The maximum time during which a group accepts more batches.
  static let groupTimeMax = Duration.milliseconds(10)

  typealias Answer = (
    answer: @Sendable (Result<AppendResult, LedgerError>) -> Void,
    result: Result<AppendResult, LedgerError>
  )

  init(
    environment: Environment, tables: LogTables, keyHash: KeyHash, roots: RootKeeper,
    clock: @escaping @Sendable () -> Instant
  ) {
    self.environment = environment
    self.tables = tables
    self.keyHash = keyHash
    self.roots = roots
    self.clock = clock
    names = NameNumberer(tables, keyHash)
    sealer = PersonalSealer(tables.texts)
  }

  var tailSize: (entries: Int, bytes: Int) {
    (ids.count + names.tail.count, ids.byteCount + names.tail.byteCount)
  }

  /// Writes the batches that `take` returns in one durable commit. Returns their results, which are
  /// valid then.
  ///
  /// - Parameter take: Returns the next batch with at most the given number of events, or of any
  ///   size if the number is `nil`.
  mutating func commitGroup(
    _ hooks: WriterHooks, take: (Int?) -> PendingAppend?
  ) -> [Answer] {
    var taken: [PendingAppend] = []
    do throws(IndexFailure) {
      return try commitGroup(hooks, hooks.index) { room in
        let next = take(room)
        if let next { taken.append(next) }
        return next
      }
    } catch {
      hooks.indexFailed(error.reason)
    }
    // Write the same batches without the index, so that everything is looked up in the log.
    var again = taken[...]
    var answers: [Answer] = []
    repeat {
      do throws(IndexFailure) {
        answers += try commitGroup(
          hooks, { EmptyLogIndex() }, { room in again.popFirst() ?? take(room) })
      } catch {
        preconditionFailure("an index that holds nothing cannot fail")
      }
    } while !again.isEmpty
    return answers
  }

  private mutating func commitGroup(
    _ hooks: WriterHooks, _ index: () throws(LedgerError) -> any LogIndex,
    _ take: (Int?) -> PendingAppend?
  ) throws(IndexFailure) -> [Answer] {
    var group: [Answer] = []
    do throws(LedgerError) {
      try commitGroup(hooks, index, &group, take)
      return group
    } catch {
      if isAhead { forget() }
      if let failure = error.cause as? IndexFailure { throw failure }
      // Answer at least one batch. Otherwise, a writer that cannot begin would never finish.
      if group.isEmpty, let first = take(nil) { group.append((first.answer, .failure(error))) }
      return group.map { ($0.answer, .failure(error)) }
    }
  }

  private mutating func commitGroup(
    _ hooks: WriterHooks, _ index: () throws(LedgerError) -> any LogIndex,
    _ group: inout [Answer], _ take: (Int?) -> PendingAppend?
  ) throws(LedgerError) {
    let index = try TrustedIndex(index)
    try catchUpAhead(index)
    var transaction = try begin()
    try catchUp(LogView(transaction.view, tables), index)
    let start = ContinuousClock.now
    let committed = position
    var room: Int? = nil
    while let pending = take(room) {
      let answer: Result<AppendResult, LedgerError>
      do throws(AppendFailure) {
        answer = .success(try append(pending, &transaction, hooks, index))
      } catch {
        switch error {
        case .refused(let reason):
          if reason.cause is IndexFailure { throw reason }
          answer = .failure(reason)
        case .fatal(let reason):
          group.append((pending.answer, .failure(reason)))
          throw reason
        }
      }
      assert(agrees(with: transaction.view), "the writer knows another log than the one written")
      group.append((pending.answer, answer))
      // The following batches have to know what was erased.
      if pending.erasure != nil { break }
      room = LogAppender.groupEventsMax - Int(position - committed)
      if ContinuousClock.now - start > hooks.groupTimeMax { break }
    }
    guard position > committed else {
      isAhead = false
      return
    }
    do throws(LMDBError) { try transaction.commit() } catch { throw LedgerError(error) }
    isAhead = false
    keepRoot()
  }

  /// Keeps the root of the committed log, if commits are durable when they return. The root must
  /// never be ahead of what a power failure leaves of the log.
  private mutating func keepRoot() {
    guard environment.options.sync == .everyCommit else { return }
    roots.keep(tree.root(), at: position)
  }

  /// Reads a long tail before the lock is taken, so that other processes can append meanwhile.
  private mutating func catchUpAhead(_ index: any LogIndex) throws(LedgerError) {
    let snapshot: ReadTransaction
    do throws(LMDBError) { snapshot = try environment.beginRead() } catch {
      throw LedgerError(error)
    }
    let log = try LogView(snapshot.view, tables)
    // A tail that does not adjoin the index is read again, from the end of the index.
    let reach = UInt32(clamping: index.reach)
    let isUsable = ids.adjoins(reach) && ids.end <= log.lastPosition
    let start = UInt64(isUsable ? ids.end : reach)
    guard log.lastPosition > start + LogAppender.tailLockedMax else { return }
    try catchUp(log, index)
  }

  /// The maximum number of events that are usually read under the lock: about a millisecond of
  /// work.
  static let tailLockedMax: UInt64 = 10_000

  /// The lifetime does not depend on `self`, which changes while the transaction is open.
  @_lifetime(immortal)
  private func begin() throws(LedgerError) -> WriteTransaction {
    do throws(LMDBError) { return try environment.beginWrite() } catch { throw LedgerError(error) }
  }

  /// Returns whether the ids, the names, the tree and the log end at the same position and number,
  /// for assertions after each batch.
  ///
  /// - Complexity: O(1).
  private func agrees(with view: TransactionView) -> Bool {
    guard ids.end == position, names.tail.end == names.count else { return false }
    do throws(LedgerError) {
      let log = try LogView(view, tables)
      let lastName = try log.lastNameNumber()
      return log.lastPosition == position && lastName == names.count
    } catch {
      // A page that cannot be read is not a bug of the writer. Its next reader reports it.
      return true
    }
  }

  /// Resets the state after a failed group.
  private mutating func forget() {
    ids = KeyTail()
    names = NameNumberer(tables, keyHash)
    sealer.slot = 0
    tree = TreeWriter()
    isAhead = false
  }
}

/// Why a batch was not appended.
enum AppendFailure: Error {
  /// Nothing of it was written. The rest of its group continues.
  case refused(LedgerError)
  /// The transaction cannot be used any more.
  case fatal(LedgerError)
}
