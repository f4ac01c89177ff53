import ArgumentParser
import HostedContent
import LedgerAnswers
import LedgerEvents

struct ContentInspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Shows what is in a content package: product, version, files, sizes and digest.",
    discussion: """
      Reads the package once, from front to back, and prints what is in it; nothing is unpacked. \
      Faults are counted here and listed by `content validate`. Example:

        daybook content inspect atlas-1.1.pkg --format json
      """)

  @Argument(
    help: "The package: a folder, a .pkg or a zip; its format is detected from its contents.")
  var package: String

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func run() throws {
    try answering {
      let (report, kind) = try PackageReading.judge(package)
      switch format {
      case .table: printTable(report, kind)
      case .json:
        var json = JSONText()
        json.object { json in
          json.member("package", package)
          json.member("format", kind.rawValue)
          report.writeSummary(to: &json)
          json.member("files", each: report.files) { $1.write(to: &$0) }
        }
        Console.print(json.text)
      case .jsonl:
        for file in report.files {
          var json = JSONText()
          file.write(to: &json)
          Console.print(json.text)
        }
      }
    }
  }

  private func printTable(_ report: PackageReport, _ kind: PackageFormat) {
    Console.print("package  \(package.printable) (\(kind.rawValue))")
    Console.print("product  \((report.product?.text ?? "-").printable)")
    Console.print("version  \((report.version?.text ?? "-").printable)")
    Console.print("files    \(report.files.count), \(report.bytes.counted("byte"))")
    Console.print("digest   \(report.digest)")
    if !report.isValid {
      let count = report.faults.count + report.faultsLeftOff
      Console.print("faults   \(count): daybook content validate lists them")
    }
    guard !report.files.isEmpty else { return }
    Console.print("")
    var table = TextTable(["bytes", "sha256", "path"], amounts: ["bytes"])
    for file in report.files {
      switch file.content {
      case .file(let bytes, let digest):
        table.add(["\(bytes)", String(digest.hexadecimal.prefix(12)), file.path])
      case .link(let target):
        table.add(["-", "link", "\(file.path) -> \(target)"])
      }
    }
    table.lines.forEach(Console.print)
  }
}
