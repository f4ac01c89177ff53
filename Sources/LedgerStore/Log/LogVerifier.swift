internal import LMDB
internal import LedgerEvents

/// Looks through a whole snapshot and collects what is wrong, as far as it can go on.
struct LogVerifier {
  private(set) var faults: [LogFault] = []
  /// The kind of each name by its number; 0 where there is none.
  private var kinds: [UInt8] = []
  /// The highest number used so far: names are numbered in the order of their first use.
  private var numberUsed: NameNumber = 0
  private var frontier = MerkleFrontier()
  private var hasher = TreeHasher()
  private var nodes: [TreeHash] = []

  /// How many events lie between two reports of progress.
  static let progressInterval: UInt64 = 16_384

  /// Looks through the log that `log` shows.
  ///
  /// - Complexity: O(*n*), two hashes an event and one byte of memory a name.
  mutating func verify(
    _ log: LogView, progress: (_ done: UInt64, _ total: UInt64) -> Void
  ) throws(LedgerError) -> LogVerification {
    try verifyNames(log)
    try verifyRecords(log, progress)
    if numberUsed + 1 < kinds.count {
      report(
        LogFault(
          .name, number: numberUsed + 1,
          "\(kinds.count - 1) names are numbered, and events use only \(numberUsed)"))
    }
    let size = frontier.size
    let stored = try entries(log.tables.tree, log)
    if UInt64(stored) != MerkleTree.storedNodes(atSize: log.lastPosition) {
      report(
        LogFault(.tree, "\(stored) nodes are stored, which is not what the log's length needs"))
    }
    progress(log.lastPosition, log.lastPosition)
    return LogVerification(events: size, root: frontier.root(&hasher), faults: faults)
  }

  private mutating func report(_ fault: LogFault) {
    if faults.count < LogVerification.faultsMax { faults.append(fault) }
  }

  private func entries(_ table: Table, _ log: LogView) throws(LedgerError) -> Int {
    do throws(LMDBError) { return try log.view.statistics(table).entries } catch {
      throw LedgerError(error)
    }
  }

  // MARK: - Names

  private mutating func verifyNames(_ log: LogView) throws(LedgerError) {
    let count = Int(try log.lastNameNumber())
    kinds = [UInt8](repeating: 0, count: count + 1)
    for (table, isPeople) in [(log.tables.names, false), (log.tables.people, true)] {
      do throws(LMDBError) {
        var cursor = try log.view.cursor(table)
        while try cursor.next() { verifyName(cursor.key, cursor.value, isPeople: isPeople) }
      } catch {
        report(LogFault(.table, "the table of names cannot be read further: \(error)"))
      }
    }
    for number in 1..<max(kinds.count, 1) where kinds[number] == 0 {
      report(LogFault(.name, number: NameNumber(number), "name \(number) is missing"))
    }
  }

  private mutating func verifyName(
    _ key: Span<UInt8>, _ row: Span<UInt8>, isPeople: Bool
  ) {
    guard key.count == 4 else {
      report(LogFault(.name, "a name's number has \(key.count) bytes"))
      return
    }
    let number = key.bigEndianHalf(at: 0)
    guard number > 0, number < kinds.count else {
      report(LogFault(.name, number: number, "name \(number) is beyond the number of names"))
      return
    }
    guard row.count > 1, let kind = NameKind(rawValue: row[0]), kind.isPersonal == isPeople,
      String(validating: [UInt8](copying: row.extracting(1..<row.count)), as: UTF8.self) != nil
    else {
      report(LogFault(.name, number: number, "name \(number) is damaged"))
      return
    }
    if kinds[Int(number)] != 0 {
      report(LogFault(.name, number: number, "number \(number) is given twice"))
    }
    kinds[Int(number)] = kind.rawValue
  }

  // MARK: - Records

  private mutating func verifyRecords(
    _ log: LogView, _ progress: (UInt64, UInt64) -> Void
  ) throws(LedgerError) {
    do throws(LMDBError) {
      var records = try log.view.cursor(log.tables.records)
      var personal = try log.view.cursor(log.tables.personal)
      var hasPersonal = try personal.first()
      var expected: UInt64 = 1
      while try records.next() {
        guard records.key.count == 8 else {
          report(LogFault(.record, position: expected, "a position has another length than 8"))
          continue
        }
        let position = records.key.bigEndianWord(at: 0)
        if position != expected {
          report(
            LogFault(
              .record, position: expected, "position \(expected) is missing before \(position)"))
        }
        expected = position + 1
        while hasPersonal, personal.position < position {
          reportStray(personal.position)
          hasPersonal = try personal.next()
        }
        var row: [UInt8]?
        if hasPersonal, personal.position == position {
          row = [UInt8](copying: personal.value)
          hasPersonal = try personal.next()
        }
        verifyRecord(records.value, at: position, personal: row)
        try verifyNodes(above: records.value, at: position, log)
        if position % LogVerifier.progressInterval == 0 { progress(position, log.lastPosition) }
      }
      if hasPersonal { reportStray(personal.position) }
    } catch {
      report(
        LogFault(
          .table, position: frontier.size + 1,
          "the log cannot be read further than \(frontier.size): \(error)"))
    }
  }

  private mutating func reportStray(_ position: UInt64) {
    report(
      LogFault(
        .personal, position: position,
        "position \(position) has personal data, and its record does not commit to any"))
  }

  private mutating func verifyRecord(
    _ bytes: Span<UInt8>, at position: UInt64, personal: [UInt8]?
  ) {
    do throws(RecordError) {
      let record = try RecordView(bytes)
      guard record.position == position else {
        report(
          LogFault(
            .record, position: position,
            "the record at position \(position) says that it is at \(record.position)"))
        return
      }
      _ = try record.id()
      var fields = record.fields
      while try fields.next() {}
      verifyNumbers(of: record)
      if record.commitment != personal.map(PersonalPart.commitment) {
        report(
          LogFault(
            .personal, position: position,
            "the personal data at position \(position) is not what the record commits to"))
      }
    } catch {
      report(LogFault(.record, position: position, "position \(position): \(error)"))
    }
  }

  private mutating func verifyNumbers(of record: borrowing RecordView) {
    for slot in NameSlot.allCases {
      let number = record.number(slot)
      if number != 0 { verify(number, slot.kind, at: record.position) }
    }
    for index in 0..<record.dataNameCount {
      let kind: NameKind =
        switch record.kind {
        case .accountLinked, .accountTransferred: .account
        case .transactionPurchased, .transactionRestored, .subscriptionRenewed: .download
        default: .product
        }
      verify(record.dataNumber(index), kind, at: record.position)
    }
  }

  private mutating func verify(_ number: NameNumber, _ kind: NameKind, at position: UInt64) {
    guard number > 0, number < kinds.count, kinds[Int(number)] == kind.rawValue else {
      report(
        LogFault(
          .name, position: position, number: number,
          "position \(position) uses name \(number) as \(kind), which it is not"))
      return
    }
    if number == numberUsed + 1 {
      numberUsed = number
    } else if number > numberUsed {
      report(
        LogFault(
          .name, position: position, number: number,
          "position \(position) uses name \(number) before name \(numberUsed + 1) was used"))
      numberUsed = number
    }
  }

  // MARK: - The tree

  private mutating func verifyNodes(
    above record: Span<UInt8>, at position: UInt64, _ log: LogView
  ) throws(LMDBError) {
    var place = MerkleTree.storedNodes(atSize: frontier.size)
    nodes.removeAll(keepingCapacity: true)
    frontier.append(hasher.leafHash(record), &hasher, completed: &nodes)
    for node in nodes {
      let isSame: Bool
      if let stored = try log.view.get(log.tables.tree, place), let stored = TreeHash(stored) {
        isSame = stored == node
      } else {
        isSame = false
      }
      if !isSame {
        report(
          LogFault(
            .tree, position: position,
            "node \(place), which position \(position) completes, does not fit the records"))
      }
      place += 1
    }
  }
}

extension Cursor {
  /// The position that is the key at the cursor.
  fileprivate var position: UInt64 { key.count == 8 ? key.bigEndianWord(at: 0) : 0 }
}

extension NameKind {
  /// Whether names of this kind identify a person.
  var isPersonal: Bool {
    switch self {
    case .account, .device, .session: true
    case .app, .payment, .product, .transaction, .download: false
    }
  }
}
