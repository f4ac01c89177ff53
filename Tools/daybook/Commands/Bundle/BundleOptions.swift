import ArgumentParser
import LedgerEvents

/// The options that make an export the bundle of an incident.
struct BundleOptions: ParsableArguments {
  @Flag(
    name: .customLong("bundle"),
    help: """
      Export the incident of one --account, which can be replayed and checked without the ledger: \
      people appear under pseudonyms, and every event is proven.
      """)
  var isAsked = false

  @Option(
    help: ArgumentHelp(
      "The file of the signing key that `daybook key new` wrote; with --key-command, the verifier "
        + "key.", valueName: "file|key"))
  var key: String?

  @OptionGroup var access: KeyAccessOptions

  @Option(
    help: ArgumentHelp(
      "A personal field of data to show anyway, such as error (repeatable).",
      valueName: "member"),
    transform: Parse.name)
  var disclose: [Name] = []

  func validate() throws {
    guard isAsked || (key == nil && !access.isNamed && disclose.isEmpty) else {
      throw ValidationError(
        "--key, --key-command, --passphrase-file and --disclose need --bundle.")
    }
    guard !isAsked || key != nil else {
      throw ValidationError("a bundle is signed: name a key with --key.")
    }
  }

  /// The export of a bundle.
  ///
  /// - Parameter others: The names of options that were given and mean nothing for a bundle.
  func export(
    to file: String, _ range: ExportRangeOptions, others: [String], overwrites: Bool
  ) throws -> BundleExport {
    guard others.isEmpty else {
      throw ValidationError(
        "leave out \(others.joined(separator: ", ")): a bundle does not have it.")
    }
    guard let key, let account = range.account else {
      throw ValidationError("a bundle is about one customer: name an --account.")
    }
    return BundleExport(
      account: account, from: range.from ?? 1, to: range.to ?? .max, disclosed: disclose, key: key,
      access: access, file: file, overwrites: overwrites)
  }
}
