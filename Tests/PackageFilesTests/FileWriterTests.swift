import Foundation
import PackageFiles
import Testing

@Suite("A file writer") struct FileWriterTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("writes after what was written, and after a cut") func order() throws {
    let file = try folder.handle().makeFile("a")
    try file.write([UInt8]("one two".utf8).span)
    try file.cut(to: 4)
    try file.write([UInt8]("three".utf8).span)
    try file.write([UInt8]().span)
    try file.beginSync(from: 0, bytes: 9)
    try file.sync()
    try file.finish()
    #expect(try folder.text("a") == "one three")
  }

  @Test("takes no name that is taken, by a link to nothing either") func taken() throws {
    try folder.write("mine", to: "file")
    try folder.link("link", to: "nowhere")
    let handle = try folder.handle()
    for name in ["file", "link"] {
      #expect(try failure { _ = try handle.makeFile(name) }?.kind == .exists)
    }
    #expect(try folder.text("file") == "mine")
    #expect(try folder.names() == ["file", "link"])
  }

  @Test("opens a file that is there, and follows no link to it") func there() throws {
    try folder.write("old and long", to: "file")
    try folder.link("link", to: "file")
    let handle = try folder.handle()
    #expect(try failure { _ = try handle.fileThere("missing") }?.kind == .missing)
    #expect(try failure { _ = try handle.fileThere("link") }?.kind == .notFolder)
    let file = try handle.fileThere("file")
    try file.cut(to: 0)
    try file.write([UInt8]("new".utf8).span)
    try file.finish()
    #expect(try folder.text("file") == "new")
  }

  @Test("keeps a private file from everybody else from the first moment on") func rights() throws {
    let handle = try folder.handle()
    _ = try handle.makeFile("secret", isPrivate: true)
    _ = try handle.makeFile("open")
    #expect(try folder.rights(of: "secret") == 0o600)
    // The process's umask removes some permissions and never adds one.
    let open = try #require(try folder.rights(of: "open"))
    #expect(open & 0o111 == 0 && open & 0o600 == 0o600)
  }

  @Test(
    "says that the disk is full",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func full() throws {
    let file = try FolderHandle(path: "/dev").fileThere("full")
    let failure = try failure { try file.write([1, 2, 3].span) }
    #expect(failure?.kind == .full)
    #expect(failure?.operation == "write")
    #expect(failure?.name == "full")
    #expect(failure?.description.hasPrefix("full: write: ") == true)
  }

  @Test("reads back as much as was asked for, and does not wait for a pipe's writer")
  func contents() throws {
    try folder.write("0123456789", to: "file")
    try folder.link("link", to: "file")
    try folder.run("mkfifo pipe")
    let handle = try folder.handle()
    #expect(try handle.contents(of: "file", bytesMax: 4) == [UInt8]("0123".utf8))
    #expect(try handle.contents(of: "file", bytesMax: 64) == [UInt8]("0123456789".utf8))
    #expect(try handle.contents(of: "missing", bytesMax: 4) == nil)
    #expect(try handle.contents(of: "pipe", bytesMax: 4) == [])
    #expect(try failure { _ = try handle.contents(of: "link", bytesMax: 4) }?.kind == .notFolder)
  }
}

/// Returns the folder error that the body throws; nil if it throws none.
func failure(_ body: () throws -> Void) throws -> FolderError? {
  do {
    try body()
    return nil
  } catch let error as FolderError {
    return error
  }
}
