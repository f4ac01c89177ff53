internal import LMDB
internal import LedgerEvents
internal import PageReading

/// What can be read of a damaged log without LMDB.
///
/// The newest commit's trees are followed first. Then every other page of the file is looked at
/// that is still a leaf: a damaged branch cuts off pages that are whole, and a damaged meta page
/// the last commit. Rows of these pages fill only gaps. Pages of commits that failed are in the
/// file, too, so rows after the newest commit's last one count only if that commit cannot be read.
final class SalvageSource {
  let file: PageFile
  private(set) var records = RowLocations()
  private(set) var names = RowLocations()
  private(set) var people = RowLocations()
  private(set) var personal = RowLocations()
  private(set) var nodes = RowLocations()
  private(set) var erased = RowLocations()
  /// The rows of `meta` that have their checksum.
  private(set) var identity: [LogIdentity.Row: [UInt8]] = [:]
  /// The damaged meta pages, and the damaged pages that the trees lead to.
  private(set) var faults: [PageFault] = []
  /// The positions of erasures, as far as they can be read.
  private(set) var erasures: [UInt64] = []
  /// The positions of records that were found in the tree, but differ from what was written.
  private(set) var damagedRecords: Set<UInt64> = []
  /// The number of events in the log according to its trees; `nil` if they do not say.
  private(set) var eventsStated: UInt64?
  /// Whether the records that were found are as many as their table counts. If not, either the
  /// count is damaged, or the tree leads to an earlier copy of a page.
  private(set) var isCountConfirmed = true
  /// Whether the trees are those of the newest commit. If not, the log may have had more events.
  private(set) var isNewestCommit = false
  /// Whether there are as many rows about what was erased as there should be.
  private(set) var isErasedComplete = false
  /// Whether the rows about what was erased are as many as their table counts, as far as all pages
  /// of the table are in order.
  private(set) var isErasedCountConfirmed = true

  /// The rows of names that the tree proves after one bit was turned back.
  private(set) var repaired: [NameNumber: [UInt8]] = [:]

  private var pages: [UInt64: TreePage] = [:]
  /// Whether the newest commit says whether an erasure was interrupted.
  private(set) var isMarkKnown = false
  /// Whether an erasure may have been interrupted whose mark cannot be read or believed.
  private(set) var isMarkDoubtful = false

  /// The number of pages to keep for the next rows, which are mostly requested in order.
  private static let pagesMax = 256

  init(_ file: PageFile) { self.file = file }

  /// Finds all rows.
  ///
  /// - Parameter limit: The number of events that the log is known to have had, from the root
  ///   beside it.
  /// - Complexity: One read of each page, and O(*n* log *n*) in the rows.
  func read(knownEvents limit: UInt64?) {
    faults = file.metaFaults
    // Without any meta page, the file is a heap of leaves.
    if var reader = newestReader() {
      readTables(&reader, limit)
    } else {
      let walk = TreeWalk(file, lastPage: 0)
      readOutside(nil) { body in walk.forEachLeafOutside { body($0, false) } }
    }
    records.resolveDuplicates(self)
    names.resolveDuplicates(self)
    people.resolveDuplicates(self)
    personal.resolveDuplicates(self)
    nodes.resolveDuplicates(self)
    erased.resolveDuplicates(self)
    erasures = records.keys.filter { position in
      record(position).map { $0[1] == EventKind.accountErased.rawValue } ?? false
    }
    // A mark of a commit that failed would destroy the keys of somebody who was never erased.
    if !isMarkKnown, let mark = identity[.erasing].flatMap({ ErasureMark($0) }),
      !erasures.contains(mark.position)
    {
      identity[.erasing] = nil
      isMarkDoubtful = true
    }
  }

  /// The tables of the newest commit that has them.
  private func newestReader() -> TableReader? {
    let commits = file.plausibleMetas.map { TableReader(file, $0) }
    guard let most = commits.map(\.entries.count).max(),
      let index = commits.firstIndex(where: { $0.entries.count == most })
    else { return nil }
    // A damaged meta page does not say whether it was the newer one.
    isNewestCommit = index == 0 && file.metaFaults.isEmpty
    for newer in commits[..<index] { faults += newer.faults }
    return commits[index]
  }

  private func readTables(_ reader: inout TableReader, _ limit: UInt64?) {
    reader.forEachLeaf(of: "meta") { readIdentity($0, isOfTree: true) }
    // The mark of an erasure is removed when its keys are destroyed, so an earlier page says
    // nothing about it, unless the newest one cannot be read.
    isMarkKnown = isNewestCommit && !identity.isEmpty && !isMarkDoubtful
    reader.forEachLeaf(of: "records") { addRecords(of: $0) }
    reader.forEachLeaf(of: "names") { add($0, \.names, keyBytes: 4) }
    reader.forEachLeaf(of: "people") { add($0, \.people, keyBytes: 4) }
    reader.forEachLeaf(of: "personal") { add($0, \.personal, keyBytes: 8) }
    reader.forEachLeaf(of: "tree") { add($0, \.nodes, keyBytes: 8) }
    reader.forEachLeaf(of: "erased") { add($0, \.erased, keyBytes: 4) }
    let erasedCount = reader.entriesFound["erased"] ?? reader.entries["erased"]
    isErasedComplete = erasedCount == UInt64(erased.reachedCount)
    isErasedCountConfirmed = reader.isCountConfirmed(of: "erased")
    // The count in a table's record may be damaged. If the table's pages are in order, they say it.
    let counted = reader.entries["records"].map { min($0, eventsMax) }
    eventsStated = reader.entriesFound["records"] ?? counted
    isCountConfirmed = reader.isCountConfirmed(of: "records")
    faults += reader.faults
    var known: UInt64?
    // If the table counts more records than were found, pages that no tree leads to may hold them.
    if isNewestCommit, let eventsStated { known = max(eventsStated, limit ?? counted ?? 0) }
    let walked = reader
    readOutside(known) { body in
      walked.forEachLeafOutside { body($0, walked.isReached($0.number)) }
    }
  }

  /// How many events a file of this size can hold at most.
  private var eventsMax: UInt64 {
    let bytes = file.pageCount.multipliedReportingOverflow(by: UInt64(file.pageSize))
    return bytes.overflow ? positionMax : min(bytes.partialValue / Self.rowBytesMin, positionMax)
  }

  /// The shortest row of a record: the node's header and pointer, the key, and a record's header.
  private static let rowBytesMin: UInt64 = 8 + 2 + 8 + 30

  /// Notes the rows of a leaf of a table.
  private func add(
    _ page: TreePage, _ table: ReferenceWritableKeyPath<SalvageSource, RowLocations>, keyBytes: Int
  ) {
    for node in 0..<page.count {
      guard page.key(node).count == keyBytes else { continue }
      self[keyPath: table].add(Self.number(page.key(node)), page.number, node, .tree)
    }
  }

  /// Adds the intact records of a leaf. An earlier copy may replace a record that is not intact.
  private func addRecords(of page: TreePage) {
    for node in 0..<page.count where page.key(node).count == 8 {
      let position = Self.number(page.key(node))
      guard let bytes = value(page, node), Self.isRecord(bytes, at: position) else {
        damagedRecords.insert(position)
        continue
      }
      records.add(position, page.number, node, .tree)
    }
  }

  private static func number(_ key: ArraySlice<UInt8>) -> UInt64 {
    key.reduce(0) { $0 << 8 | UInt64($1) }
  }

  // MARK: - Outside of the trees

  /// Notes the rows of leaves, each given with whether a tree leads to it.
  private func readOutside(
    _ limit: UInt64?, _ forEachLeaf: ((TreePage, Bool) -> Void) -> Void
  ) {
    let last = limit ?? positionMax
    forEachLeaf { page, isReached in
      readIdentity(page, isOfTree: false)
      for node in 0..<page.count {
        let key = page.key(node)
        guard key.count == 8 || key.count == 4, let value = value(page, node) else { continue }
        guard let table = Self.table(Self.number(key), keyBytes: key.count, value, last) else {
          continue
        }
        // A row about an erasure destroys a key, so a row that needs a proof is not enough.
        let isLoose = page.isLoose(node)
        if isLoose && table == \.erased { continue }
        let origin: RowLocations.Origin =
          isLoose ? .damagedPage : isReached ? .damagedLeaf : .outside
        self[keyPath: table].add(Self.number(key), page.number, node, origin)
      }
    }
  }

  /// Returns the table that a row must belong to, or `nil` if it belongs to none.
  private static func table(
    _ key: UInt64, keyBytes: Int, _ value: [UInt8], _ last: UInt64
  ) -> ReferenceWritableKeyPath<SalvageSource, RowLocations>? {
    if keyBytes == 4 {
      if ErasedSlot(UInt32(key).bigEndianBytes.span, value.span) != nil, value[0] == 0 {
        return \.erased
      }
      if SealedName(value.span) != nil { return \.people }
      return isPublicName(value) ? \.names : nil
    }
    if value.count == TreeHash.byteCount {
      return key < MerkleTree.storedNodes(atSize: last) ? \.nodes : nil
    }
    guard key > 0, key <= last else { return nil }
    if isRecord(value, at: key) { return \.records }
    return SealedData(value.span) != nil ? \.personal : nil
  }

  /// Returns whether the bytes are the row of a name that does not identify a person.
  static func isPublicName(_ row: [UInt8]) -> Bool {
    guard row.count > 1, let kind = NameKind(rawValue: row[0]), !kind.isPersonal else {
      return false
    }
    return String(validating: row.dropFirst(), as: UTF8.self) != nil
  }

  /// Returns whether the bytes are an intact record of this position.
  static func isRecord(_ bytes: [UInt8], at position: UInt64) -> Bool {
    do throws(RecordError) {
      let record = try RecordView(bytes.span)
      _ = try record.id()
      var fields = record.fields
      while try fields.next() {}
      return record.position == position
    } catch { return false }
  }

  // MARK: - Rows

  /// Notes the rows of the identity in a leaf: one of the table `meta`, or any other.
  private func readIdentity(_ page: TreePage, isOfTree: Bool) {
    for node in 0..<page.count {
      let name = String(validating: page.key(node), as: UTF8.self)
      guard let row = name.flatMap({ LogIdentity.Row(rawValue: $0) }) else {
        // It was a row of `meta`, and nobody knows which one.
        if isOfTree { isMarkDoubtful = true }
        continue
      }
      guard identity[row] == nil, !(isMarkKnown && row == .erasing) else { continue }
      guard let stored = value(page, node),
        let value = LogIdentity.value(of: row, stored: stored)
      else {
        if row == .erasing { isMarkDoubtful = true }
        continue
      }
      identity[row] = value
    }
  }

  private func value(_ page: TreePage, _ node: Int) -> [UInt8]? {
    do throws(PageDoubt) { return try file.value(page, node) } catch { return nil }
  }

  /// Returns the value of a node of a leaf, or `nil` if it cannot be read.
  func value(_ number: UInt64, _ node: Int) -> [UInt8]? {
    guard let page = page(number), page.kind == .leaf, node < page.count else { return nil }
    return value(page, node)
  }

  private func page(_ number: UInt64) -> TreePage? {
    if let page = pages[number] { return page }
    do throws(PageDoubt) {
      let page = try file.leaf(number)
      if pages.count >= Self.pagesMax { pages.removeAll(keepingCapacity: true) }
      pages[number] = page
      return page
    } catch { return nil }
  }

  /// Returns the bytes of the record at `position`, or `nil` if it is missing or damaged.
  func record(_ position: UInt64) -> [UInt8]? {
    guard let bytes = records.value(position, self), Self.isRecord(bytes, at: position) else {
      return nil
    }
    return bytes
  }

  /// Stores the row that a name had before it was damaged.
  func repair(_ name: NameRepair.Found) { repaired[name.number] = name.row }

  /// The row of a name, whatever is in it, and whether its table is that of people; nil if it is
  /// missing.
  func unverifiedName(_ number: NameNumber) -> (row: [UInt8], isPerson: Bool)? {
    if let row = names.value(UInt64(number), self) { return row.count > 1 ? (row, false) : nil }
    guard let row = people.value(UInt64(number), self), row.count > 1 else { return nil }
    return (row, true)
  }

  /// Returns the row of a name from either table, or `nil` if it is missing or malformed.
  func name(_ number: NameNumber) -> [UInt8]? {
    if let row = repaired[number] { return row }
    if let row = names.value(UInt64(number), self) { return Self.isPublicName(row) ? row : nil }
    guard let row = people.value(UInt64(number), self), SealedName(row.span) != nil else {
      return nil
    }
    return row
  }

  /// Whether a name's row is only a hint: without a proof, it counts as missing.
  ///
  /// A name has no position that says whether it belongs to the log. So if the newest commit can be
  /// read, a row beside its trees may be one of a commit that failed.
  func needsProof(name number: NameNumber) -> Bool {
    switch names.origin(of: UInt64(number)) ?? people.origin(of: UInt64(number)) {
    case .tree, .damagedLeaf, nil: false
    case .outside: isNewestCommit
    case .damagedPage: true
    }
  }

  /// Has the record at `position` and the names that it introduces count as missing, as far as no
  /// tree leads to them.
  ///
  /// - Returns: Whether there was anything.
  func rejectOutside(_ position: UInt64) -> Bool {
    guard let record = record(position) else { return false }
    var isAny = records.rejectOutside(position)
    for number in SalvagedLeaf.introduced(by: record).map(UInt64.init) {
      if names.rejectOutside(number) { isAny = true }
      if people.rejectOutside(number) { isAny = true }
    }
    return isAny
  }

  /// A stored node of the tree.
  func node(_ index: UInt64) -> TreeHash? { nodes.value(index, self).flatMap { TreeHash($0.span) } }
}
