internal import LMDB
internal import LedgerEvents
internal import PageReading

/// What can be read of a damaged log, without LMDB.
///
/// The newest commit's trees are followed first. Then every other page of the file is looked at
/// that is still a leaf: a damaged branch cuts off pages that are whole, and a damaged meta page
/// the last commit. Rows of these pages fill only gaps, and only as far as the log is known to go,
/// because pages of commits that failed lie in the file, too.
final class SalvageSource {
  let file: PageFile
  private(set) var records = PlacedRows()
  private(set) var names = PlacedRows()
  private(set) var people = PlacedRows()
  private(set) var personal = PlacedRows()
  private(set) var nodes = PlacedRows()
  private(set) var erased = PlacedRows()
  /// The rows of `meta` that have their checksum.
  private(set) var identity: [LogIdentity.Row: [UInt8]] = [:]
  /// The pages that are damaged, as far as the trees lead to them.
  private(set) var faults: [PageFault] = []
  /// The positions of erasures, as far as they can be read.
  private(set) var erasures: [UInt64] = []
  /// Records that are in their place and not as they were written.
  private(set) var damagedRecords: Set<UInt64> = []
  /// How many events the log had, as far as its trees say; nil if they do not.
  private(set) var eventsStated: UInt64?
  /// Whether every row about what was erased was found.
  private(set) var isErasedWhole = false

  /// Rows of names that the tree has proven after one bit was turned back.
  private(set) var repaired: [NameNumber: [UInt8]] = [:]

  private var pages: [UInt64: TreePage] = [:]

  /// Pages that are kept for the next row: rows are mostly asked for in order.
  private static let pagesMax = 256

  init(_ file: PageFile) { self.file = file }

  /// Reads where everything is.
  ///
  /// - Parameter limit: How many events the log is known to have had, by what lies beside it.
  /// - Complexity: one read of each page, O(*n* log *n*) in the rows.
  func read(knownEvents limit: UInt64?) {
    for (number, meta) in file.metas.enumerated() {
      guard case .failure(let doubt) = meta else { continue }
      faults.append(PageFault(page: UInt64(number), table: nil, reason: doubt.reason))
    }
    var reader: TableReader?
    for meta in file.plausibleMetas {
      let candidate = TableReader(file, meta)
      if reader == nil || candidate.entries.count > reader?.entries.count ?? 0 {
        reader = candidate
      }
      if candidate.entries.count >= LogTables.count { break }
    }
    // Without any meta page, the file is a heap of leaves.
    if var reader {
      readTables(&reader, limit)
    } else {
      readOutside(limit) { body in allLeaves(body) }
    }
    records.settle(self)
    names.settle(self)
    people.settle(self)
    personal.settle(self)
    nodes.settle(self)
    erased.settle(self)
    erasures = records.keys.filter { position in
      record(position).map { $0[1] == EventKind.accountErased.rawValue } ?? false
    }
  }

  private func allLeaves(_ body: (TreePage) -> Void) {
    TreeWalk(file, lastPage: 0).forEachLeafOutside(body)
  }

  private func readTables(_ reader: inout TableReader, _ limit: UInt64?) {
    eventsStated = reader.entries["records"]
    reader.forEachLeaf(of: "meta") { readIdentity($0) }
    reader.forEachLeaf(of: "records") { addRecords(of: $0) }
    reader.forEachLeaf(of: "names") { add($0, \.names, keyBytes: 4) }
    reader.forEachLeaf(of: "people") { add($0, \.people, keyBytes: 4) }
    reader.forEachLeaf(of: "personal") { add($0, \.personal, keyBytes: 8) }
    reader.forEachLeaf(of: "tree") { add($0, \.nodes, keyBytes: 8) }
    reader.forEachLeaf(of: "erased") { add($0, \.erased, keyBytes: 4) }
    isErasedWhole = reader.entries["erased"] == UInt64(erased.reachedCount)
    faults += reader.faults
    let known = max(eventsStated ?? 0, limit ?? 0)
    let walked = reader
    readOutside(known > 0 ? known : nil) { body in walked.forEachLeafOutside(body) }
  }

  /// Notes the rows of a leaf of a table.
  private func add(
    _ page: TreePage, _ table: ReferenceWritableKeyPath<SalvageSource, PlacedRows>, keyBytes: Int
  ) {
    for node in 0..<page.count {
      guard page.key(node).count == keyBytes else { continue }
      self[keyPath: table].add(Self.number(page.key(node)), page.number, node, .tree)
    }
  }

  /// Notes the records of a leaf that are whole, so that an earlier copy can stand in for others.
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

  private func readOutside(_ limit: UInt64?, _ forEachLeaf: ((TreePage) -> Void) -> Void) {
    let last = limit ?? positionMax
    forEachLeaf { page in
      readIdentity(page)
      for node in 0..<page.count {
        let key = page.key(node)
        guard key.count == 8 || key.count == 4, let value = value(page, node) else { continue }
        guard let table = Self.table(Self.number(key), keyBytes: key.count, value, last) else {
          continue
        }
        // A row about an erasure takes a key away: a hint is not enough for that.
        let isLoose = page.isLoose(node)
        if isLoose && table == \.erased { continue }
        let origin: PlacedRows.Origin = isLoose ? .damagedPage : .outside
        self[keyPath: table].add(Self.number(key), page.number, node, origin)
      }
    }
  }

  /// The table that a row must be of; nil if it is a row of none.
  private static func table(
    _ key: UInt64, keyBytes: Int, _ value: [UInt8], _ last: UInt64
  ) -> ReferenceWritableKeyPath<SalvageSource, PlacedRows>? {
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

  /// Whether the bytes are a name's row that identifies nobody.
  static func isPublicName(_ row: [UInt8]) -> Bool {
    guard row.count > 1, let kind = NameKind(rawValue: row[0]), !kind.isPersonal else {
      return false
    }
    return String(validating: row.dropFirst(), as: UTF8.self) != nil
  }

  /// Whether the bytes are a whole record of this position.
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

  private func readIdentity(_ page: TreePage) {
    for node in 0..<page.count {
      guard let name = String(validating: page.key(node), as: UTF8.self),
        let row = LogIdentity.Row(rawValue: name), identity[row] == nil,
        let stored = value(page, node), let value = LogIdentity.value(of: row, stored: stored)
      else { continue }
      identity[row] = value
    }
  }

  private func value(_ page: TreePage, _ node: Int) -> [UInt8]? {
    do throws(PageDoubt) { return try file.value(page, node) } catch { return nil }
  }

  /// The value of a node of a leaf; nil if it cannot be read.
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

  /// The bytes of the record at `position`; nil if they are not as they were written.
  func record(_ position: UInt64) -> [UInt8]? {
    guard let bytes = records.value(position, self), Self.isRecord(bytes, at: position) else {
      return nil
    }
    return bytes
  }

  /// Notes what a name's row was before it was damaged.
  func repair(_ name: NameRepair.Found) { repaired[name.number] = name.row }

  /// The row of a name, whatever is in it; nil if it is missing.
  func unverifiedName(_ number: NameNumber) -> [UInt8]? {
    let row = names.value(UInt64(number), self) ?? people.value(UInt64(number), self)
    return row.flatMap { $0.count > 1 ? $0 : nil }
  }

  /// The row of a name, in whichever table it is; nil if it is missing or no such row.
  func name(_ number: NameNumber) -> [UInt8]? {
    if let row = repaired[number] { return row }
    if let row = names.value(UInt64(number), self) { return Self.isPublicName(row) ? row : nil }
    guard let row = people.value(UInt64(number), self), SealedName(row.span) != nil else {
      return nil
    }
    return row
  }

  /// Whether a name's row is only a hint: without a proof, it counts as missing.
  func isLoose(name number: NameNumber) -> Bool {
    names.isLoose(UInt64(number)) || people.isLoose(UInt64(number))
  }

  /// The rows about what was erased.
  var erasedRows: [ErasedSlot] {
    erased.keys.compactMap { key in
      guard let value = erased.value(key, self), key <= UInt64(PersonalKeys.slotMax) else {
        return nil
      }
      return ErasedSlot(UInt32(key).bigEndianBytes.span, value.span)
    }
  }

  /// A stored node of the tree.
  func node(_ index: UInt64) -> TreeHash? { nodes.value(index, self).flatMap { TreeHash($0.span) } }
}
