import ArgumentParser
import HostedContent
import LedgerEvents

struct ContentBuild: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "build",
    abstract: "Makes a content package from a folder; the same input gives the same bytes.",
    discussion: """
      Validates a folder of content as `content validate` does and writes the package; if there \
      is a fault, it writes nothing and exits with 1. The folder's files are packed below \
      Contents/. A folder with a ContentInfo.plist at its top, or with nothing but Contents, is \
      treated as a package: its Contents are packed, with its ContentInfo.plist if that states \
      the same product and version. \
      Example:

        daybook content build Atlas --product com.example.atlas --version 1.1 -o atlas-1.1.pkg
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "The folder of content.")
  var folder: String

  @Option(
    help: "The product that the content belongs to.", completion: Completions.products,
    transform: Parse.name)
  var product: Name

  @Option(help: "The content's version, a dotted number.", transform: Parse.name)
  var version: Name

  @Option(name: [.short, .long], help: "The package to write: a .pkg or a .zip.")
  var output: String

  @Option(help: "The package's format, pkg or zip (default: by the suffix of --output).")
  var format: BuiltFormat?

  @Flag(help: "Replace an existing file.")
  var force = false

  @Option(help: "The bundle identifier of the app whose catalogue applies.", transform: Parse.name)
  var app: Name?

  @Option(help: "The environment of the catalogue and of the version on offer.")
  var environment: EnvironmentArgument?

  /// The formats in which a package can be written.
  enum BuiltFormat: String, ExpressibleByArgument, CaseIterable {
    case pkg
    case zip
  }

  private var builtFormat: PackageFormat? {
    switch format {
    case .pkg: return .pkg
    case .zip: return .zip
    case nil: break
    }
    let name = output.lowercased()
    if name.hasSuffix(".pkg") { return .pkg }
    return name.hasSuffix(".zip") ? .zip : nil
  }

  func validate() throws {
    guard builtFormat != nil else {
      throw ValidationError("--output must end in .pkg or .zip, or --format must name one of them.")
    }
  }

  func run() throws {
    try answering {
      guard let builtFormat else { return }
      let ledger = try LedgerExpectations(
        options, product: product, app: app, environment: environment?.environment ?? .production)
      let builder = PackageBuilder(
        folder: folder, product: product, version: version, format: builtFormat,
        expectations: ledger.expectations)
      let report: PackageReport
      do throws(ContentError) {
        report = try builder.build(to: output, replaces: force)
      } catch {
        throw InputProblem(error.description, exitCode: ExitStatus.code(for: error))
      }
      try ledger.rethrow()
      if let notice = ledger.notice { Console.complain("daybook: \(notice)") }
      guard report.isValid else {
        report.printFaults()
        Console.complain("daybook: nothing was written.")
        throw ExitStatus.found
      }
      Console.print(
        ("\(output): \(product) \(version), \(report.files.count.counted("file")), "
          + "\(report.bytes.counted("byte")), "
          + "\(report.digest)").printable)
    }
  }
}
