import ArgumentParser
import HostedContent
import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries
import ProductCatalogue

struct ContentPublish: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish",
    abstract: "Records that a newer version of hosted content was released.",
    discussion: """
      Reads a package, or takes --product and --version, and appends content.versionPublished: \
      `content updates` then lists the customers to notify. It is refused with exit code 65 if \
      the package has a fault, if the version is not higher than the one on offer, or if the \
      product was sold without hosted content. Publishing the same package again appends nothing. \
      Example:

        daybook content publish atlas-1.1.pkg --environment production
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "The package; leave it out with --product and --version.")
  var package: String?

  @Option(
    help: "The product, if no package is at hand.", completion: Completions.products,
    transform: Parse.name)
  var product: Name?

  @Option(help: "The version: a dotted number such as 1.1.", transform: Parse.name)
  var version: Name?

  @Option(help: "The bundle identifier.", transform: Parse.name)
  var app: Name?

  @Option(help: "The environment that it is released in (default: production).")
  var environment: EnvironmentArgument?

  @OptionGroup var time: StoreClockOptions

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    if package == nil {
      guard product != nil && version != nil else {
        throw ValidationError("name a package, or --product and --version instead.")
      }
    } else if product != nil || version != nil {
      throw ValidationError(
        "a package states its product and version: leave out --product and --version.")
    }
    if let version, !Self.isDottedNumber(version) {
      throw ValidationError("--version is a dotted number such as 1.1, found \"\(version)\".")
    }
  }

  private static func isDottedNumber(_ version: Name) -> Bool {
    version.text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty && part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
  }

  func run() throws {
    try answering {
      let content = try content()
      let ledger = try options.openForChanges()
      let now = EventLog.systemClock()
      let event = content.event(at: time.occurredAt ?? now)
      let (known, refusal, position) = try ledger.read {
        (view) throws(LedgerError) -> (RecordedEvent?, PublishingRefusal?, UInt64) in
        if let known = try view.event(withID: event.id) { return (known, nil, view.position) }
        let refusal = try view.refusal(
          ofPublishing: content.version, of: content.product,
          in: content.environment, app: app, now: now)
        return (nil, refusal, view.position)
      }
      if let refusal { throw InputProblem(refusal.message(of: content.product, content.version)) }
      if let known {
        print(content, known.position, isNew: false)
        return
      }
      print(content, try append(event, after: position, to: ledger), isNew: true)
    }
  }

  private func content() throws -> ContentRelease {
    guard let package else {
      guard let product, let version else { throw ExitStatus.bug }
      return ContentRelease(
        product: product, version: version, environment: environment?.environment ?? .production,
        app: app)
    }
    let (report, _) = try PackageReading.judge(package)
    guard report.isValid, let product = report.product, let version = report.version else {
      report.printFaults()
      throw InputProblem(
        "\(package): nothing is published: the package has faults (see above); `daybook content "
          + "validate \(package)` says what to do")
    }
    return ContentRelease(
      product: product, version: version, environment: environment?.environment ?? .production,
      app: app, bytes: report.bytes, digest: report.digest.description)
  }

  /// Appends the event if no other version has been published since the ledger was read.
  private func append(
    _ event: Event, after position: UInt64, to ledger: Ledger
  ) throws -> UInt64 {
    let filter = EventFilter(product: event.product, type: event.type)
    do throws(LedgerError) {
      let result = try ledger.appendAndWait(
        [EventInput(event: event)],
        options: AppendOptions(condition: .noEvent(matching: filter, after: position)))
      return result.outcomes[0].position
    } catch {
      guard error.code == .conditionFailed else { throw error }
      throw InputProblem(
        "another version was published meanwhile: run it again", exitCode: ExitStatus.tryAgain)
    }
  }

  private func print(_ content: ContentRelease, _ position: UInt64, isNew: Bool) {
    guard format == .table else {
      var json = JSONText()
      json.object { json in
        json.member("product", content.product)
        json.member("version", content.version)
        json.member("environment", content.environment.text)
        json.member("bytes", content.bytes)
        json.member("digest", content.digest)
        json.member("position", position)
        json.member("new", isNew)
      }
      Console.print(json.text)
      return
    }
    let name = "\(content.product) \(content.version)".printable
    Console.print(
      isNew
        ? "published \(name) at position \(position): `daybook content updates --product "
          + "\(content.product.text.printable)` lists the customers to notify"
        : "\(name) was published already, at position \(position)")
  }
}

extension PublishingRefusal {
  fileprivate func message(of product: Name, _ version: Name) -> String {
    let nothing = "nothing is published: "
    switch self {
    case .notIncreased(let onOffer):
      return nothing + "\(product) \(version) is not higher than \(onOffer), which is on offer: "
        + "give the package a higher ContentVersion"
    case .soldWithout(let since, let delivery):
      return nothing + "\(product) has been sold since \(since.shown) without hosted content"
        + (delivery.map { " (its catalogue says \($0))" } ?? "")
        + ": the apps of those who bought it expect no download; sell the hosted content as a "
        + "product of its own"
    case .otherDelivery(let delivery):
      return nothing + "the catalogue in force says that \(product) is delivered \(delivery): set "
        + "\"delivery\": \"store\" with `daybook catalog set` first"
    case .otherKind(let kind):
      return nothing + "the catalogue in force says that \(product) is \(kind.text): the store "
        + "hosts content for nonConsumable products only"
    }
  }
}
