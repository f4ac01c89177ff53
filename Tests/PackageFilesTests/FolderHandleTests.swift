import Foundation
import PackageFiles
import Testing

@Suite("A folder's handle") struct FolderHandleTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("refuses what is no single name", arguments: ["", ".", "..", "a/b", "/a", "a\0b"])
  func names(name: String) throws {
    let handle = try folder.handle()
    let other = try folder.handle()
    try handle.makeFolder("folder")
    let calls: [(String, (borrowing FolderHandle) throws(FolderError) -> Void)] = [
      ("make a file", { (it) throws(FolderError) in _ = try it.makeFile(name) }),
      ("open a file", { (it) throws(FolderError) in _ = try it.fileThere(name) }),
      ("read", { (it) throws(FolderError) in _ = try it.contents(of: name, bytesMax: 1) }),
      ("make a folder", { (it) throws(FolderError) in try it.makeFolder(name) }),
      ("open a folder", { (it) throws(FolderError) in _ = try it.folder(name) }),
      ("open or make", { (it) throws(FolderError) in _ = try it.folderMade(name) }),
      ("link", { (it) throws(FolderError) in try it.makeLink(name, to: "a") }),
      ("read a link", { (it) throws(FolderError) in _ = try it.linkTarget(name) }),
      ("look", { (it) throws(FolderError) in _ = try it.kind(of: name) }),
      ("replace", { (it) throws(FolderError) in try it.replace(name, by: "folder") }),
      ("replace by", { (it) throws(FolderError) in try it.replace("new", by: name) }),
      ("remove a file", { (it) throws(FolderError) in try it.removeFile(name) }),
      ("remove a folder", { (it) throws(FolderError) in try it.removeFolder(name) }),
      ("remove all", { (it) throws(FolderError) in try it.removeAll(name) }),
      ("lock", { (it) throws(FolderError) in _ = try it.lock(name) }),
    ]
    for (operation, call) in calls {
      #expect(try failure { try call(handle) }?.number == EINVAL, "\(operation)")
    }
    #expect(
      try failure { try handle.move(name, to: other, as: "b") }?.number == EINVAL)
    #expect(
      try failure { try handle.move("folder", to: other, as: name) }?.number == EINVAL)
    #expect(
      try failure {
        try handle.makeHardLink(to: name, in: other, as: "b")
      }?.number == EINVAL)
    #expect(try folder.names() == ["folder"])
  }

  @Test("follows no link to a folder, and removes a link and not what it leads to")
  func links() throws {
    let outside = try TemporaryFolder()
    try outside.write("alive", to: "canary")
    try folder.link("link", to: outside.path)
    let handle = try folder.handle()
    #expect(try failure { _ = try handle.folder("link") }?.kind == .notFolder)
    #expect(try failure { _ = try handle.folderMade("link") }?.kind == .notFolder)
    #expect(try handle.linkTarget("link") == outside.path)
    try handle.makeFolder("below")
    try handle.folder("below").makeLink("link", to: outside.path)
    try handle.removeAll("below")
    try handle.removeAll("link")
    try handle.removeAll("missing")
    #expect(try folder.names() == [])
    #expect(try outside.text("canary") == "alive")
  }

  @Test("lists names by their bytes, and fails where one is no UTF-8") func listing() throws {
    for name in ["b", "a", "é", "B", ".hidden"] { try folder.write("", to: name) }
    let handle = try folder.handle()
    #expect(try handle.names() == [".hidden", "B", "a", "b", "é"])
    try folder.run(#"touch "$(printf '\377')""#)
    #expect(try failure { _ = try handle.names() }?.number == EILSEQ)
    try handle.removeContents()
    #expect(try folder.names() == [])
  }

  @Test("replaces at once, and moves only to where nothing is") func moves() throws {
    try folder.write("old", to: "a")
    try folder.write("new", to: "b")
    let handle = try folder.handle()
    try handle.replace("a", by: "b")
    #expect(try folder.text("a") == "new")
    #expect(try folder.names() == ["a"])
    try handle.makeFolder("there")
    let there = try handle.folder("there")
    try folder.write("taken", to: "there/a")
    #expect(try failure { try handle.move("a", to: there, as: "a") }?.kind == .exists)
    #expect(try folder.text("a") == "new")
    #expect(try folder.text("there/a") == "taken")
    try handle.move("a", to: there, as: "c")
    #expect(try there.names() == ["a", "c"])
    #expect(try failure { try handle.move("a", to: there, as: "d") }?.kind == .missing)
  }

  @Test("gives a file a second name, and counts what lies below") func hardLinks() throws {
    try folder.write("12345", to: "a")
    let handle = try folder.handle()
    let there = try handle.folderMade("there")
    try handle.makeHardLink(to: "a", in: there, as: "b")
    #expect(try failure { try handle.makeHardLink(to: "a", in: there, as: "b") }?.kind == .exists)
    try there.makeLink("c", to: "b")
    let size = try handle.size()
    #expect(size.bytes == 10)
    #expect(size.files == 3)
    try handle.syncFolders()
    try handle.syncFileSystem()
    #expect(try failure { try handle.removeFolder("there") }?.kind == .notEmpty)
  }

  @Test("gives a lock to one at a time") func locks() throws {
    let handle = try folder.handle()
    do {
      let lock = try handle.lock("lock")
      let isHeld = lock != nil
      #expect(isHeld)
      let second = try folder.handle().lock("lock") != nil
      #expect(!second)
      withExtendedLifetime(lock) {}
    }
    let again = try handle.lock("lock") != nil
    #expect(again)
    try folder.link("link", to: "lock")
    #expect(try failure { _ = try handle.lock("link") }?.kind == .notFolder)
  }

  #if os(Linux)
    @Test("gives a lock again even if a child has a copy of its descriptor, which is about to go")
    func lockAfterFork() throws {
      let handle = try folder.handle()
      var copy: Int32 = -1
      do {
        let lock = try handle.lock("lock")
        // What a child has between `fork` and `exec`.
        let files = FileManager.default
        let opened = try files.contentsOfDirectory(atPath: "/proc/self/fd").first {
          (try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))
            == folder.path + "/lock"
        }
        copy = dup(try #require(opened.flatMap { Int32($0) }))
        withExtendedLifetime(lock) {}
      }
      defer { close(copy) }
      let again = try handle.lock("lock") != nil
      #expect(again)
    }
  #endif

  @Test("says what is at a path, over links") func paths() throws {
    try folder.write("x", to: "file")
    try folder.link("link", to: "file")
    try folder.link("nowhere", to: "missing")
    let file = try #require(try PathStatus("\(folder.path)/file"))
    let link = try #require(try PathStatus("\(folder.path)/link"))
    #expect(file.kind == .file)
    #expect(file.isSame(as: link))
    #expect(try PathStatus(folder.path)?.kind == .folder)
    #expect(try PathStatus("/dev/null")?.kind == .stream)
    #expect(try PathStatus("\(folder.path)/nowhere") == nil)
    #expect(try PathStatus("\(folder.path)/missing") == nil)
    #expect(try failure { _ = try PathStatus("\(folder.path)/file/below") }?.kind == .notFolder)
    #expect(try failure { _ = try FolderHandle(path: "\(folder.path)/file") }?.kind == .notFolder)
    #expect(try failure { _ = try FolderHandle(path: "\(folder.path)/missing") }?.kind == .missing)
    #expect(try failure { try FolderHandle.make(path: folder.path) }?.kind == .exists)
  }
}
