import Foundation
import LedgerHistories
import Testing

@Suite("import receipt") struct ReceiptFileImportTests {
  private let ledger: TestLedger
  private let file = ["import", "receipt", "Tools/samples/sample.receipt"]
  private let believed = ["--app", "com.example.tides", "--root", "Tools/samples/sample-root.pem"]
  private let answer = ["import", "verify-receipt", "Tools/samples/sample-receipt.json"]
  /// The SHA-256 of a certificate that signed nothing here.
  private let otherPin = String(repeating: "ab", count: 32)

  init() throws { ledger = try TestLedger() }

  /// The events of the ledger from a position on.
  private func events(after count: Int = 0) throws -> [[String: Any]] {
    try ledger.events().dropFirst(count).map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
    }
  }

  private func types(after count: Int) throws -> [String] {
    try events(after: count).compactMap { $0["type"] as? String }
  }

  /// Whether the imports of a ledger were verified.
  private func verified() throws -> [Bool?] {
    try events().filter { $0["type"] as? String == "import.received" }
      .map { ($0["data"] as? [String: Any])?["verified"] as? Bool }
  }

  @Test("a receipt is verified, and the same one again appends nothing") func twice() throws {
    let arguments = file + believed + ["--account", "ada", "--format", "json"]
    let first = try ledger.run(arguments)
    #expect(first.status == 0, "\(first.errors)")
    #expect(try first.object()["appended"] as? Int ?? 0 > 5)
    #expect(try ledger.run(arguments).object()["appended"] as? Int == 0)
    #expect(try verified() == [true])
  }

  @Test("a receipt adds nothing to the answer about it") func answered() throws {
    #expect(try ledger.run(answer + ["--account", "ada"]).status == 0)
    let count = try ledger.events().count
    let run = try ledger.run(file + believed + ["--account", "ada"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try types(after: count) == ["import.received"])
  }

  @Test("a receipt as bytes is the same one") func bytes() throws {
    let root = try #require(packageRoot())
    let text = try Data(contentsOf: root.appending(path: "Tools/samples/sample.receipt"))
    let der = try #require(Data(base64Encoded: text, options: .ignoreUnknownCharacters))
    let raw = try ledger.folder.write("raw", Array(der))
    #expect(try ledger.run(file + believed).status == 0)
    let count = try ledger.events().count
    let run = try ledger.run(["import", "receipt", raw] + believed)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try types(after: count) == ["import.received"])
    let piped = try ledger.run(
      ["import", "receipt", "-"] + believed, input: String(decoding: text, as: UTF8.self))
    #expect(piped.status == 0, "\(piped.errors)")
  }

  @Test("what cannot be verified is refused with the reason") func refused() throws {
    let cases: [([String], String)] = [
      (["--app", "com.example.tides"], "which is not a trusted root"),
      (
        ["--app", "com.example.other"] + believed.suffix(2), "expected the app com.example.other"
      ),
      (
        believed + ["--environment", "sandbox"],
        "expected the environment Sandbox, found Production"
      ),
      (believed.prefix(2) + ["--pin", otherPin], "which is not a trusted root"),
    ]
    for (arguments, reason) in cases {
      let run = try ledger.run(file + arguments)
      #expect(run.status == 65, "\(arguments)")
      #expect(run.errors.contains("sample.receipt: "), "\(run.errors)")
      #expect(run.errors.contains(reason), "\(run.errors)")
    }
    #expect(try ledger.events().isEmpty)
  }

  @Test("with --unverified, it is recorded as not verified") func unverified() throws {
    let run = try ledger.run(file + ["--unverified"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try verified() == [false])
    #expect(try ledger.run(file + believed).status == 0)
    #expect(try verified() == [false, true])
    let other = try ledger.run(file + ["--unverified", "--app", "com.example.other"])
    #expect(other.status == 65)
  }

  @Test("options that do not belong together are a usage error") func usage() throws {
    let cases: [([String], String)] = [
      (file, "import receipt needs --app"),
      (file + believed + ["--unverified"], "--root verifies, and --unverified does not"),
      (file + believed + ["--asked-at", "2026-01-01"], "a receipt has its own date"),
      (file + believed + ["--app-apple-id", "1"], "--app-apple-id goes with notifications"),
      (file + believed + ["--yes"], "--yes goes with storekit-config"),
      (file + believed + ["--pin", "abc"], "64 hexadecimal digits"),
      (answer + ["--unverified"], "--unverified goes with signed data"),
      (answer + ["--root", "a"], "--root goes with signed data"),
      (answer + ["--pin", otherPin], "--pin goes with signed data"),
    ]
    for (arguments, reason) in cases {
      let run = try ledger.run(arguments)
      #expect(run.status == 64, "\(arguments)")
      #expect(run.errors.contains(reason), "\(run.errors)")
    }
    let root = try ledger.run(file + ["--app", "a", "--root", "Tools/samples/sample.receipt"])
    #expect(root.status == 65)
    #expect(root.errors.contains("Pass a certificate in DER"), "\(root.errors)")
  }

  @Test("a dry run prints the events of a receipt and appends nothing") func dryRun() throws {
    let printed = try ledger.run(file + believed + ["--dry-run"])
    #expect(printed.status == 0)
    #expect(printed.lines.first?.contains(#""verified":true"#) == true)
    #expect(try ledger.events().isEmpty)
  }
}
