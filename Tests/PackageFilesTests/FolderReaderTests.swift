import Foundation
import PackageFiles
import Testing

@Suite("A folder's reader") struct FolderReaderTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The text of each file, by path.
  private func texts(_ reader: FolderReader) throws -> [String: String] {
    var texts: [String: String] = [:]
    var buffer = [UInt8](repeating: 0, count: 100)
    while let entry = try reader.next() {
      guard case .file = entry.kind else { continue }
      let count = try reader.read(into: &buffer)
      texts[String(decoding: entry.path, as: UTF8.self)] =
        String(decoding: buffer[..<count], as: UTF8.self)
    }
    try reader.checkUnchanged()
    return texts
  }

  @Test("reads the folder that was opened, not what takes its path afterwards") func swapped()
    throws
  {
    try folder.run("mkdir -p mine/below other; echo -n mine >mine/below/a; echo -n other >other/a")
    let handle = try FolderHandle(path: folder.path + "/mine")
    try folder.run("mv mine aside; ln -s other mine")
    let opened = try FolderReader(handle, path: folder.path + "/mine")
    #expect(try texts(opened) == ["below/a": "mine"])
    // The control: by its path, the link is followed.
    #expect(try texts(FolderReader(path: folder.path + "/mine")) == ["a": "other"])
  }

  @Test("notices that the folder that was opened changed") func changed() throws {
    try folder.run("mkdir mine; echo -n mine >mine/a")
    let handle = try FolderHandle(path: folder.path + "/mine")
    let reader = try FolderReader(handle, path: folder.path + "/mine")
    while try reader.next() != nil {}
    try reader.checkUnchanged()
    try folder.run("echo -n more >mine/b")
    #expect(throws: PackageFileError.self) { try reader.checkUnchanged() }
  }

  @Test("gives the size of a folder, and removes it, whatever its names are") func oddNames() throws
  {
    try folder.run(
      "mkdir -p \"odd/$(printf 'f\\377')\"; cd odd; for i in 1 2; do cd f* 2>/dev/null; "
        + "echo -n four >\"$(printf 'a\\376')\"; done; ln -s x l")
    let handle = try folder.handle()
    let size = try handle.folder("odd").size()
    #expect(size.files == 2)
    #expect(size.bytes == 4)
    #expect(try handle.folder("odd").namesThatAreNotUTF8() == ["f\u{FFFD}"])
    #expect(throws: FolderError.self) { _ = try handle.folder("odd").names() }
    #expect(try handle.folder("odd").namesInUTF8() == [])
    try handle.removeAll("odd")
    #expect(try folder.names() == [])
  }
}
