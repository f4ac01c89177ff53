import ArgumentParser
import Foundation
import LedgerEvents
import LocalTime
import StorePull

/// Which notifications are asked for.
struct NotificationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "From when on, such as 7d or 2026-03-01.", valueName: "time"),
    transform: Self.time)
  var since: Instant?

  @Flag(name: .customLong("only-failures"), help: "Only those that your server did not accept.")
  var onlyFailures = false

  @Option(
    help: ArgumentHelp("Only those about the customer of this transaction.", valueName: "id"),
    transform: SubjectOptions.transaction)
  var transaction: StoreTransactionID?

  @Option(help: "Only this type, such as REFUND.", transform: Self.type)
  var type: String?

  @Option(help: "Only this subtype of --type.", transform: Self.type)
  var subtype: String?

  func validate() throws {
    guard transaction == nil || type == nil else {
      throw ValidationError("the store takes --transaction or --type, not both.")
    }
    guard subtype == nil || type != nil else {
      throw ValidationError("--subtype goes with --type.")
    }
  }

  var filter: PullRun.NotificationFilter {
    var filter = PullRun.NotificationFilter()
    (filter.since, filter.onlyFailures, filter.transaction) = (since, onlyFailures, transaction)
    (filter.type, filter.subtype) = (type, subtype)
    return filter
  }

  private static func type(_ text: String) throws -> String {
    guard !text.isEmpty, text.allSatisfy({ ("A"..."Z").contains($0) || $0 == "_" }) else {
      throw ValidationError("expected a type as the store writes it, such as DID_RENEW.")
    }
    return text
  }

  private static func time(_ text: String) throws -> Instant {
    let times = SpokenTime(in: .system, now: SystemClock().now)
    do throws(SpokenTimeError) { return try times.moment(text) } catch {
      throw ValidationError(error.message)
    }
  }
}

/// Whose the purchases in notifications are, if the store does not say so.
struct OwnerOptions: ParsableArguments {
  @Option(help: "Whose purchases they are: goes with --transaction, which is one customer's.")
  var account: String?

  @Flag(
    name: .customLong("account-over-token"),
    help: "Lets --account override the appAccountToken of a purchase.")
  var isAccountOverToken = false

  func validate() throws {
    guard !isAccountOverToken || account != nil else {
      throw ValidationError("--account-over-token needs an --account.")
    }
  }

  /// Refuses an account for the notifications of many customers.
  func check(_ notifications: NotificationOptions) throws {
    guard account == nil || notifications.transaction != nil else {
      throw ValidationError("--account is one customer's: name the customer's --transaction, too.")
    }
  }

  /// The options of `daybook import`.
  var words: [String] {
    (account.map { ["--account=\($0)"] } ?? [])
      + (isAccountOverToken ? ["--account-over-token"] : [])
  }
}

struct NotificationsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notifications",
    abstract: "Pulls the notifications that the store has sent.",
    discussion: """
      Asks for the notification history since the last pull, at first for as long as the store \
      keeps it: 180 days, or 30 in the sandbox. With a filter or --since, only those are asked \
      for, and the next pull without one begins where it would have begun. Example:

        daybook pull notifications --app com.example.tides --app-apple-id 900000001
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var importer: ImporterOptions
  @OptionGroup var notifications: NotificationOptions

  @OptionGroup var owner: OwnerOptions

  func validate() throws {
    try importer.checkNotifications(of: store.environment ?? .production)
    try owner.check(notifications)
  }

  func run() async throws {
    try await answering {
      let program = try DaybookProgram(store, importer: importer, ownerWords: owner.words)
      var report = PullReport(store.format)
      var refused = 0
      try await store.withRun(
        program, importer, environments: [store.environment ?? .production]
      ) { run in
        let pulled = try await run.notifications(notifications.filter)
        refused = pulled.refused + pulled.stillRefused
        report.add(pulled)
      }
      report.end()
      if refused > 0 { throw ExitCode(65) }
    }
  }
}

struct ReconcileCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reconcile",
    abstract: "Says which notifications of the store the ledger lacks.",
    discussion: """
      Compares the store's notification history with the ledger by the notifications' UUIDs, and \
      lists those that are missing: the exit code is 1 if there are any. --import imports them, \
      and the exit code is 0. `daybook pull --reconcile` is the same. Example:

        daybook pull reconcile --since 7d --app com.example.tides
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var importer: ImporterOptions
  @OptionGroup var notifications: NotificationOptions

  @OptionGroup var owner: OwnerOptions

  @Flag(name: .customLong("import"), help: "Imports what is missing.")
  var imports = false

  func validate() throws {
    if imports { try importer.checkNotifications(of: store.environment ?? .production) }
    try owner.check(notifications)
  }

  func run() async throws {
    try await answering {
      let program = try DaybookProgram(store, importer: importer, ownerWords: owner.words)
      let known = try program.notifications()
      // With --unverified, what nobody verified is as good as the rest.
      let unverified = importer.unverified ? [] : known.unverified
      var answer: Reconciliation?
      try await store.withRun(
        program, importer, environments: [store.environment ?? .production]
      ) { run in
        answer = try await run.reconcile(
          notifications.filter, known: known.all.subtracting(unverified), unverified: unverified,
          imports: imports)
      }
      guard let answer else { return }
      print(answer)
      if Self.refused(answer) > 0 { throw ExitCode(65) }
      if !answer.missed.isEmpty && !answer.isImported { throw ExitCode(1) }
    }
  }

  private static func refused(_ answer: Reconciliation) -> Int {
    answer.refused + answer.stillRefused
  }

  private func print(_ answer: Reconciliation) {
    ProgressLine.shared.clear()
    switch store.format {
    case .jsonl: for missed in answer.missed { PullConsole.print(Self.json(missed)) }
    case .json:
      var line = JSONLine()
      line.add("environment", answer.environment.rawValue)
      line.add("since", answer.start.rfc3339)
      line.add("until", answer.end.rfc3339)
      line.add("listed", answer.listed)
      line.add("missing", answer.missed.count)
      line.add("imported", answer.isImported)
      line.add("appended", answer.appended)
      line.add("refused", Self.refused(answer))
      line.add(
        "notifications", json: "[" + answer.missed.map(Self.json).joined(separator: ",") + "]")
      PullConsole.print(line.text)
    case .table:
      if !answer.missed.isEmpty {
        PullConsole.table(
          [
            "notification", "type", "signed", "account", "transaction", "product", "attempts",
            "last",
          ],
          answer.missed.map(Self.row))
      }
      let count = "\(answer.missed.count) of \(answer.listed) notifications of "
      let isImported = answer.isImported && !answer.missed.isEmpty
      PullConsole.print(
        count + answer.environment.rawValue
          + (isImported
            ? " were missing in the ledger, and were imported as \(answer.appended) events"
              + (Self.refused(answer) > 0 ? "; \(Self.refused(answer)) were refused" : "")
            : " are missing in the ledger"))
    }
  }

  private static func row(_ missed: MissedNotification) -> [String] {
    let type = [missed.type, missed.subtype].compactMap(\.self).joined(separator: " ")
    return [
      missed.id ?? "-", type.isEmpty ? "-" : type, missed.signedAt?.rfc3339 ?? "-",
      missed.account ?? "-", missed.transaction ?? "-", missed.product ?? "-",
      "\(missed.attempts)", missed.lastResult ?? "-",
    ]
  }

  private static func json(_ missed: MissedNotification) -> String {
    var line = JSONLine()
    line.add("notification", missed.id)
    line.add("type", missed.type)
    line.add("subtype", missed.subtype)
    line.add("signedAt", missed.signedAt?.rfc3339)
    line.add("account", missed.account)
    line.add("transaction", missed.transaction)
    line.add("originalTransaction", missed.originalTransaction)
    line.add("product", missed.product)
    line.add("attempts", missed.attempts)
    line.add("lastResult", missed.lastResult)
    return line.text
  }
}
