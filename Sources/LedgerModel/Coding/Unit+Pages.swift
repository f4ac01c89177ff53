import LedgerEvents

/// How large a unit's state becomes before it is divided, and into what.
///
/// Whether a unit is divided follows from the number of its rows alone, so that a rebuild divides
/// the same units in the same way.
package struct UnitLayout: Hashable, Sendable {
  /// The number of rows of a table that are stored together.
  package var rowsPerPage: Int
  /// A unit with more rows is divided.
  package var undividedRowsMax: Int

  package init(rowsPerPage: Int, undividedRowsMax: Int) {
    precondition(rowsPerPage > 0 && undividedRowsMax >= 0)
    self.rowsPerPage = rowsPerPage
    self.undividedRowsMax = undividedRowsMax
  }

  /// A page of 32 rows takes about a kibibyte, so that one LMDB page holds a few. Units of a few
  /// kilobytes are cheaper as one row.
  package static let standard = UnitLayout(rowsPerPage: 32, undividedRowsMax: 512)

  /// The layout of stores whose makers say nothing else. Builds with checks divide almost all
  /// units, so that every test of the store is one of divided units, too.
  #if DEBUG
    package static let usual = UnitLayout(rowsPerPage: 3, undividedRowsMax: 24)
  #else
    package static let usual = standard
  #endif
}

/// Which page of a unit's state.
package struct StatePage: Hashable, Sendable {
  /// The environment's number, or 0 for what is settled over all environments.
  package var environment: UInt8
  package var table: UInt8
  package var index: UInt32
}

extension Unit {
  /// The number of rows in all tables.
  ///
  /// - Complexity: O(1) in the rows.
  package var rowCount: Int {
    var counts = RowCounter()
    readTables(&counts)
    return counts.counts.reduce(0, +)
  }

  /// The state without the rows of its tables, as bytes.
  ///
  /// - Complexity: O(*k*) in what is open.
  package func encodedHead() -> [UInt8] {
    var writer = StateWriter()
    encodeHead(into: &writer)
    return writer.bytes
  }

  /// Calls `body` with the bytes of each page, or only of those that have changed since
  /// ``markStored()``; with `nil` for a page that has no rows any more.
  ///
  /// - Complexity: O(*n* / 64) in the rows, and O(*k*) in the rows of those pages.
  package func pages(
    of layout: UnitLayout, onlyChanged: Bool, _ body: (StatePage, [UInt8]?) -> Void
  ) {
    withoutActuallyEscaping(body) { body in
      var writer = PageWriter(
        rowsPerPage: layout.rowsPerPage, onlyChanged: onlyChanged, body: body)
      readTables(&writer)
    }
  }

  /// Notes that all pages are stored as they are now.
  ///
  /// - Complexity: O(*n* / 64) in the rows.
  package mutating func markStored() {
    var marker = StoredMarker()
    visitTables(&marker)
  }

  /// Decodes what a divided state says of its accounts, devices and findings, from their pages
  /// alone.
  ///
  /// - Parameters: As `init(decodingHead:of:page:)`.
  /// - Complexity: O(*n*) in their number, however large the rest of the state is.
  package static func roster(
    decodingHead head: [UInt8], of layout: UnitLayout, page: (StatePage) -> [UInt8]?
  ) throws(StateError) -> UnitRoster {
    var reader = StateReader(head)
    var (unit, counts) = try Unit.head(from: &reader)
    guard reader.isAtEnd else { throw reader.error() }
    let failure: StateError? = withoutActuallyEscaping(page) { page in
      var pages = PageReader(
        rowsPerPage: layout.rowsPerPage, counts: counts, only: UnitRoster.tables, page: page)
      unit.visitTables(&pages)
      return pages.failure
    }
    if let failure { throw failure }
    return UnitRoster(unit)
  }

  /// Decodes a divided state.
  ///
  /// - Parameters:
  ///   - head: What `encodedHead()` wrote.
  ///   - page: The bytes of a page; `nil` if it is missing.
  /// - Throws: `StateError` if the bytes are damaged or in another version, or a page is missing.
  /// - Complexity: O(*n*) in the size of the state.
  package init(
    decodingHead head: [UInt8], of layout: UnitLayout, page: (StatePage) -> [UInt8]?
  ) throws(StateError) {
    var reader = StateReader(head)
    let (unit, counts) = try Unit.head(from: &reader)
    guard reader.isAtEnd else { throw reader.error() }
    self = unit
    let failure: StateError? = withoutActuallyEscaping(page) { page in
      var pages = PageReader(rowsPerPage: layout.rowsPerPage, counts: counts, page: page)
      visitTables(&pages)
      return pages.failure
    }
    if let failure { throw failure }
    guard isConsistent else { throw reader.error() }
    markStored()
  }
}

/// Writes pages.
private struct PageWriter: StateTableReader {
  let rowsPerPage: Int
  let onlyChanged: Bool
  let body: (StatePage, [UInt8]?) -> Void
  private var environment: UInt8 = 0

  init(
    rowsPerPage: Int, onlyChanged: Bool, body: @escaping (StatePage, [UInt8]?) -> Void
  ) {
    self.rowsPerPage = rowsPerPage
    self.onlyChanged = onlyChanged
    self.body = body
  }

  mutating func enter(_ environment: StoreEnvironment?) {
    self.environment = environment?.rawValue ?? 0
  }

  mutating func read<Row: Persisted & Sendable>(
    _ number: StateTableNumber, _ table: StateTable<Row>
  ) {
    for page in table.pages(of: rowsPerPage, onlyChanged: onlyChanged) {
      var writer = StateWriter()
      for index in page * rowsPerPage..<min((page + 1) * rowsPerPage, table.count) {
        table.rows[index].encode(into: &writer)
      }
      body(key(of: page, number), writer.bytes)
    }
    guard onlyChanged else { return }
    for page in table.lostPages(of: rowsPerPage) { body(key(of: page, number), nil) }
  }

  private func key(of page: Int, _ number: StateTableNumber) -> StatePage {
    StatePage(environment: environment, table: number.rawValue, index: UInt32(page))
  }
}

/// Reads the pages of all tables, or of some.
private struct PageReader: StateTableVisitor {
  let rowsPerPage: Int
  let counts: [Int]
  /// The tables that are read; `nil` for all. The others stay empty.
  let only: Set<StateTableNumber>?
  let page: (StatePage) -> [UInt8]?
  /// Why not all pages were read.
  private(set) var failure: StateError?
  private var environment: UInt8 = 0
  private var tablesRead = 0

  static var readsTables: Bool { true }

  init(
    rowsPerPage: Int, counts: [Int], only: Set<StateTableNumber>? = nil,
    page: @escaping (StatePage) -> [UInt8]?
  ) {
    self.rowsPerPage = rowsPerPage
    self.counts = counts
    self.only = only
    self.page = page
  }

  mutating func enter(_ environment: StoreEnvironment?) {
    self.environment = environment?.rawValue ?? 0
  }

  mutating func visit<Row: Persisted & Sendable>(
    _ number: StateTableNumber, _ table: inout StateTable<Row>
  ) {
    if failure != nil { return }
    defer { tablesRead += 1 }
    if let only, !only.contains(number) { return }
    do throws(StateError) {
      table = StateTable(try rows(of: number.rawValue, counts[tablesRead]))
    } catch { failure = error }
  }

  private func rows<Row: Persisted>(
    of table: UInt8, _ count: Int
  ) throws(StateError) -> [Row] {
    var rows: [Row] = []
    while rows.count < count {
      let index = rows.count / rowsPerPage
      let key = StatePage(
        environment: environment, table: table, index: UInt32(truncatingIfNeeded: index))
      guard let bytes = page(key) else { throw StateError(code: .corrupt, offset: rows.count) }
      var reader = StateReader(bytes)
      rows += try reader.rows(min(rowsPerPage, count - rows.count)) as [Row]
      guard reader.isAtEnd else { throw reader.error() }
    }
    return rows
  }
}

/// Notes that tables are stored.
private struct StoredMarker: StateTableVisitor {
  mutating func visit<Row: Persisted & Sendable>(
    _ number: StateTableNumber, _ table: inout StateTable<Row>
  ) {
    table.markStored()
  }
}
