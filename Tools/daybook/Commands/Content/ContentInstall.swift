import ArgumentParser
import HostedContent
import LedgerAnswers
import LedgerEvents
import LedgerQueries

struct ContentInstall: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install",
    abstract: "Installs a package by version, and records it.",
    discussion: """
      Copies the package into ROOT/<product>/<version>/ by way of a hidden folder, validates it \
      on the way, and then points the link ROOT/<product>/current to it. Appends \
      content.installStarted, .installed or .installFailed, and .activated. It never overwrites a \
      file. If it is killed, run it again. Example:

        daybook content install maps.pkg --into content --account keeper-7 --device phone-1
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "The package: a folder, a .pkg or a zip.")
  var package: String

  @Option(help: ArgumentHelp("The folder of installed content.", valueName: "root"))
  var into: String

  @Option(
    help: "The account that owns the content.", completion: Completions.accounts,
    transform: Parse.name)
  var account: Name

  @Option(
    help: "The device that the folder belongs to.", completion: Completions.devices,
    transform: Parse.name)
  var device: Name

  @Option(help: "The transaction that the package was downloaded for.", transform: Parse.name)
  var transaction: Name?

  @Option(help: "The download of that transaction.", transform: Parse.name)
  var download: Name?

  @Option(
    help: "The product that the package must contain.", completion: Completions.products,
    transform: Parse.name)
  var product: Name?

  @Option(help: "The bundle identifier.", transform: Parse.name)
  var app: Name?

  @Option(help: "The environment of the purchase.")
  var environment: EnvironmentArgument?

  @Flag(inversion: .prefixedNo, help: "Whether the version becomes the current one.")
  var activate = true

  @OptionGroup var time: StoreClockOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    if (transaction == nil) != (download == nil) {
      throw ValidationError("--transaction and --download go together: name both or neither.")
    }
  }

  func run() throws {
    try answeringForContent {
      let ledger = try options.openForChanges()
      let contentLedger = LedgerOfContent(ledger, environment: environment?.environment)
      let owner = ContentOwner(account: account, device: device)
      var request = InstallRequest()
      request.transaction = transaction
      request.download = download
      request.app = app
      request.environment = environment?.environment
      request.product = product
      request.activates = activate
      let total =
        Console.isErrorTerminal
        ? try ContentKeeper.bytes(ofPackage: package, isolation: .inChild) : 0
      let bar = ProgressBar("copying", unit: "B")
      defer { bar.end() }
      let keeper = ContentKeeper.keeper(of: into, owner, contentLedger, time)
      let outcome = try keeper.install(package, request) { bar.show($0, total) }
      bar.end()
      try ledger.foldBeforeLeaving()
      switch outcome {
      case .installed(let version): print(version)
      case .refused(let report):
        refuse(report)
        throw ExitStatus.badInput
      }
    }
  }

  private func print(_ installed: InstalledVersion) {
    guard format == .table else {
      var json = JSONText()
      json.object { json in
        json.member("product", installed.product)
        json.member("contentVersion", installed.version)
        json.member("path", installed.path)
        json.member("files", installed.files)
        json.member("bytes", installed.bytes)
        json.member("digest", installed.digest.description)
        json.member("copied", installed.isCopied)
        json.member("current", installed.isCurrent)
        json.member("excludedFromBackup", installed.excludedFromBackup)
      }
      return Console.print(json.text)
    }
    let what = installed.isCopied ? "installed" : "was installed already:"
    Console.print(
      "\(what) \(installed.path.printable): \(installed.files.counted("file")), "
        + "\(installed.bytes.counted("byte"))\(installed.isCurrent ? ", current" : "")")
    Console.print(installed.digest.description)
  }

  private func refuse(_ report: PackageReport) {
    for fault in report.faults { Console.complain(fault.description.printable) }
    let count = report.faults.count + report.faultsLeftOff
    Console.complain(
      "daybook: \(package): refused for \(count.counted("fault")); nothing was installed")
    guard format != .table else { return }
    var json = JSONText()
    json.object { json in
      json.member("product", report.product)
      json.member("contentVersion", report.version)
      json.member("faultsLeftOff", report.faultsLeftOff)
      json.member("faults", each: report.faults) { json, fault in
        json.object { json in
          json.member("code", fault.code.rawValue)
          json.member("path", fault.path)
          json.member("message", fault.message)
        }
      }
    }
    Console.print(json.text)
  }
}
