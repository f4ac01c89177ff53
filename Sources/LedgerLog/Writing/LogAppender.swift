internal import LMDB
internal import LedgerEvents

/// What the writer knows between groups, and how it commits one.
///
/// Everything here follows from the log and can be forgotten: other processes append, too, so each
/// group begins with reading what has come since.
struct LogAppender {
  let environment: Environment
  let tables: LogTables
  let keyHash: KeyHash
  /// Who is told the root after each commit.
  let roots: RootKeeper
  let clock: @Sendable () -> Instant

  /// Where ids and names stand that the index does not hold yet.
  var tail = LogTail()
  var cache = NameCache()
  var erasures = Erasures()
  /// Who gives out slots and seals under them.
  var sealer: PersonalSealer
  /// Who adds leaves to the tree.
  var tree = TreeWriter()
  var position: UInt64 = 0
  var nameCount: NameNumber = 0
  /// Whether what stands above speaks of events that are not committed yet.
  var isAhead = false

  /// The longest time for which a group takes more batches in.
  var timeMax = LogAppender.groupTimeMax

  /// What is put together for one event, in buffers that are used again.
  var scratch = Scratch()

  struct Scratch {
    var record: [UInt8] = []
    var numbers: [NameNumber] = []
    /// The names that the event introduces, as its leaf has them.
    var introductions: [UInt8] = []
    var idBytes: [UInt8] = []
  }

  /// The most events of one group: enough to share a commit's cost, and few enough to answer soon.
  static let groupEventsMax = 2_000

  /// The longest time for which a group takes more batches in, unless another is set.
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
    sealer = PersonalSealer(tables.texts)
  }

  var tailSize: (entries: Int, bytes: Int) { (tail.count, tail.byteCount) }

  /// Writes what `take` hands out in one durable commit and returns the answers, which hold then.
  ///
  /// - Parameter take: The next batch with at most so many events; of any size where nil.
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
    // The same batches again, without the index: everything is looked up in what the log says.
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
      // One batch at least is answered, or a writer that cannot begin would never end.
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
      // What follows has to know what was erased.
      if pending.erasure != nil { break }
      room = LogAppender.groupEventsMax - Int(position - committed)
      if ContinuousClock.now - start > timeMax { break }
    }
    guard position > committed else {
      isAhead = false
      return
    }
    do throws(LMDBError) { try transaction.commit() } catch { throw LedgerError(error) }
    isAhead = false
    keepRoot()
  }

  /// Keeps the root of what was committed, if commits are durable when they return: the root must
  /// never be ahead of what a power failure leaves of the log.
  private mutating func keepRoot() {
    guard environment.options.sync == .everyCommit else { return }
    do throws(LedgerError) { try roots.keep(tree.root(), at: position) } catch {
      // The events are durable and acknowledged; what was kept before still holds of the log.
      return
    }
  }

  /// Reads a long tail before the lock is taken, so that other processes can append meanwhile.
  private mutating func catchUpAhead(_ index: any LogIndex) throws(LedgerError) {
    let snapshot: ReadTransaction
    do throws(LMDBError) { snapshot = try environment.beginRead() } catch {
      throw LedgerError(error)
    }
    let log = try LogView(snapshot.view, tables)
    // A tail that does not meet the index is read again from there.
    let isUsable = tail.meets(index) && tail.position <= log.lastPosition
    let start = isUsable ? tail.position : index.reach
    guard log.lastPosition > start + LogAppender.tailLockedMax else { return }
    try catchUp(log, index)
  }

  /// The most events that are read under the lock, as a rule: a millisecond's worth.
  static let tailLockedMax: UInt64 = 10_000

  /// Not tied to `self`, which the transaction's time sees changing.
  @_lifetime(immortal)
  private func begin() throws(LedgerError) -> WriteTransaction {
    do throws(LMDBError) { return try environment.beginWrite() } catch { throw LedgerError(error) }
  }

  /// Whether tail, tree and log reach equally far: for assertions, after each batch.
  ///
  /// - Complexity: O(1).
  private func agrees(with view: TransactionView) -> Bool {
    guard tail.position == position, tail.name == nameCount, tree.frontier.size == position
    else { return false }
    do throws(LedgerError) {
      let log = try LogView(view, tables)
      let lastName = try log.lastNameNumber()
      return log.lastPosition == position && lastName == nameCount
    } catch {
      // A page that cannot be read is no bug of the writer: the next one to read it reports it.
      return true
    }
  }

  /// After a group that failed: nothing of it may be remembered.
  private mutating func forget() {
    tail = LogTail()
    cache.removeAll()
    tree = TreeWriter()
    position = 0
    nameCount = 0
    sealer.slot = 0
    erasures = Erasures()
    isAhead = false
  }
}

/// Why a batch was not appended.
enum AppendFailure: Error {
  /// Nothing of it was written; the rest of its group goes on.
  case refused(LedgerError)
  /// The transaction is of no use any more.
  case fatal(LedgerError)
}
