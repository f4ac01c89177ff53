import ArgumentParser
import Foundation
import LedgerEvents
import LedgerStore
import StoreImport

struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Turns files of the store into events and appends them.",
    discussion: """
      Reads what the App Store sent, and appends what it says of the past, each fact once: the \
      same file again appends nothing, and a purchase that a receipt, a transaction and a \
      notification state is one purchase.

      notification, transaction, renewal and app-transaction read signed texts (JWS), one or one a \
      line, and verify them for --app; history reads saved answers of the App Store Server API. \
      Without --app, decoded JSON is read, too, and recorded as not verified. receipt reads app \
      receipts, and verifies them for --app; verify-receipt reads answers of verifyReceipt. \
      notification-v1 reads the older notifications, whose password must be in \
      --shared-secret-file. revenuecat and revenuecat-export read webhooks and scheduled exports \
      of RevenueCat. csv reads any table, as --map says. No file changes whose a purchase is: \
      where the ledger knows another owner, it is refused. storekit-config merges a configuration \
      with the catalogue in force, and where it would change what customers have, it says for \
      whom and asks. Examples:

        daybook import notification Tools/samples/sample-notifications.jsonl
        daybook import transaction bought.jws --app com.example.tides
        daybook import verify-receipt Tools/samples/sample-receipt.json --account keeper-7
        daybook import csv Tools/samples/sample-table.csv --map Tools/samples/sample-table-map.json
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(
    help: """
      What the files are: notification, notification-v1, transaction, renewal, \
      app-transaction, history, receipt, verify-receipt, revenuecat, revenuecat-export, \
      csv or storekit-config.
      """)
  var importFormat: FormatArgument

  @Argument(help: "The files; - is standard input.")
  var files: [String]

  @OptionGroup var receipt: ReceiptOptions

  @OptionGroup var signed: SignedDataOptions

  @OptionGroup var particular: FormatOptions

  @Option(
    help: "The bundle identifier: what is signed must be for this app.", transform: Parse.name)
  var app: Name?

  @Option(help: "The environment: of a receipt that does not say it, or where a catalogue counts.")
  var environment: EnvironmentArgument?

  @Option(
    help: ArgumentHelp("From when a catalogue counts (default: now).", valueName: "time"),
    transform: Parse.instant)
  var effective: Instant?

  @Flag(help: "Sets a catalogue without asking, also where customers' answers change.")
  var yes = false

  @Flag(name: .customLong("dry-run"), help: "Prints the events and appends nothing.")
  var dryRun = false

  @Option(help: "Output format: table, json, jsonl or csv.")
  var format: OutputFormat = .table

  func validate() throws {
    let format = importFormat.format
    try particular.validate(for: format, isUnverified: signed.isUnverified)
    let isOnlyUnverified = format == .notificationV1 && signed.stated == "--unverified"
    if !format.isSigned, !isOnlyUnverified, let option = signed.stated {
      throw ValidationError("\(option) goes with signed data: \(format.rawValue) has no signature.")
    }
    switch format {
    case .verifyReceipt, .notification, .notificationV1, .transaction, .renewal, .appTransaction,
      .history, .receipt, .revenueCat, .revenueCatExport, .csv:
      if [.revenueCat, .revenueCatExport, .csv].contains(format), receipt.askedAt != nil {
        throw ValidationError("--asked-at goes with answers: \(format.rawValue) has its own dates.")
      }
      if format == .csv, receipt.claim || receipt.isAccountOverToken {
        throw ValidationError(
          "--claim and --account-over-token go with purchases of the store: a table's rows are "
            + "events as they are.")
      }
      if format == .receipt { try validateReceipt() }
      if effective != nil {
        throw ValidationError(
          "--effective goes with storekit-config: \(format.rawValue) has the store's own dates.")
      }
      if yes {
        throw ValidationError("--yes goes with storekit-config: \(format.rawValue) asks nothing.")
      }
    case .storekitConfig:
      if dryRun && files.count > 1 {
        throw ValidationError(
          "--dry-run takes one StoreKit configuration at a time: what the second one changes "
            + "depends on the first.")
      }
      if let option = receipt.stated {
        throw ValidationError(
          "\(option) goes with purchases: a StoreKit configuration belongs to no customer.")
      }
    }
  }

  private func validateReceipt() throws {
    if receipt.askedAt != nil {
      throw ValidationError("--asked-at goes with answers: a receipt has its own date.")
    }
    if signed.appAppleID != nil {
      throw ValidationError(
        "--app-apple-id goes with notifications: a receipt does not state the app's number.")
    }
    if app == nil && !signed.isUnverified {
      throw ValidationError(
        "import receipt needs --app: any app's receipt is signed as well as yours. Name your "
          + "app's bundle identifier, or say --unverified.")
    }
  }

  func run() throws {
    try answering {
      switch importFormat.format {
      case .verifyReceipt, .notification, .notificationV1, .transaction, .renewal,
        .appTransaction, .history, .receipt, .revenueCat, .revenueCatExport, .csv:
        var run = try ReceiptImportRun(command: self, ledger: try ledger())
        try run.run()
      case .storekitConfig:
        var run = try CatalogueImportRun(command: self, ledger: try ledger())
        try run.run()
      }
    }
  }

  /// The ledger. For a dry run, it is read-only, and `nil` if it does not exist yet.
  private func ledger() throws -> Ledger? {
    guard dryRun else { return try options.openOrMake() }
    do throws(LedgerError) { return try Ledger(at: options.path, access: .readOnly) } catch {
      guard error.code == .noLedger else { throw error }
      return nil
    }
  }

  /// The key of digests in ids: the ledger's, or a random one for a dry run without a ledger.
  static func digestKey(of ledger: Ledger?) throws -> [UInt8] {
    if let ledger { return try ledger.importDigestKey() }
    return (0..<16).map { _ in UInt8.random(in: 0...255) }
  }

  static func bytes(of file: String) throws -> [UInt8] {
    let handle =
      file == "-"
      ? try FileHandle.readableStandardInput(as: "the store")
      : try FileHandle(readingInput: file, as: "the store")
    do { return [UInt8](try handle.readToEnd() ?? Data()) } catch {
      throw InputProblem(
        "\(file) cannot be read: \(error.systemReason)", exitCode: ExitStatus.inputOutput)
    }
  }
}

/// The options that only apply to purchases.
struct ReceiptOptions: ParsableArguments {
  @Option(
    help: "Whose purchases they are.", completion: Completions.accounts, transform: Parse.name)
  var account: Name?

  @Flag(
    name: .customLong("account-over-token"),
    help: "Lets --account override the app_account_token of a purchase.")
  var isAccountOverToken = false

  @Flag(
    help: "Records the claim of --account on another customer's purchase, without effect.")
  var claim = false

  @Option(
    name: .customLong("asked-at"),
    help: ArgumentHelp(
      "When the store gave an answer that does not say it.", valueName: "time"),
    transform: Parse.instant)
  var askedAt: Instant?

  func validate() throws {
    guard !isAccountOverToken || account != nil else {
      throw ValidationError("--account-over-token needs an --account.")
    }
  }

  /// The first option that was given.
  var stated: String? {
    if account != nil { return "--account" }
    if claim { return "--claim" }
    return askedAt == nil ? nil : "--asked-at"
  }
}

/// A format of the store's files by its name.
struct FormatArgument: ExpressibleByArgument {
  let format: ImportFormat

  init?(argument: String) {
    guard let format = ImportFormat(rawValue: argument) else { return nil }
    self.format = format
  }

  static var allValueStrings: [String] { ImportFormat.allCases.map(\.rawValue) }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
