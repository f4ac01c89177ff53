import Foundation
import HostedContent
import LedgerEvents
import Testing

/// Packages by other programs that ours reads, and the other way round.
@Suite("Other programs") struct ForeignToolTests {
  /// Returns the path of a program, or prints that the test is skipped.
  private func tool(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let found = path.split(separator: ":").map { "\($0)/\(name)" }.first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
    if found == nil { print("SKIPPED: \(name) is not on this machine") }
    return found
  }

  /// Runs a program in a folder and returns its standard output.
  @discardableResult
  private func run(_ tool: String, _ arguments: [String], in folder: String) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: tool)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = ["LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(tool) \(arguments)")
    return String(decoding: output, as: UTF8.self)
  }

  private func content(_ lab: PackageLab) throws -> String {
    let folder = try lab.goodFolder()
    try lab.write("good/Contents/caf\u{E9}.txt", "accent")
    try lab.write("good/Contents/sub/big.bin", [UInt8](repeating: 65, count: 3_000_000))
    try lab.link("good/Contents/l", to: "sub/b.bin")
    return folder
  }

  @Test("bsdtar's packages are read", arguments: ["xar", "zip"])
  func bsdtarsPackages(format: String) throws {
    guard let bsdtar = tool("bsdtar") else { return }
    let lab = try PackageLab()
    let folder = try content(lab)
    for names in [["ContentInfo.plist", "Contents"], ["."]] where format == "zip" || names[0] != "."
    {
      let path = lab.path("package-\(names.count)")
      try run(bsdtar, ["--format=\(format)", "-cf", path] + names, in: folder)
      let report = try PackageInspection.judge(path: path)
      #expect(report.faults == [])
      #expect(report.digest == (try PackageInspection.judge(path: folder)).digest)
    }
  }

  @Test("zip's packages are read") func zipsPackages() throws {
    guard let zip = tool("zip") else { return }
    let lab = try PackageLab()
    let folder = try content(lab)
    try run(zip, ["-qry", lab.path("package.zip"), "."], in: folder)
    let report = try PackageInspection.judge(path: lab.path("package.zip"))
    #expect(report.faults == [])
    #expect(report.digest == (try PackageInspection.judge(path: folder)).digest)
  }

  @Test("bsdtar unpacks what is built", arguments: [PackageFormat.pkg, .zip])
  func bsdtarUnpacks(format: PackageFormat) throws {
    guard let bsdtar = tool("bsdtar") else { return }
    let lab = try PackageLab()
    let folder = try content(lab)
    _ = try PackageBuilder(folder: folder, product: "atlas", version: "1.0", format: format)
      .build(to: lab.path("package"))
    try FileManager.default.createDirectory(
      atPath: lab.path("out"), withIntermediateDirectories: false)
    try run(bsdtar, ["-xf", lab.path("package")], in: lab.path("out"))
    let built = try PackageInspection.judge(path: lab.path("package"))
    #expect(built.digest == (try PackageInspection.judge(path: lab.path("out"))).digest)
  }

  @Test("unzip finds no fault with what is built") func unzipFinds() throws {
    guard let unzip = tool("unzip") else { return }
    let lab = try PackageLab()
    _ = try PackageBuilder(
      folder: try content(lab), product: "atlas", version: "1.0", format: .zip
    ).build(to: lab.path("package.zip"))
    try run(unzip, ["-tqq", lab.path("package.zip")], in: lab.path)
  }

  @Test("sha256sum over the sorted files gives the digest") func sha256sumOver() throws {
    guard let shell = tool("bash"), tool("sha256sum") != nil else { return }
    let lab = try PackageLab()
    let folder = try lab.goodFolder()
    let output = try run(
      shell,
      [
        "-c",
        "find ContentInfo.plist Contents -type f -print0 | LC_ALL=C sort -z "
          + "| xargs -0 sha256sum -z | sha256sum",
      ], in: folder)
    let digest = try PackageInspection.judge(path: folder).digest
    #expect(output.hasPrefix(digest.hexadecimal))
  }
}
