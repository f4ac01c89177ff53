import ArgumentParser
import LedgerEvents

/// Stands here until `export` takes it over.
struct BundleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "bundle", shouldDisplay: false)
  @OptionGroup var options: LedgerOptions
  @Option(transform: Parse.name) var account: Name
  @Option var key: String
  @Option(name: [.customShort("o"), .long]) var out: String?
  @Flag var force = false
  @OptionGroup var actor: ActorOptions
  @Option var format: OutputFormat = .table

  func run() throws {
    try answering {
      try BundleExport(account: account, key: key, out: out, overwrites: force)
        .run(options, actor, format)
    }
  }
}
