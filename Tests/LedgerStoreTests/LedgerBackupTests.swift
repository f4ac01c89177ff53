import Foundation
import LMDB
import LedgerEvents
import LedgerLog
import LedgerStore
import Testing

@Suite("A backup of a ledger")
struct LedgerBackupTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "daybook-backup-\(UUID().uuidString)").path

  private func ledger() throws -> Ledger {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false)
    let ledger = try Ledger.create(
      at: folder + "/ledger", options: Environment.Options(sync: .onRequest))
    let event = Event(
      id: "e", type: EventType(.sessionStarted),
      occurredAt: Instant(microseconds: 1_700_000_000_000_000), account: "ann")
    try ledger.appendAndWait([EventInput(event: event)])
    return ledger
  }

  private func left() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  @Test("has no name before it is recorded") func recorded() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let ledger = try ledger()
    let copy = folder + "/copy"
    var recorded: LedgerCopy?
    var isThere = true
    let made = try ledger.backUp(
      to: copy,
      recording: { (copied) throws(LedgerError) in
        recorded = copied
        isThere = FileManager.default.fileExists(atPath: copy)
      })
    #expect(recorded == made)
    #expect(!isThere)
    #expect(try left() == ["copy", "ledger"])
  }

  @Test("is not made where it cannot be recorded") func notRecorded() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let ledger = try ledger()
    #expect(throws: LedgerError(.full, "")) {
      try ledger.backUp(
        to: folder + "/copy",
        recording: { (_) throws(LedgerError) in
          throw LedgerError(.full, "The disk is full.")
        })
    }
    #expect(try left() == ["ledger"])
  }

  @Test("does not take the place of what came meanwhile") func taken() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let ledger = try ledger()
    let copy = folder + "/copy"
    #expect(throws: LedgerError(.exists, "")) {
      try ledger.backUp(
        to: copy,
        recording: { (_) throws(LedgerError) in
          #expect(FileManager.default.createFile(atPath: copy, contents: Data("mine".utf8)))
        })
    }
    #expect(try String(contentsOfFile: copy, encoding: .utf8) == "mine")
    #expect(try left() == ["copy", "ledger"])
  }

  @Test("does not put a copy of the keys in the place of the ledger's own files")
  func ownFiles() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let ledger = try ledger()
    let before = try Data(contentsOf: URL(filePath: ledger.keyFile))
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/link", withDestinationPath: "ledger")
    let generation = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder + "/ledger/projections")
        .first { UInt64($0) != nil })
    for name in [
      "ledger/keys", "ledger/log/data.mdb", "ledger/new", "link/keys",
      "ledger/projections/\(generation)/keys",
    ] {
      let error = #expect(throws: LedgerError.self) {
        try ledger.backUpKeys(to: folder + "/" + name)
      }
      #expect(error?.code == .cannotCreate, "\(name)")
      #expect(error?.message.contains(name) == true)
    }
    #expect(try Data(contentsOf: URL(filePath: ledger.keyFile)) == before)
    #expect(!FileManager.default.fileExists(atPath: folder + "/ledger/new"))
    // Beside the ledger's folder, there is nothing of it to lose.
    try ledger.backUpKeys(to: folder + "/ledger.keys")
    #expect(try Data(contentsOf: URL(filePath: folder + "/ledger.keys")) == before)
  }

  @Test("of keys that were moved away fails, even if the ledger has used them") func keysMoved()
    throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let ledger = try ledger()
    try FileManager.default.moveItem(atPath: ledger.keyFile, toPath: folder + "/moved")
    #expect(throws: LedgerError(.keysMissing, "")) {
      try ledger.backUpKeys(to: folder + "/safe.keys")
    }
    #expect(try left() == ["ledger", "moved"])
  }

  @Test("leaves a copy of the keys alone that somebody is still making") func partInUse() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let ledger = try ledger()
    // The number of the process is one that nobody has here: it may be of another pid namespace.
    let part = "safe.keys.999999999-0123456789abcdef.part"
    let lock = try FileLock.tryLock(folder + "/" + part)
    try ledger.backUpKeys(to: folder + "/safe.keys")
    #expect(try left() == ["ledger", "safe.keys", part])
    if let lock { lock.unlock() }
    try ledger.backUpKeys(to: folder + "/safe.keys")
    #expect(try left() == ["ledger", "safe.keys"])
  }

  @Test("keeps the copy of the keys that a restored ledger's other keys would replace")
  func cloneKeys() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let ledger = try ledger()
    let (copy, safe) = (folder + "/copy", folder + "/safe.keys")
    _ = try ledger.backUp(to: copy)
    try ledger.backUpKeys(to: safe)
    _ = try Ledger.restore(copy, to: folder + "/clone", keys: .file(safe))
    let clone = try Ledger(at: folder + "/clone")
    // As long as no key was made since, the copies are the same.
    try clone.backUpKeys(to: safe)
    // Both need a second block of 4,096 keys, and each makes its own.
    for ledger in [ledger, clone] {
      let events = (1...4_200).map { number in
        EventInput(
          event: Event(
            id: Name("e\(number)"), type: EventType(.sessionStarted),
            occurredAt: Instant(microseconds: 1_700_000_000_000_000),
            account: Name("account-\(number)")))
      }
      try ledger.appendAndWait(events)
    }
    try ledger.backUpKeys(to: safe)
    let before = try Data(contentsOf: URL(filePath: safe))
    let error = #expect(throws: LedgerError.self) { try clone.backUpKeys(to: safe) }
    #expect(error?.code == .corrupt)
    #expect(error?.message.contains("other keys") == true, "\(error?.message ?? "")")
    #expect(try Data(contentsOf: URL(filePath: safe)) == before)
    try clone.backUpKeys(to: folder + "/clone.keys")
    try clone.close()
  }

  private func event(_ id: Name) -> EventInput {
    EventInput(
      event: Event(
        id: id, type: EventType(.sessionStarted),
        occurredAt: Instant(microseconds: 1_700_000_000_000_000), account: "ann"))
  }

  /// The root that is kept beside the log in a folder.
  private func keptRoot(_ path: String) throws -> KeptRoot? {
    let log = try EventLog(open: path, access: .readOnly)
    let kept = try log.keptRoot()
    try log.close()
    return kept
  }

  @Test("holds its own root, whatever is appended meanwhile, and so does what becomes of it")
  func root() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let ledger = try ledger()
    let copy = folder + "/copy"
    var isAppended = false
    let made = try ledger.backUp(
      to: copy,
      progress: { _, _ in
        // The log has been copied, and the copy is being verified.
        if isAppended { return }
        isAppended = true
        #expect(throws: Never.self) { try ledger.appendAndWait([event("later")]) }
      })
    #expect(isAppended && made.position == 1 && made.unproven == 0)
    let root = KeptRoot(position: made.position, root: made.root)
    #expect(try keptRoot(copy) == root)
    let file = copy + "/root"
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let more = try ledger.backUp(since: 1, to: folder + "/more")
    let restored = try Ledger.restore(
      copy, increments: [folder + "/more"], to: folder + "/restored",
      keys: .file(ledger.keyFile))
    #expect(restored.position == 2 && restored.root == more.root && restored.unproven == 0)
    #expect(
      try keptRoot(folder + "/restored") == KeptRoot(position: 2, root: more.root))
  }

  @Test("is refused if its root is another one or cannot be read, and restored without one")
  func otherRoot() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let ledger = try ledger()
    let (copy, restored) = (folder + "/copy", folder + "/restored")
    _ = try ledger.backUp(to: copy)
    let file = URL(filePath: copy + "/root")
    let whole = try Data(contentsOf: file)
    // A later root of the same ledger: the log of the backup went back.
    try ledger.appendAndWait([event("later")])
    _ = try ledger.backUp(to: folder + "/next")
    try Data(contentsOf: URL(filePath: folder + "/next/root")).write(to: file)
    var error = #expect(throws: LedgerError.self) {
      try Ledger.restore(copy, to: restored, keys: .file(ledger.keyFile))
    }
    #expect(error?.code == .corrupt && error?.message.contains("up to position 2") == true)
    // One of its two slots is enough.
    var damaged = whole
    damaged[40] ^= 1
    try damaged.write(to: file)
    let made = try Ledger.restore(copy, to: restored, keys: .file(ledger.keyFile))
    #expect(made.unproven == 0)
    damaged[512 + 40] ^= 1
    try damaged.write(to: file)
    error = #expect(throws: LedgerError.self) {
      try Ledger.restore(copy, to: folder + "/second", keys: .file(ledger.keyFile))
    }
    #expect(error?.code == .corrupt && error?.message.contains("/root is damaged") == true)
    try FileManager.default.removeItem(at: file)
    let old = try Ledger.restore(copy, to: folder + "/second", keys: .file(ledger.keyFile))
    #expect(old.unproven == 1)
  }
}
