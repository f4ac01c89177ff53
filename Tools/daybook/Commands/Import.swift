import ArgumentParser
import Foundation
import LedgerEvents
import LedgerStore
import StoreImport

struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Turns files of the store into events and appends them.",
    discussion: """
      Reads StoreKit configurations (storekit-config) or answers of verifyReceipt \
      (verify-receipt) and appends what they say of the past, each fact once: the same file \
      again appends nothing. Example:

        daybook import verify-receipt Tools/samples/sample-receipt.json --account keeper-7
      """)

  @OptionGroup var options: LedgerOptions

  @Argument(help: "What the files are: storekit-config or verify-receipt.")
  var importFormat: FormatArgument

  @Argument(help: "The files.")
  var files: [String]

  @Option(help: "Whose purchases they are.", transform: Parse.name)
  var account: Name?

  @Option(help: "The bundle identifier.", transform: Parse.name)
  var app: Name?

  @Option(help: "The environment of a receipt that does not say it.")
  var environment: EnvironmentArgument?

  @Option(
    help: ArgumentHelp(
      "From when a catalogue counts (default: the time of its first import).", valueName: "time"),
    transform: Parse.instant)
  var effective: Instant?

  @Flag(name: .customLong("dry-run"), help: "Prints the events and appends nothing.")
  var dryRun = false

  @Option(help: "How to answer: table or json.")
  var format: OutputFormat = .table

  func validate() throws {
    if effective != nil && importFormat.format != .storekitConfig {
      throw ValidationError(
        "--effective goes with storekit-config: a receipt has the store's own dates.")
    }
  }

  func run() throws {
    try answering {
      let ledger = dryRun ? nil : try Ledger(at: options.path, access: .readWrite)
      var summary = AppendSummary()
      for file in files {
        let bytes = try Self.bytes(of: file)
        guard let ledger else {
          for event in try events(of: file, bytes, effectiveTime) {
            Console.print(bytes: EventEncoder().encode(event))
          }
          continue
        }
        var found = try events(of: file, bytes, effectiveTime)
        if effective == nil, let first = found.first,
          let known = try ledger.read({ (view) throws(LedgerError) in
            try view.event(withID: first.id)
          })
        {
          found = try events(of: file, bytes, .imported(known.event.occurredAt))
        }
        try append(found, to: ledger, &summary)
      }
      guard let ledger else { return }
      try ledger.foldBeforeLeaving()
      summary.print(format)
      if !summary.errors.isEmpty { throw ExitStatus.badInput }
    }
  }

  private var effectiveTime: EffectiveTime {
    effective.map { .stated($0) } ?? .imported(EventLog.systemClock())
  }

  private func events(
    of file: String, _ bytes: [UInt8], _ effective: EffectiveTime
  ) throws -> [Event] {
    let options = ImportOptions(
      fileName: file, account: account, app: app, environment: environment?.environment)
    do throws(ImportError) {
      return try importFormat.format.events(from: bytes, options: options, effective: effective)
    } catch {
      throw InputProblem(error.description)
    }
  }

  private func append(
    _ events: [Event], to ledger: Ledger, _ summary: inout AppendSummary
  ) throws {
    var start = 0
    while start < events.count {
      let end = min(events.count, start + batchEventsMax)
      let batch = events[start..<end].map { EventInput(event: $0) }
      summary.add(try ledger.appendAndWait(batch))
      start = end
    }
  }

  private static func bytes(of file: String) throws -> [UInt8] {
    let handle =
      file == "-"
      ? try FileHandle.readableStandardInput(as: "the store")
      : try FileHandle(readingInput: file, as: "the store")
    do { return [UInt8](try handle.readToEnd() ?? Data()) } catch {
      throw InputProblem(
        "\(file) cannot be read: \(error.localizedDescription)", exitCode: ExitStatus.inputOutput)
    }
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
}
