import ArgumentParser
import LedgerAnswers
import LedgerEvents
import LedgerStore

struct Salvage: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes a new ledger of what a damaged one still has.",
    discussion: """
      Reads the pages of the damaged log without LMDB, which a damaged page could end, and keeps \
      every event whose record has its checksum and whose names are there. If the hash tree \
      contradicts a name, events that need it are left out; if it contradicts only a record, the \
      event is kept, and the report counts it. If something beside an event is missing, the hash \
      tree may no longer prove a name: events that use it are kept, and the report lists them. \
      Up to the first event that is missing or uses such a name, positions and roots stay as \
      they were; behind one that is missing, events move up. What was erased stays erased. The \
      damaged ledger is only read, and the new folder may not exist yet. The exit code is 1 if \
      anything is missing or a name is not proven. Restore a backup instead, if it is new \
      enough. Example:

        daybook salvage shop.daybook --into saved.daybook
      """)

  @Argument(help: "The folder of the damaged ledger.", completion: .directory)
  var source: String

  @Option(help: "The folder of the new ledger.", completion: .directory)
  var into: String

  @Option(help: "A copy of the key file (default: the one in the damaged ledger).")
  var keys: String?

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  /// The number of entries of each list that the table shows; JSON has all.
  private static let linesMax = 20

  func run() throws {
    try answering {
      let bar = ProgressBar("saving", unit: "events")
      defer { bar.end() }
      let (report, ledger) = try Ledger.salvage(
        source, into: into, keys: keys, progress: bar.show)
      bar.end()
      switch format {
      case .table: for line in lines(report, ledger) { Console.print(line.printable) }
      case .json, .jsonl: Console.print(json(report, ledger))
      }
      if !report.isComplete { throw ExitStatus.found }
    }
  }

  private func lines(_ report: SalvageReport, _ ledger: LedgerCopy) -> [String] {
    var lines = [
      "\(into): \(report.kept) of \(report.lastPosition.counted("event")) saved, root "
        + ledger.root.hexadecimal
    ]
    if report.unbrokenThrough > 0 {
      lines.append("positions 1 to \(report.unbrokenThrough) are as they were, with their roots")
    }
    lines += Self.list(report.gaps) { "left out: \(Self.words($0.positions)): \($0.reason)" }
    lines += Self.list(report.moves) {
      "moved: \(Self.words($0.old)) to \($0.new)"
        + ($0.old.count > 1 ? "–\($0.new + UInt64($0.old.count) - 1)" : "")
    }
    lines += Self.list(report.textsLost) { "personal data lost: position \($0)" }
    if report.namesLost > 0 {
      lines.append("\(report.namesLost.counted("name")) of people can no longer be read")
    }
    let withoutKey = report.namesWithoutKey + report.textsWithoutKey.count
    if withoutKey > 0 {
      lines.append(
        "the keys in \(withoutKey.counted("slot")) of the key file are zeros, although nothing "
          + "says that they were erased: \(report.namesWithoutKey.counted("name")) and the "
          + "personal data of \(report.textsWithoutKey.count.counted("event")) cannot be read"
          + (report.mayHaveErased
            ? "" : "; name a better copy of the key file with --keys, if there is one"))
      lines += Self.list(report.textsWithoutKey) { "personal data without a key: position \($0)" }
    }
    if report.namesRepaired > 0 {
      lines.append(
        "\(report.namesRepaired.counted("name")) had a flipped bit, which was turned back: the "
          + "hash tree proves it")
    }
    if let fault = report.keysGivenUp {
      lines.append(
        "the names and texts of people are given up: \(fault); name a copy of the key file with "
          + "--keys, if there is one")
    }
    if report.unproven > 0 {
      lines.append(
        report.unproven.counted("event has a correct checksum", "events have correct checksums")
          + ", but the hash tree can no longer prove them with all their names")
      lines += Self.list(report.unprovenPositions) { "not proven: \(Self.words($0))" }
    }
    if report.namesUnproven > 0 {
      lines.append(
        report.namesUnproven.counted("name is not proven", "names are not proven")
          + ", so events may name something else than they did: compare with a copy that you trust")
    }
    if report.contradicted > 0 {
      lines.append(
        report.contradicted.counted("event has a correct checksum", "events have correct checksums")
          + ", but another hash in the hash tree: compare with a copy that you trust")
    }
    lines += report.notes
    lines += Self.list(report.pages) {
      "damaged: page \($0.number)\($0.table.map { " (\($0))" } ?? ""): \($0.reason)"
    }
    if report.isComplete { lines.append("nothing is missing") }
    return lines
  }

  private static func list<Element>(
    _ elements: [Element], _ line: (Element) -> String
  ) -> [String] {
    var lines = elements.prefix(linesMax).map(line)
    let rest = elements.count - lines.count
    if rest > 0 { lines.append("… and \(rest) more of these, which --format json lists") }
    return lines
  }

  private static func words(_ positions: ClosedRange<UInt64>) -> String {
    positions.count == 1
      ? "position \(positions.lowerBound)"
      : "positions \(positions.lowerBound)–\(positions.upperBound)"
  }

  private func json(_ report: SalvageReport, _ ledger: LedgerCopy) -> String {
    var json = JSONText()
    json.object { json in
      json.member("folder", into)
      json.member("lastPosition", report.lastPosition)
      json.member("kept", report.kept)
      json.member("root", ledger.root.hexadecimal)
      json.member("unbrokenThrough", report.unbrokenThrough)
      json.member("gaps", each: report.gaps) { json, gap in
        json.object { json in
          json.member("from", gap.positions.lowerBound)
          json.member("to", gap.positions.upperBound)
          json.member("reason", gap.reason)
        }
      }
      json.member("moves", each: report.moves) { json, move in
        json.object { json in
          json.member("from", move.old.lowerBound)
          json.member("to", move.old.upperBound)
          json.member("new", move.new)
        }
      }
      json.member("unproven", report.unproven)
      json.member("unprovenPositions", each: report.unprovenPositions) { json, positions in
        json.object { json in
          json.member("from", positions.lowerBound)
          json.member("to", positions.upperBound)
        }
      }
      json.member("namesUnproven", report.namesUnproven)
      json.member("contradicted", report.contradicted)
      json.member("textsLost", each: report.textsLost) { $0.value($1) }
      json.member("namesLost", report.namesLost)
      json.member("namesWithoutKey", report.namesWithoutKey)
      json.member("textsWithoutKey", each: report.textsWithoutKey) { $0.value($1) }
      json.member("namesRepaired", report.namesRepaired)
      json.member("keysGivenUp", report.keysGivenUp)
      json.member("notes", strings: report.notes)
      json.member("pages", each: report.pages) { json, page in
        json.object { json in
          json.member("page", page.number)
          json.member("table", page.table)
          json.member("reason", page.reason)
        }
      }
    }
    return json.text
  }
}
