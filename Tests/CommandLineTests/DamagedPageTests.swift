import Foundation
import LedgerEvents
import Testing

/// Damaged pages, met by the program as users run it.
@Suite("Damaged pages") struct DamagedPageTests {
  private let ledger: TestLedger
  private static let pageBytes = 4096
  private var log: URL { URL(filePath: "\(ledger.path)/log/data.mdb") }

  /// How the program may leave: with an answer or a refusal, and by no signal.
  private static let statuses: Set<Int32> = [0, 1, 65, 66, 74, 75]

  init() throws {
    ledger = try TestLedger()
    let lines = (0..<150).map { Sample.purchase("t\($0)", of: "customer-\($0)", at: 0) }
    let appended = try ledger.run("append", input: lines.joined(separator: "\n"))
    try #require(appended.status == 0, "\(appended.errors)")
    try #require(try ledger.run("rebuild").status == 0)
  }

  private func projections() throws -> URL {
    let folder = "\(ledger.path)/projections"
    let live = try FileManager.default.contentsOfDirectory(atPath: folder).first { Int($0) != nil }
    return URL(filePath: "\(folder)/\(try #require(live))/data.mdb")
  }

  /// Gives every node of a page a value that reaches out of the file, or a page that is not there.
  private func broken(_ whole: Data, _ page: Int) -> Data {
    var data = whole
    let start = page * Self.pageBytes
    func half(_ offset: Int) -> Int {
      Int(data[start + offset]) | Int(data[start + offset + 1]) << 8
    }
    for offset in stride(from: 16, to: max(16, min(half(12), Self.pageBytes)), by: 2) {
      let node = half(offset)
      guard node >= 16, node + 8 <= Self.pageBytes else { continue }
      data.replaceSubrange(start + node..<start + node + 4, with: [0xFF, 0xFF, 0xFF, 0x3F])
    }
    return data
  }

  @Test("of the log are named by verify, with what to do") func verify() throws {
    let whole = try Data(contentsOf: log)
    #expect(try ledger.run("verify").status == 0)
    var damaged = 0
    for page in 2..<whole.count / Self.pageBytes {
      try broken(whole, page).write(to: log)
      let found = try ledger.run("verify")
      if found.status == 0 { continue }
      damaged += 1
      #expect(found.status == 1, "\(found.output)\(found.errors)")
      #expect(found.lines.first?.hasPrefix("page: page \(page) of log/data.mdb (") == true)
      #expect(found.lines.last?.contains("daybook salvage \(ledger.path) --into NEW") == true)
      let json = try ledger.run("verify", "--format", "json").object()
      let faults = try #require(json["faults"] as? [[String: Any]])
      #expect(faults.first?["part"] as? String == "page")
      #expect(faults.first?["page"] as? Int == page)
    }
    #expect(damaged > 8)
  }

  @Test("that count too many pages are named, and not taken for growth or a lack of memory")
  func pageCount() throws {
    let backup = ledger.folder.path("backup")
    try #require(try ledger.run("backup", backup, "--operator", "kim").status == 0)
    for path in [ledger.path, backup] {
      let file = URL(filePath: "\(path)/log/data.mdb")
      let whole = try Data(contentsOf: file)
      let commits = [0, Self.pageBytes].map { start in
        whole[start + 144..<start + 152].reversed().map { $0 }
      }
      let newest = commits[0].lexicographicallyPrecedes(commits[1]) ? 1 : 0
      for (offset, bit) in [(143, 0x80), (142, 0x02)] as [(Int, UInt8)] {
        var damaged = whole
        for page in path == backup ? [0, 1] : [newest] {
          damaged[page * Self.pageBytes + offset] ^= bit
        }
        try damaged.write(to: file)
        if path == backup {
          let refused = try ledger.run(
            "restore", backup, "--keys", ledger.path + "/keys", "--ledger",
            ledger.folder.path("restored"))
          #expect(refused.status == 65, "\(refused.errors)")
          #expect(refused.errors.contains("has a damaged page: page 0 of log/data.mdb"))
          continue
        }
        let verified = try ledger.run("verify")
        #expect(verified.status == 1, "\(verified.errors)")
        #expect(verified.lines.first?.hasPrefix("page: page \(newest) of log/data.mdb: ") == true)
        for arguments in [["stats"], ["append"]] {
          let answer = try ledger.run(arguments, input: Sample.purchase("x", of: "ada", at: 0))
          #expect(answer.status == 65, "\(answer.errors)")
          #expect(answer.errors.contains("Page \(newest) of \(file.path) is damaged: it counts"))
        }
      }
      try whole.write(to: file)
    }
    #expect(try ledger.run("verify").status == 0)
  }

  @Test("of the log do not keep a checkpoint's verdict from being given, as far as it can be")
  func checkpoints() throws {
    let key = ledger.folder.path("key")
    let made = try ledger.run("key", "new", "--name", "example.com/shop", "--out", key)
    try #require(made.status == 0, "\(made.errors)")
    let kept = ledger.folder.path("kept")
    // Not at the end of a block of the tree, and after the damage that follows.
    let signed = try ledger.run(
      "checkpoint", "--key", key, "--at-position", "150", "--out", kept)
    try #require(signed.status == 0, "\(signed.errors)")
    let whole = try Data(contentsOf: log)
    var words: [String: Int] = [:]
    for page in 2..<whole.count / Self.pageBytes {
      try broken(whole, page).write(to: log)
      let found = try ledger.run("verify", "--checkpoint", kept, "--key", key)
      if found.status == 0 { continue }
      #expect(found.status == 1)
      let line = try #require(found.lines.first)
      #expect(line.hasPrefix("\(kept): "), "\(line)")
      let json = try ledger.run(
        "verify", "--checkpoint", kept, "--key", key, "--format", "json"
      ).object()
      let entry = try #require((json["checkpoints"] as? [[String: Any]])?.first)
      if line.contains("of the first 150 events can be read") {
        words["part", default: 0] += 1
        #expect(entry["fits"] as? Bool == true)
      } else if line.contains("the first 150 events can be read, and are those") {
        words["all", default: 0] += 1
        #expect(entry["fits"] as? Bool == true)
      } else {
        #expect(line.contains("cannot be judged"), "\(line)")
        words["none", default: 0] += 1
        #expect(entry["fits"] is NSNull)
      }
    }
    // Some pages hold neither records nor names. Others hide blocks for which hashes stand, or the
    // last events, for which none does.
    #expect(words["all", default: 0] > 0 && words["part", default: 0] > 0, "\(words)")
    #expect(words["none", default: 0] > 0, "\(words)")
  }

  @Test("a change that damage does not explain away is never called fitting") func changed() throws
  {
    let key = ledger.folder.path("key")
    _ = try ledger.run("key", "new", "--name", "example.com/shop", "--out", key)
    let kept = ledger.folder.path("kept")
    _ = try ledger.run("checkpoint", "--key", key, "--at-position", "150", "--out", kept)
    // The name of a product has no checksum: another letter is a change that only the root shows.
    var data = try Data(contentsOf: log)
    while let range = data.range(of: Data("map".utf8)) { data[range.lowerBound] = 0x6E }
    let whole = data
    for page in 2..<whole.count / Self.pageBytes {
      try broken(whole, page).write(to: log)
      let found = try ledger.run("verify", "--checkpoint", kept, "--key", key)
      #expect(found.status == 1)
      // Where the event that introduces the name cannot be read, the signed hash stands for it.
      #expect(
        !found.output.contains("kept: the first 150 events can be read, and are those"),
        "\(page): \(found.output)")
    }
  }

  @Test("of a backup are named by restore, before LMDB follows them") func backups() throws {
    let copy = ledger.folder.path("copy")
    let made = try ledger.run("backup", copy, "--operator", "kim")
    try #require(made.status == 0, "\(made.errors)")
    let file = URL(filePath: "\(copy)/log/data.mdb")
    let whole = try Data(contentsOf: file)
    let target = ledger.folder.path("restored")
    var damaged = 0
    for page in 2..<whole.count / Self.pageBytes {
      try broken(whole, page).write(to: file)
      let found = try ledger.run(
        "restore", copy, "--keys", ledger.path + "/keys", "--ledger", target)
      if found.status == 0 {
        try FileManager.default.removeItem(atPath: target)
        continue
      }
      damaged += 1
      #expect(found.status == 65, "\(found.output)\(found.errors)")
      #expect(found.errors.contains("page \(page) of log/data.mdb ("), "\(found.errors)")
      #expect(found.errors.contains("daybook salvage \(copy) --into NEW"))
      #expect(!FileManager.default.fileExists(atPath: target))
    }
    #expect(damaged > 8)
  }

  @Test("of the log end no command by a signal, and are named") func commands() throws {
    let whole = try Data(contentsOf: log)
    let line = Sample.purchase("later", of: "customer-77", at: 0)
    var named = 0
    for page in 2..<whole.count / Self.pageBytes {
      for command in [["append"], ["events"], ["entitlements", "customer-7"], ["rebuild"]] {
        try broken(whole, page).write(to: log)
        let found = try ledger.run(command, input: command == ["append"] ? line : "")
        #expect(Self.statuses.contains(found.status), "\(page) \(command): \(found)")
        if found.errors.contains("page \(page) of log/data.mdb") {
          named += 1
          #expect(found.status == 65)
        }
      }
    }
    #expect(named > 4)
  }

  @Test("of the projections end no command by a signal, and a rebuild repairs them")
  func projectionPages() throws {
    let file = try projections()
    let whole = try Data(contentsOf: file)
    var reported = 0
    let line = Sample.purchase("later", of: "customer-77", at: 0)
    for page in 2..<whole.count / Self.pageBytes {
      let file = try projections()
      let content = try Data(contentsOf: file)
      guard page < content.count / Self.pageBytes else { break }
      try broken(content, page).write(to: file)
      let verified = try ledger.run("verify")
      #expect([0, 1].contains(verified.status), "\(verified)")
      if verified.status == 1 {
        reported += 1
        #expect(verified.lines.last?.contains("daybook rebuild") == true)
      }
      for command in [["entitlements", "customer-7"], ["holders", "atlas"], ["append"]] {
        let found = try ledger.run(command, input: command == ["append"] ? line : "")
        #expect(Self.statuses.contains(found.status), "\(page) \(command): \(found)")
      }
      #expect(try ledger.run("rebuild").status == 0)
      #expect(try ledger.run("verify").status == 0)
    }
    #expect(reported > 4)
  }

  /// `UPDATE_GOLDEN=1` writes the report into `docs/durability.md`.
  @Test("a report of salvage is that of the documentation") func salvage() throws {
    let ledger = try TestLedger()
    let lines = (0..<60).map { Sample.purchase("t\($0)", of: "customer-\($0 % 9)", at: $0) }
    #expect(try ledger.run("append", input: lines.joined(separator: "\n")).status == 0)
    // The id of an event is in its record alone.
    let file = URL(filePath: "\(ledger.path)/log/data.mdb")
    var data = try Data(contentsOf: file)
    while let range = data.range(of: Data("purchase-t40".utf8)) { data[range.lowerBound] ^= 1 }
    try data.write(to: file)
    let verified = try ledger.run("verify")
    #expect(verified.status == 1)
    #expect(verified.output.contains("record: position 41: "))
    let saved = ledger.folder.path("saved")
    let found = try ledger.run("salvage", ledger.path, "--into", saved)
    #expect(found.status == 1)
    #expect(try Program.run(["verify"], ledger: saved).status == 0)
    #expect(try Program.run(["events"], ledger: saved).lines.count == 59)
    let again = try ledger.run("salvage", ledger.path, "--into", saved)
    #expect(again.status == 73)
    #expect(again.errors.contains("There is something at"))
    let shown = """
      ```console
      $ daybook salvage shop.daybook --into saved.daybook
      \(found.output.replacing(saved, with: "saved.daybook")
        .replacing(/[0-9a-f]{64}/, with: "5f0c…"))```
      """
    try checkDocument(shown)
  }

  @Test("salvage does not say that names are as they were that nothing proves")
  func unprovenNames() throws {
    let ledger = try TestLedger()
    let lines = (0..<18).map { Sample.purchase("t\($0)", of: "customer-\($0)", at: $0) }
    #expect(try ledger.run("append", input: lines.joined(separator: "\n")).status == 0)
    let file = URL(filePath: "\(ledger.path)/log/data.mdb")
    var data = try Data(contentsOf: file)
    // The row of a transaction after the last whole block of 16: t17 becomes t1w.
    let row = Data([NameKind.transaction.rawValue] + Array("t17".utf8))
    try #require(data.range(of: row) != nil)
    while let range = data.range(of: row) { data[range.upperBound - 1] ^= 64 }
    try data.write(to: file)
    try FileManager.default.removeItem(atPath: "\(ledger.path)/root")
    let found = try ledger.run("salvage", ledger.path, "--into", ledger.folder.path("saved"))
    #expect(found.status == 1)
    #expect(found.lines.contains("positions 1 to 16 are as they were, with their roots"))
    #expect(found.lines.contains("not proven: positions 17–18"))
    #expect(found.output.contains("2 names are not proven"))
    #expect(!found.output.contains("nothing is missing"))
    let json = try ledger.run(
      "salvage", ledger.path, "--into", ledger.folder.path("again"), "--format", "json"
    ).object()
    #expect(json["namesUnproven"] as? Int == 2)
    let positions = try #require(json["unprovenPositions"] as? [[String: Any]])
    #expect(positions.map { $0["from"] as? Int } == [17])
    #expect(positions.map { $0["to"] as? Int } == [18])
    #expect(json["unbrokenThrough"] as? Int == 16)
  }

  private func checkDocument(_ shown: String) throws {
    let page = try Program.packageFolder().appending(path: "docs/durability.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let start = try #require(text.range(of: "<!-- salvage -->\n"))
    let end = try #require(text.range(of: "\n<!-- end of salvage -->"))
    let written = String(text[start.upperBound...].prefix(upTo: end.lowerBound))
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
      try text.replacingCharacters(in: start.upperBound..<end.lowerBound, with: shown)
        .write(to: page, atomically: true, encoding: .utf8)
    } else {
      #expect(written == shown)
    }
  }
}
