import Foundation
import LedgerEvents
import LedgerHistories
import LocalTime
import Testing

/// The JSON output of each command, in golden files and in `docs/commands.md`.
/// `UPDATE_GOLDEN=1 swift test --filter DocumentationTests` updates them.
@Suite("The documentation of commands") struct DocumentationTests {
  private struct Sample {
    let name: String
    let arguments: [String]
    /// The exit code of the program.
    let status: Int32

    init(_ name: String, _ arguments: String, status: Int32 = 0) {
      self.name = name
      self.status = status
      self.arguments = arguments.split(separator: " ").map(String.init)
    }

    /// Whether the answer is a table. Otherwise, it is JSON.
    var isTable: Bool { arguments.contains("table") }

    /// The command line as a user would type it.
    var command: String { "$ daybook " + arguments.joined(separator: " ") }
  }

  private static let customer = "7dbfa8c6-5d5f-4894-affd-368a132fb789"
  private static let incidents = "Tools/samples/incidents"

  /// The samples, in the order in which they are run.
  private static let samples = [
    Sample(
      "append-dry-run", "append --dry-run \(incidents)/copied-too-late.jsonl --format json"),
    Sample(
      "append",
      "append \(incidents)/alps-as-it-should-be.jsonl \(incidents)/copied-too-late.jsonl --format json"
    ),
    Sample(
      "import",
      "import verify-receipt Tools/samples/sample-receipt.json --account keeper-7 --format json"),
    Sample("events", "events --account \(customer) --type download.finished"),
    Sample(
      "events-table",
      "events --since 2023-05-04 --until 2023-05-05 --tz Europe/Berlin --limit 3 --format table"),
    Sample("events-by", "events --by type --limit 20 --format json"),
    Sample("events-sum", "events --sum price,quantity --by product --format json"),
    Sample("customers", "customers --search keeper --format json"),
    Sample(
      "customer", "customer 480000900000118 --events 2 --at 2026-02-15T00:00:00Z --format json"),
    Sample(
      "entitlements", "entitlements \(customer) --at 2023-07-01T00:00:00Z --format json"),
    Sample("holders", "holders maps --format json"),
    Sample("installed", "installed \(customer) --format json"),
    Sample("transactions", "transactions \(customer) --format json"),
    Sample("explain", "explain \(customer) maps --at 2023-07-01T00:00:00Z --format json"),
    Sample("findings", "findings --severity critical --format json"),
    Sample(
      "findings-incidents",
      "findings --severity critical --incidents --explain --limit 1 --format json"),
    Sample("findings-by", "findings --by rule --format json"),
    Sample("health", "health --by appVersion --format json"),
    Sample("catalog", "catalog --format json"),
    Sample(
      "catalog-set",
      "catalog set Tools/samples/catalogue.json --effective 2026-02-01T00:00:00Z --dry-run "
        + "--format json"),
    Sample("replay", "replay \(incidents)/copied-too-late.jsonl --until finding --format jsonl"),
    Sample(
      "replay-what-if",
      "replay \(incidents)/copied-too-late.jsonl --move 16 after 18 --format jsonl"),
    Sample(
      "simulate", "simulate Tests/Scenarios/incidents/finished-before-the-download.json --outcome"),
    Sample(
      "explore",
      "explore Tests/Scenarios/explore/two-maps.json --policy finish-at-once --shrink --format json",
      status: 1),
    Sample(
      "storeitem",
      "storeitem https://itunes.apple.com/us/app/ibooks/id364709193?mt=8 id496963922 --format json"),
    Sample(
      "grant",
      "grant keeper-7 --entitlement pro --operator kim --reason ticket-4711 "
        + "--occurred-at 2026-09-01T09:00:00Z --id 4711-1 --format json"
    ),
    Sample(
      "withdraw",
      "withdraw keeper-7 --entitlement pro --operator kim --reason mistaken "
        + "--occurred-at 2026-09-01T09:05:00Z --id 4711-2 --format json"
    ),
    Sample(
      "assign",
      "assign 480000900000118 keeper-7 --operator kim --reason found-the-owner "
        + "--occurred-at 2026-09-01T09:08:00Z --id 4711-7 --dry-run"),
    Sample(
      "link",
      "link keeper-7 \(customer) --operator kim --reason one-person "
        + "--occurred-at 2026-09-01T09:10:00Z --id 4711-3 --format json"),
    Sample(
      "transfer",
      "transfer keeper-7 keeper-8 --new-account --operator kim --reason sold "
        + "--occurred-at 2026-09-01T09:15:00Z --id 4711-4 --format json"
    ),
    Sample("note", "note keeper-8 called-about-it --operator kim --id 4711-5 --format json"),
    Sample("diff", "diff --from 77 --to 80 --format json"),
    Sample("content-inspect", "content inspect Tools/samples/atlas --format json"),
    Sample(
      "content-validate",
      "content validate Tools/samples/atlas --product com.example.globe --format json", status: 1),
    Sample(
      "content-publish",
      "content publish --product example.trailmaps.region.alps --version 2.2 --format json"),
    Sample("content-updates", "content updates --format json"),
    Sample("rebuild", "rebuild --check --format json"),
    Sample("rebuild-report", "rebuild --check --report --format json"),
    Sample("verify", "verify --format json"),
    Sample("stats", "stats --format json"),
    Sample("types", "types download.progressed --format json"),
    Sample("rules", "rules finished-before-install --format json"),
    Sample("version", "version --format json"),
    // Last, because they change the ledger of the other samples.
    Sample("key-new", "key new --name books.example.com/shop --out shop.key --format json"),
    Sample("key-show", "key show shop.key --format json"),
    Sample("key-new-witness", "key new --witness --name w1.example.org --out w1.key --format json"),
    Sample(
      "checkpoint", "checkpoint --key shop.key --at-position 30 --out 30.checkpoint --format json"),
    Sample("prove", "prove 15 --key shop.key --size 70 --out 15.tlog-proof --format json"),
    Sample("prove-from", "prove --from 30 --to 70 --key shop.key --out 30-70.proof --format json"),
    Sample("check", "check 15.tlog-proof --key shop.key --format json"),
    Sample("check-from", "check 30-70.proof --from 30.checkpoint --key shop.key --format json"),
    Sample(
      "verify-checkpoint", "verify --checkpoint 30.checkpoint --key shop.key --format json"),
    Sample(
      "witness-request", "witness request 30.checkpoint --old 0 --out 30.request --format json"),
    Sample(
      "witness-cosign",
      "witness cosign 30.request --key w1.key --log shop.key --state w1.checkpoints --new-state "
        + "--out 30.w1 --format json"),
    Sample("witness-add", "witness add 30.checkpoint 30.w1 --witness w1.key --format json"),
    Sample(
      "check-witness",
      "check 30.checkpoint --key shop.key --witness w1.key --require 1 --remember seen.checkpoints "
        + "--format json"),
    Sample(
      "token-create",
      "token create support --scope read --scope operate --operator kim --expires 2999-01-01 "
        + "--format json"),
    Sample("token-list", "token list --format json"),
    Sample("token-revoke", "token revoke support --format json"),
    Sample("answer-key-new", "answer-key new --format json"),
    Sample("answer-key-list", "answer-key list --format json"),
    Sample(
      "webhook-create",
      "webhook create shop --url https://shop.example.com/hooks --type entitlement.changed "
        + "--type transaction.refund* --format json"),
    Sample("webhook-test", "webhook test shop --format json"),
    Sample("webhook-list", "webhook list --format json"),
    Sample("webhook-deliveries", "webhook deliveries shop --format json"),
    Sample(
      "content-install",
      "content install Tools/samples/atlas --into \(installed) --account keeper-7 --device phone-1 --format json"
    ),
    Sample("content-list", "content list \(installed) --digest --format json"),
    Sample("content-audit", "content audit \(installed) --format json"),
    Sample(
      "export",
      "export \(exported) --to 80 --operator kim --reason books-of-march --answer json"),
    Sample("backup", "backup \(copied) --operator kim --format json"),
    Sample(
      "restore", "restore \(copied) --without-keys --ledger \(restored) --format json"),
    Sample("salvage", "salvage \(restored) --into \(saved) --format json", status: 1),
    Sample(
      "erase",
      "erase keeper-8 --yes --operator kim --reason request-88 --occurred-at 2026-09-01T10:00:00Z "
        + "--id 4711-6 --format json"),
  ]

  /// A folder that is created beside the ledger.
  private static let installed = "installed-content"
  private static let exported = "march.sqlite"
  private static let copied = "backup-of-march"
  private static let restored = "restored.daybook"
  private static let saved = "saved.daybook"

  /// The files that are created beside the ledger.
  private static let written = [
    installed, exported, copied, restored, saved, "shop.key", "30.checkpoint", "15.tlog-proof",
    "30-70.proof", "w1.key", "w1.checkpoints", "30.request", "30.w1", "seen.checkpoints",
  ]

  private static var isUpdating: Bool {
    ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1"
  }

  @Test("each command's JSON is what its file says, and what the page shows")
  func samples() throws {
    let root = try #require(packageRoot())
    let page = root.appending(path: "docs/commands.md")
    var text = try String(contentsOf: page, encoding: .utf8)
    let ledger = try TestLedger()
    var steady = SteadyText()
    for sample in Self.samples {
      let answer = try ledger.run(
        sample.arguments.map { Self.written.contains($0) ? ledger.folder.path($0) : $0 })
      #expect(answer.status == sample.status, "\(sample.name): \(answer.errors)")
      var said = answer.output.replacing(ledger.folder.path(Self.exported), with: Self.exported)
      // The last step of a replay has the most information. For an edited replay, the difference
      // follows.
      if sample.name.hasPrefix("replay") { said = answer.lines.last ?? "" }
      said = steady.replacing(said.replacing(ledger.folder.url.path + "/", with: ""))
      if sample.isTable {
        text = try replacing("sample: \(sample.name)", "end of sample", in: text) {
          "```console\n\(sample.command)\n\(said)```\n"
        }
        continue
      }
      let golden = PrettyJSON.pretty(Self.steady(said))
      try check(golden, root.appending(path: "Tests/CommandLineTests/Golden/\(sample.name).json"))
      text = try inserting(golden, of: sample, into: text)
    }
    text = try replacing("times", "end of times", in: text, by: Self.timesTable)
    if Self.isUpdating { try Data(text.utf8).write(to: page) }
    #expect(
      text == (try String(contentsOf: page, encoding: .utf8)),
      "docs/commands.md shows something else: write it anew with UPDATE_GOLDEN=1")
  }

  @Test("each command explains itself with an example")
  func help() throws {
    let commands = Set(Self.samples.compactMap(\.arguments.first)).union(["init"])
    for command in commands.sorted() {
      let help = try Program.run([command, "--help"])
      #expect(help.status == 0)
      #expect(help.output.contains(/Examples?:/), "\(command)")
      #expect(help.output.contains("  daybook \(command)"), "\(command)")
    }
  }

  @Test("every command of the program has a sample on the page") func complete() throws {
    let listed = try Program.run(["--help"]).lines.compactMap { line in
      line.wholeMatch(of: #/  ([a-z][a-z-]*) +[A-Z].*/#).map { String($0.1) }
    }
    // docs/pulling.md shows what `pull` answers, and docs/service.md is about `serve`.
    let shown = Set(Self.samples.compactMap(\.arguments.first)).union(["init", "pull", "serve"])
    #expect(listed.count >= 14)
    #expect(Set(listed) == shown)
  }

  @Test("completions come for every shell", arguments: ["bash", "zsh", "fish"])
  func completions(_ shell: String) throws {
    let script = try Program.run(["--generate-completion-script", shell])
    #expect(script.status == 0)
    #expect(script.output.contains("entitlements"))
  }

  /// Replaces values that differ from run to run by samples.
  private static func steady(_ text: String) -> String {
    text.replacing(/"recordedAt":"[^"]*"/, with: #""recordedAt":"2026-02-01T12:00:00Z""#)
      .replacing(/"createdAt":"[^"]*"/, with: #""createdAt":"2026-02-01T12:00:00Z""#)
      .replacing(/"bytes":\d+,"sha256":"[^"]*"/) { _ in
        #""bytes":196608,"sha256":"\#(String(repeating: "5d1c0a7e2b94f386", count: 4))""#
      }
      .replacing(/"bytes":\{[^}]*\}/, with: #""bytes":{"log":90112,"projections":61440}"#)
      // Tokens are random, and the sample is none that a search for leaked secrets reports.
      .replacing(/daybook_[a-z2-7]{8}_[A-Za-z0-9_-]{43}/, with: "daybook_k3m7q2xw_…")
      .replacing(/"(x|kid)":"[A-Za-z0-9_-]{43}"/) { "\"\($0.output.1)\":\"…\"" }
      .replacing(/whsec_[A-Za-z0-9+\/]{43}=/, with: "whsec_…")
      .replacing(/msg_[0-9a-f]{32}/, with: "msg_6f1c02d4…")
      .replacing(/"(nextAt|oldestWaitingAt)":"[^"]*"/) {
        "\"\($0.output.1)\":\"2026-02-01T12:00:00Z\""
      }
      .replacing(/("position":0,"at":")[^"]*"/) { "\($0.output.1)2026-02-01T12:00:00Z\"" }
      // Each ledger has its own key of digests in ids.
      .replacing(/(receipt:[^"]*:)[0-9a-f]{16}"/) { "\($0.output.1)d6b5915c46057bcb\"" }
      .replacing(/"lmdb":"[^"]*"/, with: #""lmdb":"0.9.24""#)
  }

  private func check(_ golden: String, _ file: URL) throws {
    if Self.isUpdating { try Data(golden.utf8).write(to: file) }
    let there = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(
      there == golden, "\(file.lastPathComponent) differs: write it anew with UPDATE_GOLDEN=1")
  }

  /// Returns the page with the sample between its markers.
  private func inserting(_ golden: String, of sample: Sample, into text: String) throws -> String {
    try replacing("sample: \(sample.name)", "end of sample", in: text) {
      "```console\n\(sample.command)\n```\n\n```json\n\(golden)```\n"
    }
  }

  /// The page with another block between two markers.
  private func replacing(
    _ begin: String, _ end: String, in text: String, by block: () throws -> String
  ) throws -> String {
    let begin = "<!-- \(begin) -->\n"
    let start = try #require(text.range(of: begin), "docs/commands.md has no \(begin)")
    let stop = try #require(
      text.range(of: "<!-- \(end) -->", range: start.upperBound..<text.endIndex))
    return text.replacingCharacters(in: start.upperBound..<stop.lowerBound, with: try block())
  }

  /// The forms of a time, and what each is in a fixed zone at a fixed moment.
  private static func timesTable() throws -> String {
    let zone = try #require(Zone(name: "Europe/Berlin"))
    let times = SpokenTime(in: zone, now: try #require(Instant(rfc3339: "2026-05-13T14:30:00Z")))
    let forms = [
      ("a date", "2026-05-11"), ("a month", "2026-05"),
      ("a date and time", "\"2026-05-11 10:00\""), ("a time of RFC 3339", "2026-05-11T10:00:00Z"),
      ("the present", "now"), ("a day", "today"), ("", "yesterday"), ("", "tomorrow"),
      ("a span before now", "90min"), ("", "12h"), ("", "7d"), ("", "2w"),
      ("a span after now", "+7d"),
    ]
    let rows = try forms.map { name, form in
      let moment = zone.text(of: try times.moment(form.replacing("\"", with: "")))
      return "| \(name) | `\(form)` | \(moment) |\n"
    }
    return "| form | example | is |\n| --- | --- | --- |\n" + rows.joined()
  }
}
