internal import LMDB
internal import LedgerEvents

/// Verifies a whole snapshot and collects the faults. It continues after a fault if possible.
struct LogVerifier {
  private(set) var faults: [LogFault] = []
  /// The kind of each name by its number; 0 if there is none.
  var kinds: [UInt8] = []
  /// The highest number used so far. Names are numbered in the order of their first use.
  var numberUsed: NameNumber = 0
  var frontier = MerkleFrontier()
  private var hasher = TreeHasher()
  private var leaf: [UInt8] = []
  /// The slots of texts whose keys are missing although they were not erased.
  var slotsWithoutKey: [UInt32] = []
  /// The number of keys that exist although they were erased.
  var keysLeft = 0
  private var nodes: [TreeHash] = []
  private let keyHash: KeyHash
  private var ids: RepeatedKeys
  private var names = RepeatedKeys()
  private var idBytes: [UInt8] = []
  private var erasures = ListedErasures()
  /// Names that never got a key.
  private var forgottenNames: Set<NameNumber> = []
  /// The root that was kept beside the log, which is compared at its position.
  let kept: KeptRoot?
  /// Events up to this position, and names up to the last one before it, are not read.
  var base: UInt64 = 0
  var baseName: NameNumber = 0
  /// The keys that an erasure is destroying; `nil` until a key of something erased is found.
  var keysInErasure: KeysInErasure?
  /// False once reading the key file has failed. The log is then verified without keys.
  var isKeyFileUsable = true

  init(_ keyHash: KeyHash, events: UInt64, kept: KeptRoot? = nil) {
    self.keyHash = keyHash
    self.kept = kept
    ids = RepeatedKeys(capacity: Int(events))
  }

  /// The number of events between two reports of progress.
  static let progressInterval: UInt64 = 16_384

  /// Verifies the log that `log` shows.
  ///
  /// - Complexity: O(*n* log *n*), two hashes and eight bytes of memory per event, and nine bytes
  ///   per name.
  /// - Parameters:
  ///   - log: The log.
  ///   - erasedSince: Returns the slots that are erased by now. The key file is read as it is, and
  ///     an erasure may destroy keys after the snapshot was taken.
  ///   - progress: Called from time to time with the position reached and the last position.
  mutating func verify(
    _ log: LogView, erasedSince: () throws(LedgerError) -> Set<UInt32> = { [] },
    progress: (_ done: UInt64, _ total: UInt64) -> Void
  ) -> LogVerification {
    verifyMeta(log)
    verifyKeyFile(log)
    verifyErasures(log)
    verifyNames(log)
    verifyRecords(log, progress)
    verifyUniqueness(log)
    if numberUsed + 1 < kinds.count {
      report(
        LogFault(
          .name, number: numberUsed + 1,
          "the log numbers \((kinds.count - 1).counted("name")), and its events use \(numberUsed)"))
    }
    let keysMissing = countKeysMissing(erasedSince)
    if keysMissing > 0 {
      report(
        LogFault(
          .key,
          "the keys of \(keysMissing.counted("name or text", "names and texts")) of people are "
            + "missing, and this log does not say that they were erased"))
    }
    if keysLeft > 0 {
      report(
        LogFault(
          .erasedKey,
          "the keys of \(keysLeft.counted("erased name or text", "erased names and texts")) are "
            + "still in the key file, which is a copy from before the erasure: the next "
            + "`daybook erase`, or `daybook restore` with it, "
            + "destroys them"))
    }
    if let kept, kept.position > log.lastPosition {
      report(
        LogFault(
          .root, position: log.lastPosition + 1,
          "the log went back: it has \(log.lastPosition.counted("event")), and "
            + "\(kept.position) were committed"))
    }
    let size = frontier.size
    verifyNodeCount(log)
    progress(log.lastPosition, log.lastPosition)
    return LogVerification(
      events: size, root: frontier.root(&hasher), faults: faults, keysMissing: keysMissing,
      unfinishedErasure: unfinishedErasure(log))
  }

  mutating func report(_ fault: LogFault) {
    if faults.count < LogVerification.faultsMax { faults.append(fault) }
  }

  /// Compares the number of nodes with the log's length.
  private mutating func verifyNodeCount(_ log: LogView) {
    let stored: Int
    do throws(LMDBError) { stored = try log.view.statistics(log.tables.tree).entries } catch {
      // After a damaged page, LMDB refuses everything else in the same transaction. The page was
      // reported when it was met, and that report must not be lost.
      report(LogFault(.tree, "the nodes cannot be counted: \(error)"))
      return
    }
    if UInt64(stored) != MerkleTree.storedNodes(atSize: log.lastPosition) {
      report(
        LogFault(.tree, "\(stored) nodes are stored, which is not what the log's length needs"))
    }
  }

  mutating func take(_ listed: ListedErasures) { erasures = listed }

  /// Reports the names without a key that an event introduces, although it is not about somebody
  /// who was erased before it was appended.
  private mutating func verifyForgotten(_ record: borrowing RecordView, _ log: LogView) {
    if forgottenNames.isEmpty { return }
    for number in record.introducedNumbers where forgottenNames.contains(number) {
      let isForgotten: Bool
      do throws(LedgerError) { isForgotten = try erasures.forgets(record, log) } catch {
        // The erasure cannot be read, which is reported at its own position.
        isForgotten = false
      }
      if isForgotten { continue }
      report(
        LogFault(
          .erasure, position: record.position, number: number,
          "name \(number) was never given a key, and nobody was erased before "
            + "position \(record.position) introduced it"))
    }
  }

  // MARK: - Names

  private mutating func verifyNames(_ log: LogView) {
    let count: Int
    do throws(LedgerError) { count = Int(try log.lastNameNumber()) } catch {
      report(LogFault(.table, "the names cannot be counted: \(error)"))
      return
    }
    kinds = [UInt8](repeating: 0, count: count + 1)
    do throws(LMDBError) {
      var cursor = try log.view.cursor(log.tables.names)
      var isAtStart = true
      while try cursor.next(from: baseName, &isAtStart) {
        let row = cursor.value
        guard let number = number(of: cursor.key) else { continue }
        guard row.count > 1, let kind = NameKind(rawValue: row[0]), !kind.isPersonal,
          String(validating: [UInt8](copying: row.extracting(1..<row.count)), as: UTF8.self) != nil
        else {
          report(LogFault(.name, number: number, "name \(number) is damaged"))
          continue
        }
        take(number, kind)
        if let hash = keyHash.name(row: row) { names.add(hash, at: number) }
      }
    } catch { reportNames(error) }
    do throws(LMDBError) {
      var cursor = try log.view.cursor(log.tables.people)
      var isAtStart = true
      while try cursor.next(from: baseName, &isAtStart) {
        guard let number = number(of: cursor.key) else { continue }
        guard let name = SealedName(cursor.value) else {
          report(LogFault(.name, number: number, "name \(number) is damaged"))
          continue
        }
        verify(name, number, log)
        take(number, name.kind)
        names.add(name.hash.0, at: number)
      }
    } catch { reportNames(error) }
    for number in Int(baseName) + 1..<max(kinds.count, Int(baseName) + 1) where kinds[number] == 0 {
      report(LogFault(.name, number: NameNumber(number), "name \(number) is missing"))
    }
  }

  private mutating func reportNames(_ error: LMDBError) {
    report(LogFault(.table, "the table of names cannot be read further: \(error)"))
  }

  /// Returns the number in a key. If it is malformed or out of range, reports a fault and returns
  /// `nil`.
  private mutating func number(of key: Span<UInt8>) -> NameNumber? {
    guard key.count == 4 else {
      report(LogFault(.name, "a name's number has \(key.count) bytes"))
      return nil
    }
    let number = key.bigEndianHalf(at: 0)
    guard number > 0, number < kinds.count else {
      report(LogFault(.name, number: number, "name \(number) is beyond the number of names"))
      return nil
    }
    return number
  }

  private mutating func take(_ number: NameNumber, _ kind: NameKind) {
    if kinds[Int(number)] != 0 {
      report(LogFault(.name, number: number, "number \(number) is given twice"))
    }
    kinds[Int(number)] = kind.rawValue
  }

  /// Decrypts a person's name and compares it with what the tree contains of it.
  private mutating func verify(
    _ name: borrowing SealedName, _ number: NameNumber, _ log: LogView
  ) {
    do throws(LedgerError) {
      if name.slot.isForgotten {
        forgottenNames.insert(number)
        return
      }
      if erasures.lists(name.slot) {
        guard erasures.covers(name: number, name.slot) else {
          report(
            LogFault(
              .erasure, number: number,
              "name \(number) stands under the key of something else, which was erased"))
          return
        }
        try verifyDestroyed(name.slot, log)
        return
      }
      let secret: Secret
      switch key(of: name.slot.taken, log) {
      case .secret(let found): secret = found
      case .missing:
        slotsWithoutKey.append(name.slot.taken)
        return
      case .unreadable: return
      }
      guard let text = name.text(secret),
        [UInt8](copying: name.commitment)
          == Commitment.name(name.kind, text, nonce: secret.nonce),
        name.hasHash(try log.tables.texts.seal().hash(text.text.utf8.span, name.kind))
      else {
        report(LogFault(.name, number: number, "name \(number) is not what the tree holds of it"))
        return
      }
    } catch {
      report(LogFault(.key, number: number, "name \(number) cannot be opened: \(error)"))
    }
  }

  // MARK: - Records

  private mutating func verifyRecords(
    _ log: LogView, _ progress: (UInt64, UInt64) -> Void
  ) {
    do throws(LMDBError) {
      var records = try log.view.cursor(log.tables.records)
      var personal = try log.view.cursor(log.tables.personal)
      var hasPersonal = try personal.seek(base + 1)
      var expected = base + 1
      var isAtStart = true
      while try records.next(from: base, &isAtStart) {
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
        if position > positionMax { break }
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
        verifyRecord(records.value, at: position, personal: row, log)
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
    _ bytes: Span<UInt8>, at position: UInt64, personal: [UInt8]?, _ log: LogView
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
      ids.add(keyHash.id(of: record, &idBytes), at: UInt32(truncatingIfNeeded: position))
      _ = try record.id()
      var fields = record.fields
      while try fields.next() {}
      if record.namesBefore != numberUsed {
        report(
          LogFault(
            .name, position: position,
            "position \(position) states \(record.namesBefore.counted("name")) in use before it, "
              + "and there were \(numberUsed)"))
      }
      verifyForgotten(record, log)
      verifyNumbers(of: record, log)
      if try !isPersonal(personal, of: record, log) {
        report(
          LogFault(
            .personal, position: position,
            "the personal data at position \(position) is not what the record commits to"))
      }
    } catch {
      report(LogFault(.record, position: position, "position \(position): \(error)"))
    }
  }

  /// Returns whether a row of personal data is what the record commits to, as far as there is a
  /// key.
  private mutating func isPersonal(
    _ row: [UInt8]?, of record: borrowing RecordView, _ log: LogView
  ) throws(RecordError) -> Bool {
    guard let commitment = record.commitment else { return row == nil }
    guard let row, let data = SealedData(row.span) else { return false }
    do throws(LedgerError) {
      if data.slot.isForgotten { return try erasures.forgets(record, log) }
      if erasures.lists(data.slot) {
        try verifyDestroyed(data.slot, log)
        return erasures.covers(event: record.position, data.slot)
      }
      let secret: Secret
      switch key(of: data.slot.taken, log) {
      case .secret(let pad): secret = data.secret(pad)
      case .missing:
        slotsWithoutKey.append(data.slot.taken)
        return true
      case .unreadable: return true
      }
      guard let json = data.json(secret, commitment: commitment) else { return false }
      return PersonalPart.commitment(to: json, secret) == commitment
    } catch {
      return false
    }
  }

  private mutating func verifyNumbers(of record: borrowing RecordView, _ log: LogView) {
    for slot in NameSlot.allCases {
      let number = record.number(slot)
      if number != 0 { verify(number, slot.kind, at: record.position, log) }
    }
    for index in 0..<record.dataNameCount {
      verify(record.dataNumber(index), record.kindOfDataNames, at: record.position, log)
    }
  }

  private mutating func verify(
    _ number: NameNumber, _ kind: NameKind, at position: UInt64, _ log: LogView
  ) {
    guard self.kind(of: number, log) == kind.rawValue else {
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

  // MARK: - What there is once

  /// Reports events that have the same id, and living names that are equal.
  private mutating func verifyUniqueness(_ log: LogView) {
    var faults: [LogFault] = []
    ids.forEachPair { (first, second) in
      guard log.isSameID(at: UInt64(first), and: UInt64(second)) else { return }
      faults.append(
        LogFault(
          .record, position: UInt64(second),
          "position \(second) has the id of position \(first): one of them was appended twice"))
    }
    do throws(LedgerError) {
      try names.forEachPair { (first, second) throws(LedgerError) in
        guard try log.isSameLivingName(first, second) else { return }
        faults.append(
          LogFault(.name, number: second, "name \(second) is the same as name \(first)"))
      }
    } catch {
      faults.append(LogFault(.table, "the names cannot be compared with each other: \(error)"))
    }
    // The pairs are in the order of their hashes, which differs between ledgers.
    faults.sort { ($0.position ?? 0, $0.number ?? 0) < ($1.position ?? 0, $1.number ?? 0) }
    for fault in faults { report(fault) }
  }

  // MARK: - The tree

  private mutating func verifyNodes(
    above record: Span<UInt8>, at position: UInt64, _ log: LogView
  ) throws(LMDBError) {
    var index = MerkleTree.storedNodes(atSize: frontier.size)
    nodes.removeAll(keepingCapacity: true)
    leaf.removeAll(keepingCapacity: true)
    leaf.append(contentsOf: TreeHasher.leafPrefix)
    do throws(LedgerError) {
      try log.appendLeaf(of: record, at: position, to: &leaf, erased: erasures.commitments)
    } catch {
      report(LogFault(.tree, position: position, "position \(position) has no leaf: \(error)"))
    }
    frontier.append(TreeHasher.leafHash(prefixed: leaf), &hasher, completed: &nodes)
    if let kept, kept.position == frontier.size, frontier.root(&hasher) != kept.root {
      report(
        LogFault(
          .root, position: position,
          "the log is not the one that was written: its root at \(position) is another than the "
            + "one that was kept"))
    }
    for node in nodes {
      let isSame: Bool
      if let stored = try log.view.get(log.tables.tree, index), let stored = TreeHash(stored) {
        isSame = stored == node
      } else {
        isSame = false
      }
      if !isSame {
        report(
          LogFault(
            .tree, position: position,
            "node \(index), which position \(position) completes, does not fit the records"))
      }
      index += 1
    }
  }
}

extension Cursor {
  /// The position in the key at the cursor.
  fileprivate var position: UInt64 { key.count == 8 ? key.bigEndianWord(at: 0) : 0 }
}

extension LogView {
  /// Returns whether two events have the same id; false if one of them cannot be read, which is
  /// reported at its own position.
  fileprivate func isSameID(at first: UInt64, and second: UInt64) -> Bool {
    do throws(LedgerError) {
      let record = try record(at: first, isChecked: false)
      let id: Name
      do throws(RecordError) { id = try record.id() } catch { return false }
      return try isID(id, at: second)
    } catch { return false }
  }

  /// Returns whether two names are equal and neither was erased.
  fileprivate func isSameLivingName(
    _ first: NameNumber, _ second: NameNumber
  ) throws(LedgerError) -> Bool {
    if let row = try nameRow(first, in: tables.names) {
      guard let other = try nameRow(second, in: tables.names) else { return false }
      return other.equals(row)
    }
    guard let row = try nameRow(first, in: tables.people), let name = SealedName(row),
      let otherRow = try nameRow(second, in: tables.people), let other = SealedName(otherRow)
    else { return false }
    guard name.kind == other.kind, name.hasHash(other.hash) else { return false }
    if try isErased(name.slot) { return false }
    return try !isErased(other.slot)
  }
}
