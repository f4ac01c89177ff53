import Foundation
import Testing

/// How `Tools/install` reads its argument. None of these tests builds anything.
@Suite("The installing script") struct InstallTests {
  private let folder: TemporaryFolder
  /// Tools that show what they are asked to do and fail, so that nothing is made or built anywhere.
  private let tools: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    tools = try TemporaryFolder()
    for name in ["install", "swift"] {
      try Data("#!/bin/sh\necho \"$0 $*\"\nexit 3\n".utf8).write(to: tools.file(name))
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: tools.path(name))
    }
  }

  private func install(_ arguments: [String]) throws -> (status: Int32, said: String) {
    let process = Process()
    process.executableURL = try Program.packageFolder().appending(path: "Tools/install")
    process.arguments = arguments
    process.currentDirectoryURL = folder.url
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.environment = ["PATH": tools.url.path + ":/usr/bin:/bin"]
    try process.run()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, said)
  }

  @Test(
    "a relative folder is one of the caller's",
    arguments: [["mine"], ["--with-pull", "--with-serve", "mine"]])
  func relative(_ arguments: [String]) throws {
    let (status, said) = try install(arguments)
    #expect(status == 3)
    #expect(said.contains("\(folder.url.lastPathComponent)/mine/bin"), "\(said)")
  }

  @Test(
    "more than one folder, an empty one and options are usage errors",
    arguments: [["a", "b"], [""], ["--prefix"], ["-x", "a"]])
  func usage(_ arguments: [String]) throws {
    let (status, said) = try install(arguments)
    #expect(status == 64, "\(said)")
    #expect(said.contains("expected one folder or nothing"), "\(said)")
  }

  @Test("help says which folder is meant") func help() throws {
    let (status, said) = try install(["--help"])
    #expect(
      status == 0 && said.contains("Tools/install [--with-pull] [--with-serve] [PREFIX]"), "\(said)"
    )
  }
}
