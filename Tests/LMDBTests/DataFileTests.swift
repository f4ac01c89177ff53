import Foundation
import LMDB
import Testing

@Suite("The data file") struct DataFileTests {
  /// Creates an environment with small and large values and a free list, and closes it.
  static func filled() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    try environment.write { transaction in
      for number: UInt64 in 0..<40 {
        let value = [UInt8](repeating: 1, count: number % 8 == 0 ? 9000 : 700)
        try transaction.append(table, number, value.span)
      }
    }
    try environment.write { transaction in
      for number: UInt64 in 5..<20 { _ = try transaction.delete(table, number) }
    }
    try environment.close()
    return folder
  }

  @Test("is known to be elsewhere once its folder was moved, removed or replaced")
  func moved() throws {
    let folder = try TemporaryFolder()
    let (path, moved) = (folder.path + "/here", folder.path + "/there")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let environment = try Environment.open(path)
    #expect(!environment.isElsewhere)
    try FileManager.default.moveItem(atPath: path, toPath: moved)
    #expect(environment.isElsewhere, "nothing is in its place")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try Environment.open(path).close()
    #expect(environment.isElsewhere, "another one is in its place")
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: moved, toPath: path)
    #expect(!environment.isElsewhere)
    try environment.close()
  }

  @Test("a truncated file never crashes its reader, wherever it was cut") func truncatedFile() async
  {
    await #expect(processExitsWith: .success) {
      let folder = try DataFileTests.filled()
      let whole = try Data(contentsOf: URL(filePath: folder.dataFile))
      var refusals = 0
      for length in stride(from: 2048, to: whole.count, by: 2048) {
        let cut = try TemporaryFolder()
        try whole.prefix(length).write(to: URL(filePath: cut.dataFile))
        do throws(LMDBError) {
          let environment = try cut.environment(.init(mapSize: 1 << 24))
          guard let table = try environment.table("t") else { exit(1) }
          guard try environment.contents(table).count == 25 else { exit(1) }
        } catch {
          guard error.code == .truncated else { exit(1) }
          refusals += 1
        }
      }
      guard refusals > 10 else { exit(1) }
    }
  }

  @Test("a truncated file is refused with what to do") func truncatedFileRefused() throws {
    let folder = try DataFileTests.filled()
    let handle = try FileHandle(forWritingTo: URL(filePath: folder.dataFile))
    try handle.truncate(atOffset: 3 * 4096)
    do throws(LMDBError) {
      _ = try folder.environment()
      Issue.record("was opened")
    } catch {
      #expect(error.code == .truncated)
      #expect(error.message.contains("Restore it from a copy"))
    }
  }

  @Test("a large value that lacks only its last page is noticed") func largeValue() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    // Free pages for the trees to reuse, so that the value is the last in the file.
    for number in 0..<8 { try environment.set(table, "small", "\(number)") }
    try environment.write { transaction in
      let value = [UInt8](repeating: 1, count: 100_000)
      try transaction.put(table, bytes("large").span, value.span)
    }
    let pageSize = try environment.info().pageSize
    try environment.close()
    let handle = try FileHandle(forWritingTo: URL(filePath: folder.dataFile))
    let size = try handle.seekToEnd()
    try handle.truncate(atOffset: size - UInt64(pageSize))
    #expect(failure { () throws(LMDBError) in _ = try folder.environment() } == .truncated)
  }

  @Test("a file that is short because its last pages were never written is in order")
  func fileShort() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    let table = try environment.createTable("t")
    let small = [UInt8](repeating: 1, count: 1000)
    for _ in 0..<4 {
      try environment.write { transaction in
        for number: UInt64 in 0..<40 { try transaction.put(table, number, small.span) }
      }
    }
    // A large value that its own transaction removes returns to the free pages unwritten, if the
    // transaction has already reused pages (`mdb_ovpage_free`).
    try environment.write { transaction in
      let large = [UInt8](repeating: 1, count: 1_000_000)
      try transaction.put(table, 0, small.span)
      try transaction.put(table, 100, large.span)
      _ = try transaction.delete(table, 100)
    }
    let used = try environment.info().usedBytes
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.dataFile)
    let size = try #require(attributes[.size] as? Int)
    try environment.close()
    try #require(size < used, "LMDB wrote the pages, so this shows nothing")
    let reopened = try folder.environment()
    #expect(try reopened.table("t") != nil)
  }

  @Test("a damaged meta page is refused", arguments: [0, 4096])
  func damagedMeta(_ page: Int) throws {
    let folder = try DataFileTests.filled()
    try overwrite(folder.dataFile, at: page + 16, [0, 0, 0, 0])
    #expect(failure { () throws(LMDBError) in _ = try folder.environment() } == .invalidFile)
  }

  /// LMDB itself would open nearly all of these and take the older page: the commit before.
  @Test("a flipped bit in the number of a meta page is refused", arguments: [0, 4096], 0..<4)
  func flippedBit(_ page: Int, _ more: Int) throws {
    let folder = try DataFileTests.filled()
    do {
      // So that the two numbers end in every pair of bits.
      let environment = try folder.environment()
      guard let table = try environment.table("t") else { return }
      for round in 0..<more { try environment.set(table, "more", "\(round)") }
      try environment.close()
    }
    let whole = try Data(contentsOf: URL(filePath: folder.dataFile))
    let (number, other) = (whole[page + 144], whole[4096 - page + 144])
    for bit in 0..<64 {
      var damaged = whole
      damaged[page + 144 + bit / 8] ^= 1 << UInt8(bit % 8)
      try damaged.write(to: URL(filePath: folder.dataFile))
      let found = failure { () throws(LMDBError) in _ = try folder.environment() }
      // A newest number that is lowered by two looks like what a commit that failed leaves behind:
      // whoever keeps something outside of the file has to notice.
      let isBlind = bit == 1 && number > other && number % 4 >= 2
      #expect(found == (isBlind ? nil : .invalidFile), "bit \(bit) of \(number)")
    }
    try whole.write(to: URL(filePath: folder.dataFile))
    #expect(try folder.environment().table("t") != nil)
  }

  /// The older page may: a commit that failed leaves its roots there.
  @Test("a newest meta page that refers to a page beyond the last one is refused")
  func rootBeyond() throws {
    let folder = try DataFileTests.filled()
    let whole = try Data(contentsOf: URL(filePath: folder.dataFile))
    let newest = whole[144] > whole[4096 + 144] ? 0 : 4096
    for page in [0, 4096] {
      try whole.write(to: URL(filePath: folder.dataFile))
      try overwrite(folder.dataFile, at: page + 128, [0, 0, 0, 0, 1])
      let found = failure { () throws(LMDBError) in _ = try folder.environment() }
      #expect(found == (page == newest ? .invalidFile : nil))
    }
  }

  /// LMDB writes the old number back to the second page, but not the old roots.
  @Test("a first commit that failed leaves a new environment")
  func failedFirstCommit() throws {
    let folder = try TemporaryFolder()
    let environment = try folder.environment()
    _ = try environment.createTable("t")
    try environment.close()
    try overwrite(folder.dataFile, at: 4096 + 144, [0])
    #expect(try folder.environment().table("t") == nil)
  }

  @Test("a file whose first two pages were not written whole is begun anew, if that is asked for")
  func unbegun() throws {
    let folder = try TemporaryFolder()
    try folder.environment().close()
    let new = try Data(contentsOf: URL(filePath: folder.dataFile))
    try #require(new.count == 2 * 4096)
    // What a full disk or a power failure may leave: a part, a length without bytes, one page.
    let zeros = Data(count: 4096)
    let parts = [
      new.prefix(1), new.prefix(4095), new.prefix(4096), new.prefix(4200),
      Data(count: 8192), zeros + new.suffix(4096), new.prefix(4096) + zeros,
    ]
    var options = Environment.Options()
    options.replacesUnbegun = true
    for part in parts {
      try Data(part).write(to: URL(filePath: folder.dataFile))
      #expect(failure { () throws(LMDBError) in _ = try folder.environment() } != nil)
      let environment = try Environment.open(folder.path, options: options)
      let table = try environment.createTable("t")
      try environment.set(table, "k", "v")
      #expect(try environment.text(table, "k") == "v")
      try environment.close()
    }
    // Where something was committed, nothing is thrown away.
    let used = try Data(contentsOf: URL(filePath: folder.dataFile)).prefix(8192)
    for cut in [used, used.prefix(8000), zeros + used.suffix(4096)] {
      try Data(cut).write(to: URL(filePath: folder.dataFile))
      #expect(
        failure { () throws(LMDBError) in
          _ = try Environment.open(folder.path, options: options)
        } != nil)
      #expect(try Data(contentsOf: URL(filePath: folder.dataFile)) == cut)
    }
  }

  @Test("new, copied and much written environments have meta pages that fit") func newCopied()
    throws
  {
    let folder = try TemporaryFolder()
    try folder.environment().close()
    for round in 0..<5 {
      let environment = try folder.environment()
      let table = try environment.createTable("t")
      try environment.write { transaction in
        try transaction.put(table, UInt64(round), [1, 2, 3].span)
      }
      for isCompact in [true, false] {
        let copy = try TemporaryFolder()
        try environment.copy(to: copy.path, compacting: isCompact)
        #expect(try copy.environment().table("t") != nil)
      }
      try environment.close()
    }
  }

  @Test("another version of the file format is refused") func anotherVersion() throws {
    let folder = try DataFileTests.filled()
    try overwrite(folder.dataFile, at: 20, [2, 0, 0, 0])
    #expect(failure { () throws(LMDBError) in _ = try folder.environment() } == .versionMismatch)
  }

  @Test("a file of something else is refused") func fileSomething() throws {
    let folder = try TemporaryFolder()
    try Data("Dear diary, today was a fine day. ".utf8).write(to: URL(filePath: folder.dataFile))
    #expect(failure { () throws(LMDBError) in _ = try folder.environment() } == .truncated)
    let text = String(repeating: "Dear diary, today was a fine day. ", count: 1000)
    try Data(text.utf8).write(to: URL(filePath: folder.dataFile))
    #expect(failure { () throws(LMDBError) in _ = try folder.environment() } == .invalidFile)
  }
}

private func overwrite(_ path: String, at offset: Int, _ bytes: [UInt8]) throws {
  let handle = try FileHandle(forWritingTo: URL(filePath: path))
  try handle.seek(toOffset: UInt64(offset))
  try handle.write(contentsOf: bytes)
  try handle.close()
}
