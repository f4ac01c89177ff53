package import LMDB

/// Checks the structure of a whole data file: whatever it finds in order, LMDB can walk without
/// leaving the file or its pages.
///
/// It checks both meta pages, the tree of free pages, the tree of tables and each table: that every
/// page says the number where it is, that nodes lie within their pages and fill them, that keys are
/// in order within a page and between pages, that trees have the levels and counts that they state,
/// and that no page has two owners. What is *in* a value is not its business: records have
/// checksums of their own.
package struct PageCheck {
  /// What was found.
  package struct Report: Hashable, Sendable {
    /// The path of the file.
    package let path: String
    /// The number of the commit that was checked.
    package let transaction: UInt64
    /// What is damaged.
    package let faults: [PageFault]
  }

  private var walk: TreeWalk
  private let meta: PageMeta

  /// Checks the data file in the folder `folder` while others may write to it: a reader holds the
  /// pages of one commit meanwhile.
  ///
  /// - Parameters:
  ///   - folder: The environment's folder, which this process must not have open.
  ///   - options: How to open the environment. Without its locks nobody is kept from writing.
  /// - Complexity: one read of each page in use.
  /// - Throws: ``LMDBError``: as opening the environment; its meta pages are checked then.
  package static func check(
    folder: String, options: Environment.Options
  ) throws(LMDBError) -> Report {
    do throws(LMDBError) {
      let environment = try Environment.open(folder, options: options)
      let report = try check(environment)
      try environment.close()
      return report
    } catch {
      guard let report = try damagedMetas(of: folder, thatCause: error) else { throw error }
      return report
    }
  }

  /// The damaged meta pages of the data file in the folder `folder`, if they are why LMDB could not
  /// map the file or begin to read it; `nil` if it failed for another reason.
  ///
  /// LMDB believes the number of pages that a meta page states. A damaged number looks to it as if
  /// another process had let the file grow, or as if the machine had too little memory.
  ///
  /// - Complexity: O(1) for a sound file and for another error. If the newest meta page counts
  ///   pages beyond the end of the file, one read of each page in use.
  /// - Throws: ``LMDBError`` with the operating system's error.
  package static func damagedMetas(
    of folder: String, thatCause error: LMDBError
  ) throws(LMDBError) -> Report? {
    guard error.code == .mapResized || error.code == .system(outOfMemory) else { return nil }
    let path = "\(folder)/\(Environment.dataFileName)"
    var report: Report?
    for _ in 1...metaReadsMax {
      guard let file = try PageFile(path) else { return nil }
      let newest = file.plausibleMetas.first
      var faults = file.metaFaults
      if faults.isEmpty, let newest, newest.lastPage >= file.pageCount {
        faults = check(file, newest).faults.filter { $0.page == newest.number }
      }
      if faults.isEmpty { return nil }
      report = Report(path: path, transaction: newest?.transaction ?? 0, faults: faults)
    }
    return report
  }

  /// ENOMEM, which is the same on Linux and Darwin.
  private static let outOfMemory: Int32 = 12

  /// How often a commit is looked for whose meta page is still there.
  private static let attemptsMax = 50

  /// How often the meta pages are read before one of them counts as damaged: a commit may be
  /// writing it at that moment.
  private static let metaReadsMax = 5

  /// Checks the data file of an environment of which no table was opened yet.
  ///
  /// If the meta page of the newest commit is damaged, that is all that can be said.
  ///
  /// - Complexity: one read of each page in use.
  /// - Throws: ``LMDBError``: `missing` if there is no file, `transactionsOpen` if commits follow
  ///   each other so fast that none can be checked, or the operating system's error.
  package static func check(_ environment: Environment) throws(LMDBError) -> Report {
    let path = "\(environment.path)/\(Environment.dataFileName)"
    for attempt in 1...attemptsMax {
      // Taken before the meta pages are read, and held until the end: no page that belongs to the
      // commit is used for anything else.
      let reading = try environment.beginRead()
      let transaction = UInt64(reading.id)
      guard let file = try PageFile(path) else {
        throw LMDBError(.missing, operation: "check", message: "\(path) does not exist any more.")
      }
      let faults = file.metaFaults
      if !faults.isEmpty, attempt < metaReadsMax { continue }
      if let meta = file.plausibleMetas.first(where: { $0.transaction == transaction }) {
        return check(file, meta)
      }
      if !faults.isEmpty { return Report(path: path, transaction: transaction, faults: faults) }
    }
    throw LMDBError(
      .transactionsOpen, operation: "check",
      message: "\(path) is written to so fast that no commit can be checked: try again.")
  }

  private static func check(_ file: PageFile, _ meta: PageMeta) -> Report {
    var check = PageCheck(walk: TreeWalk(file, lastPage: meta.lastPage), meta: meta)
    for fault in file.metaFaults { check.walk.report(fault.page, nil, fault.reason) }
    check.run()
    return Report(
      path: file.path, transaction: meta.transaction,
      faults: check.walk.faults.sorted { $0.page < $1.page })
  }

  private mutating func run() {
    var tables: [(name: [UInt8], record: TreeRecord, page: UInt64)] = []
    walk.walk(meta.main, named: "tables", order: .bytes, from: meta.number) { walk, page in
      for index in 0..<page.count {
        guard case .table(let range) = page.value(index) else {
          walk.report(page.number, "tables", "it has a row that is not a table")
          continue
        }
        let record = TreeRecord(page.bytes[range].span, at: 0)
        tables.append((Array(page.key(index)), record, page.number))
      }
    }
    for table in tables {
      walk.walk(
        table.record, named: String(decoding: table.name, as: UTF8.self), from: table.page
      ) { _ in }
    }
    // Last, so that a page that is in use and listed as free is found at the list.
    var listed: Set<UInt64> = []
    let (file, lastPage) = (walk.file, meta.lastPage)
    walk.walk(meta.free, named: "free pages", order: .integers, from: meta.number) { walk, page in
      for index in 0..<page.count {
        do throws(PageDoubt) {
          let list = try Self.freePages(try file.value(page, index))
          try Self.check(list, lastPage, walk, &listed)
        } catch {
          walk.report(page.number, "free pages", error.reason)
        }
      }
    }
    for page in listed.sorted() where walk.isReached(page) {
      walk.report(page, "free pages", "it is listed as free, and it is in use")
    }
    checkEnd(listed)
  }

  /// Pages beyond the end of the file were never written, so they are free.
  private mutating func checkEnd(_ listed: Set<UInt64>) {
    let count = walk.file.pageCount
    guard meta.lastPage >= count else { return }
    let free = listed.count { $0 >= count }
    guard UInt64(free) < meta.lastPage - count + 1 else { return }
    walk.report(
      meta.number, nil,
      "it counts pages up to \(meta.lastPage), the file has \(count), and the pages beyond its end "
        + "are not all free")
  }

  /// The pages that a row of the list of free pages names: their count, then their numbers.
  private static func freePages(_ value: [UInt8]) throws(PageDoubt) -> [UInt64] {
    let wordBytes = MemoryLayout<UInt64>.size
    guard value.count >= wordBytes, value.count % wordBytes == 0 else {
      throw PageDoubt("a list of free pages has \(value.count) bytes")
    }
    let count: UInt64 = value.span.littleEndian(at: 0)
    guard count < UInt64(value.count / wordBytes) else {
      throw PageDoubt("a list of free pages counts \(count) in \(value.count) bytes")
    }
    return (0..<Int(count)).map { value.span.littleEndian(at: ($0 + 1) * wordBytes) }
  }

  private static func check(
    _ list: [UInt64], _ lastPage: UInt64, _ walk: TreeWalk, _ listed: inout Set<UInt64>
  ) throws(PageDoubt) {
    for (index, page) in list.enumerated() {
      guard page >= PageFile.firstPage, page <= lastPage else {
        throw PageDoubt("page \(page) is listed as free, and pages end at \(lastPage)")
      }
      guard index == 0 || page < list[index - 1] else {
        throw PageDoubt("a list of free pages is not in order")
      }
      guard listed.insert(page).inserted else {
        throw PageDoubt("page \(page) is listed as free twice")
      }
    }
  }
}
