import Foundation
import LedgerHistories
import Testing

@Suite("The commands about content packages") struct ContentPackageTests {
  private static let atlas = "Tools/samples/atlas"

  private static func event(_ id: String, _ type: String, _ product: String, _ data: String)
    -> String
  {
    #"{"id":"\#(id)","type":"\#(type)","occurredAt":"2026-01-01T00:00:00Z","product":"\#(product)","data":\#(data)}"#
      .replacing(#""product":"","#, with: "")
  }

  private static let catalogue = event(
    "set", "catalog.set", "", #"{"products":[{"product":"map","kind":"nonConsumable"}]}"#)
  private static let offer = event(
    "offer", "content.versionPublished", "com.example.atlas", #"{"contentVersion":"1.0"}"#)

  @Test("a good package is valid, and exits with 0") func good() throws {
    let answer = try Program.run(["content", "validate", Self.atlas])
    #expect(answer.status == 0)
    #expect(answer.output.hasPrefix("valid: com.example.atlas 1.0, 3 files"))
    #expect(answer.errors.contains("there is no ledger here"))
  }

  @Test("every fault is reported with path and advice, and exits with 1") func faults() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      at: folder.file("Contents"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("Contents/out"), withDestinationPath: "/etc")
    try Data("x".utf8).write(to: folder.file("README"))
    let answer = try Program.run(["content", "validate", folder.url.path])
    #expect(answer.status == 1)
    let codes = answer.lines.map { $0.prefix { $0 != ":" } }
    #expect(codes == ["linkOutside", "infoMissing", "stray"])
    #expect(answer.lines.allSatisfy { $0.hasSuffix(".") || $0.contains(". ") })
  }

  @Test("product and version are compared with the ledger") func compared() throws {
    let ledger = try TestLedger()
    let appended = try ledger.run("append", input: Self.catalogue + "\n" + Self.offer + "\n")
    #expect(appended.status == 0, "\(appended.errors)")
    let answer = try ledger.run("content", "validate", Self.atlas, "--format", "json")
    #expect(answer.status == 1)
    let faults = try #require(try answer.object()["faults"] as? [[String: Any]])
    #expect(
      faults.compactMap { $0["code"] as? String } == ["unknownProduct", "versionNotHigher"])
  }

  @Test("in another environment nothing is on offer") func environment() throws {
    let ledger = try TestLedger()
    let line = Self.offer.replacing(#""type""#, with: #""environment":"sandbox","type""#)
    #expect(try ledger.run("append", input: line + "\n").status == 0)
    #expect(try ledger.run("content", "validate", Self.atlas).status == 0)
    let answer = try ledger.run("content", "validate", Self.atlas, "--environment", "sandbox")
    #expect(answer.status == 1)
    #expect(answer.output.contains("versionNotHigher"))
  }

  @Test("what cannot be read says so, each by its code") func unreadable() throws {
    #expect(try Program.run(["content", "inspect", "nowhere"]).status == 66)
    #expect(try Program.run(["content", "inspect", "Package.swift"]).status == 65)
    #expect(
      try Program.run(["content", "validate", Self.atlas, "--ledger", "nowhere"]).status == 66)
    #expect(try Program.run(["content", "build", Self.atlas]).status == 64)
  }

  @Test("a package is built, and not overwritten") func build() throws {
    let folder = try TemporaryFolder()
    let arguments = [
      "content", "build", Self.atlas, "--product", "com.example.atlas", "--version", "1.0", "-o",
    ]
    for name in ["a.pkg", "a.zip"] {
      #expect(try Program.run(arguments + [folder.path(name)]).status == 0)
      let again = try Program.run(arguments + [folder.path(name)])
      #expect(again.status == 73)
      #expect(again.errors.contains("--force"))
      #expect(try Program.run(arguments + [folder.path(name), "--force"]).status == 0)
      let read = try Program.run(["content", "inspect", folder.path(name), "--format", "json"])
      #expect(try read.object()["valid"] as? Bool == true)
    }
    let unnamed = try Program.run(arguments + [folder.path("a.package")])
    #expect(unnamed.status == 64)
    #expect(unnamed.errors.contains(".pkg or .zip"))
  }

  @Test("a folder with faults is not built, and exits with 1") func refused() throws {
    let folder = try TemporaryFolder()
    let answer = try Program.run([
      "content", "build", Self.atlas, "--product", "com.example.atlas", "--version", "one", "-o",
      folder.path("a.pkg"),
    ])
    #expect(answer.status == 1)
    #expect(answer.output.hasPrefix("badVersion"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }
}
