import Foundation
import Testing

@Suite("Projections that cannot be used") struct BrokenProjectionsTests {
  enum Fault: String, CaseIterable {
    case file, link, danglingLink, generationIsFile, dataIsFolder, lockIsFolder, foldLockIsFolder
    case garbage, zeroPages, missing

    /// Whether somebody has to ask for a rebuild: nothing else removes what is in the way.
    var asksForRebuild: Bool {
      [.file, .link, .danglingLink, .foldLockIsFolder].contains(self)
    }
  }

  private let ledger: TestLedger
  private var projections: String { ledger.path + "/projections" }
  private var elsewhere: String { ledger.folder.path("elsewhere") }
  private let files = FileManager.default

  init() throws {
    ledger = try TestLedger()
    let lines = (0..<200).map { Sample.purchase("t\($0)", of: "customer-\($0)", at: 0) }
    let appended = try ledger.run("append", input: lines.joined(separator: "\n"))
    try #require(appended.status == 0, "\(appended.errors)")
    try #require(try ledger.run("rebuild").status == 0)
  }

  private func damage(_ fault: Fault) throws {
    let generations = try files.contentsOfDirectory(atPath: projections).filter { Int($0) != nil }
    let live = try #require(generations.first)
    try #require(generations.count == 1)
    let data = "\(projections)/\(live)/data.mdb"
    switch fault {
    case .missing: try files.removeItem(atPath: projections)
    case .file: try put(Data("no folder".utf8), at: projections)
    case .link:
      try files.moveItem(atPath: projections, toPath: elsewhere)
      try files.createSymbolicLink(atPath: projections, withDestinationPath: elsewhere)
    case .danglingLink:
      try files.removeItem(atPath: projections)
      try files.createSymbolicLink(atPath: projections, withDestinationPath: elsewhere)
    case .generationIsFile: try put(Data(), at: "\(projections)/\(live)")
    case .dataIsFolder: try putFolder(at: data)
    case .lockIsFolder: try putFolder(at: "\(projections)/\(live)/lock.mdb")
    case .foldLockIsFolder: try putFolder(at: "\(projections)/fold.lock")
    case .garbage: try put(Data("no projections at all".utf8), at: data)
    case .zeroPages:
      var bytes = try Data(contentsOf: URL(fileURLWithPath: data))
      bytes.resetBytes(in: 8_192..<bytes.count)
      try put(bytes, at: data)
    }
  }

  private func put(_ data: Data, at path: String) throws {
    try files.removeItem(atPath: path)
    try data.write(to: URL(fileURLWithPath: path))
  }

  private func putFolder(at path: String) throws {
    if files.fileExists(atPath: path) { try files.removeItem(atPath: path) }
    try files.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  @Test(
    "stop neither append nor backup nor verify, and rebuild makes them anew",
    arguments: Fault.allCases)
  func broken(_ fault: Fault) throws {
    try damage(fault)
    let verified = try ledger.run("verify")
    #expect([0, 1].contains(verified.status), "\(verified.errors)")
    #expect(verified.output.contains("the log is intact") || verified.status == 0)
    let copy = ledger.folder.path("copy")
    let backup = try ledger.run("backup", copy, "--operator", "kim")
    #expect(backup.status == 0, "\(backup.errors)")
    let appended = try ledger.run(
      "append", input: Sample.purchase("new", of: "somebody-new", at: 5))
    #expect(appended.status == 0, "\(appended.errors)")
    #expect(appended.output.contains("appended 1"))
    // The same again is found in the log, and not doubled.
    let again = try ledger.run("append", input: Sample.purchase("t7", of: "customer-7", at: 0))
    #expect(again.output.contains("appended 0, duplicates 1"))

    let asked = try ledger.run("entitlements", "somebody-new")
    if asked.status != 0 { #expect(asked.errors.contains("`daybook rebuild`"), "\(asked.errors)") }
    if fault.asksForRebuild && fault != .foldLockIsFolder { #expect(asked.status == 75) }
    let rebuilt = try ledger.run("rebuild")
    #expect(rebuilt.status == 0, "\(rebuilt.errors)")
    #expect(try ledger.run("entitlements", "somebody-new").output.contains("map"))
    let sound = try ledger.run("verify")
    #expect(sound.lines.last == "the log and the projections are intact", "\(sound.output)")
    #expect(try ledger.run("rebuild", "--check").status == 0)
  }

  @Test("because they are a link are not followed, and what it leads to stays as it is")
  func link() throws {
    try damage(.link)
    let before = try files.subpathsOfDirectory(atPath: elsewhere)
    let asked = try ledger.run("stats")
    #expect(asked.status == 75)
    #expect(asked.errors.contains("\(projections) is a symbolic link"))
    #expect(try ledger.run("append", input: Sample.notes("note", 4_500)).status == 0)
    #expect(try ledger.run("rebuild").status == 0)
    #expect(try files.subpathsOfDirectory(atPath: elsewhere) == before)
    let found = try files.attributesOfItem(atPath: projections)[.type] as? FileAttributeType
    #expect(found == .typeDirectory)
  }

  @Test("because a killed process left them behind are removed") func leftBehind() throws {
    for generation in ["0", "7", "400"] { try putFolder(at: "\(projections)/\(generation)") }
    #expect(try ledger.run("append", input: Sample.notes("note", 4_500)).status == 0)
    let left = try files.contentsOfDirectory(atPath: projections).filter { Int($0) != nil }
    #expect(left.count == 1)
    #expect(try ledger.run("verify").status == 0)
  }
}
