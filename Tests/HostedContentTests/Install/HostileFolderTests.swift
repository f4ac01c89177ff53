import Foundation
import HostedContent
import LedgerEvents
import Testing
import TracedProcesses

/// Files that others put into a folder of content must not mislead an install.
@Suite("A hostile folder of content", .serialized)
struct HostileFolderTests {
  private let lab: InstallLab
  private let sandbox: URL
  private let outside: String

  init() throws {
    lab = try InstallLab()
    sandbox = try lab.copy()
    outside = lab.folder.appending(path: "outside").path
    try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
  }

  private var files: FileManager { .default }
  private var root: String { lab.root(sandbox) }

  /// Expects that nothing was written to the target of a link.
  private func expectNothingOutside() throws {
    #expect(try files.contentsOfDirectory(atPath: outside) == [])
  }

  @Test("with a link in the place of a product, of the work area or of the attempts is refused")
  func links() throws {
    for name in [InstallLab.product, ".daybook", ".daybook/attempts"] {
      let path = root + "/" + name
      let aside = lab.folder.appending(path: "aside").path
      try files.moveItem(atPath: path, toPath: aside)
      try files.createSymbolicLink(atPath: path, withDestinationPath: outside)
      let ending = try TracedProcess.run(lab.install("1.1", sandbox))
      #expect(ending.status == 73, "\(name): \(ending.errors)")
      #expect(ending.errors.contains("symbolic link"), "\(ending.errors)")
      try expectNothingOutside()
      try files.removeItem(atPath: path)
      try files.moveItem(atPath: aside, toPath: path)
    }
    #expect(try TracedProcess.run(lab.install("1.1", sandbox)).status == 0)
    #expect(try lab.faultsAtTheEnd(sandbox) == [])
  }

  @Test("with a link or a file in the place of a version is refused, and it stays")
  func version() throws {
    let path = "\(root)/\(InstallLab.product)/1.1"
    try files.createSymbolicLink(atPath: path, withDestinationPath: outside)
    #expect(try TracedProcess.run(lab.install("1.1", sandbox)).status == 73)
    try expectNothingOutside()
    try files.removeItem(atPath: path)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
    #expect(try TracedProcess.run(lab.install("1.1", sandbox)).status == 73)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
  }

  @Test("with a file in the place of the link to the current version is refused, and it stays")
  func current() throws {
    let path = "\(root)/\(InstallLab.product)/current"
    try files.removeItem(atPath: path)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
    let ending = try TracedProcess.run(lab.install("1.1", sandbox))
    #expect(ending.status == 73)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    #expect(!files.fileExists(atPath: "\(root)/\(InstallLab.product)/1.1"))
  }

  @Test("with odd names and odd things in it is audited to its end") func odd() throws {
    let product = "\(root)/\(InstallLab.product)"
    for folder in [root, product, product + "/1.0", product + "/1.0/Contents"] {
      try oddFile("touch", in: folder)
    }
    try files.removeItem(atPath: product + "/current")
    try Data("mine".utf8).write(to: URL(fileURLWithPath: product + "/current"))
    try files.createSymbolicLink(atPath: product + "/2.0", withDestinationPath: outside)
    let command = ["content", "audit", root, "--ledger", lab.ledger(sandbox), "--format", "json"]
    let ending = try TracedProcess.run(command)
    #expect(ending.status == 1, "\(ending.errors)")
    for path in ["o\u{FFFD}", "/o\u{FFFD}", "/current", "/2.0"] {
      #expect(ending.output.contains("\(path.hasPrefix("/") ? InstallLab.product : "")\(path)"))
    }
    #expect(ending.output.contains("\"broken\""), "\(ending.output)")
    #expect(ending.output.contains("\"otherCurrent\""), "\(ending.output)")
    let removal = [
      "content", "remove", root, InstallLab.product, "1.0", "--ledger", lab.ledger(sandbox),
    ]
    try files.removeItem(atPath: product + "/current")
    let removed = try TracedProcess.run(removal)
    #expect(removed.status == 0, "\(removed.errors)")
    #expect(!files.fileExists(atPath: product + "/1.0"))
    for folder in [root, product] { try oddFile("rm", in: folder) }
  }

  /// Makes or removes a file whose name is not UTF-8.
  private func oddFile(_ command: String, in folder: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command + " \"$1/$(printf 'o\\377')\"", "sh", folder]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test("with other content in the place of the version is refused, told, and left as it is")
  func otherContent() throws {
    #expect(try TracedProcess.run(lab.install("1.1", sandbox)).status == 0)
    try lab.makePackage("1.1", files: 2, as: "other")
    let command = lab.install("1.1", sandbox).map {
      $0 == lab.package("1.1") ? lab.package("other") : $0
    }
    let ending = try TracedProcess.run(command)
    #expect(ending.status == 73)
    #expect(ending.errors.contains("with other content"), "\(ending.errors)")
    #expect(try lab.faultsInSight(sandbox) == [])
    #expect(try lab.events(sandbox).last?.data.value("error")?.integer("code") == 7)
    #expect(try lab.faultsOfAudit(sandbox) == [])
  }

  @Test("of another customer, or of another device, is refused")
  func owner() throws {
    for (option, other) in [("--account", "brother"), ("--device", "tablet")] {
      var command = lab.install("1.1", sandbox)
      guard let index = command.firstIndex(of: option) else { continue }
      command[index + 1] = other
      let ending = try TracedProcess.run(command)
      #expect(ending.status == 65)
      #expect(ending.errors.contains("account keeper on device phone"), "\(ending.errors)")
    }
    #expect(try lab.events(sandbox).count == 3)
  }

  @Test("that somebody else is changing is busy") func locked() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
    process.arguments = [root + "/.daybook/lock", "cat"]
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data("held\n".utf8))
    #expect(output.fileHandleForReading.availableData == Data("held\n".utf8))
    let ending = try TracedProcess.run(lab.install("1.1", sandbox))
    #expect(ending.status == 75)
    #expect(ending.errors.contains("another process"), "\(ending.errors)")
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(try TracedProcess.run(lab.install("1.1", sandbox)).status == 0)
    #expect(try lab.faultsAtTheEnd(sandbox) == [])
  }

  @Test("that two installs want at once ends well for both, or says busy to one") func together()
    throws
  {
    let program = try TracedProcess.executable()
    let processes = try ["1.1", "1.1"].map { version in
      let process = Process()
      process.executableURL = URL(fileURLWithPath: program)
      process.arguments = lab.install(version, sandbox)
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      return process
    }
    for process in processes {
      process.waitUntilExit()
      #expect([0, 75].contains(process.terminationStatus))
    }
    #expect(processes.contains { $0.terminationStatus == 0 })
    #expect(try lab.faultsAtTheEnd(sandbox) == [])
  }

  @Test("that is missing is made; without a parent, as a file or without rights it is refused")
  func roots() throws {
    func install(_ root: String) throws -> ProcessEnding {
      try TracedProcess.run(
        ["content", "install", lab.package("1.1"), "--into", root, "--ledger", lab.ledger(sandbox)]
          + InstallLab.owner)
    }
    #expect(try install(sandbox.appending(path: "new").path).status == 0)
    #expect(try install(sandbox.appending(path: "no/parent").path).status == 66)
    let file = sandbox.appending(path: "file")
    try Data("mine".utf8).write(to: file)
    #expect(try install(file.path).status == 73)
    #expect(try String(contentsOf: file, encoding: .utf8) == "mine")
    if files.fileExists(atPath: "/sys/kernel") {
      let ending = try install("/sys/kernel")
      #expect(ending.status == 74)
      #expect(ending.errors.contains("writable"), "\(ending.errors)")
    }
  }

  @Test("is not touched where there is no ledger") func noLedger() throws {
    let root = sandbox.appending(path: "new").path
    let ending = try TracedProcess.run(
      [
        "content", "install", lab.package("1.1"), "--into", root, "--ledger",
        sandbox.appending(path: "none").path,
      ] + InstallLab.owner)
    #expect(ending.status == 66)
    #expect(ending.errors.contains("daybook init"), "\(ending.errors)")
    #expect(!files.fileExists(atPath: root))
  }

  @Test(
    "is not left by the name of a product or a version",
    arguments: [
      ("..", "1.0"), ("../outside", "1.0"), ("a/b", "1.0"), (".hidden", "1.0"), ("current", "1.0"),
      (".daybook", "1.0"), ("com.example.maps", "../../outside"), ("com.example.maps", "current"),
      ("COM.example.Maps", "1.0"), (String(repeating: "a", count: 300), "1.0"), ("a\\b", "1.0"),
    ])
  func names(_ product: String, _ version: String) throws {
    try lab.makePackage("1.1", files: 1, as: "named")
    try InstallLab.info(product, version).write(
      to: URL(fileURLWithPath: lab.package("named") + "/ContentInfo.plist"))
    let before = try files.subpathsOfDirectory(atPath: root).sorted()
    let ending = try TracedProcess.run(
      ["content", "install", lab.package("named"), "--into", root, "--ledger", lab.ledger(sandbox)]
        + InstallLab.owner)
    #expect(ending.status == 65, "\(ending.errors)")
    #expect(try files.subpathsOfDirectory(atPath: root).sorted() == before)
    try expectNothingOutside()
    #expect(try lab.events(sandbox).count == 3)
  }
}

extension JSONValue {
  /// Returns an integer member of an object.
  func integer(_ name: String) -> Int64? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value.integer
  }
}
