import ArgumentParser
import PackageFiles
import WorkThreads

/// The executable: every command with its options, and nothing that a library should do.
@main
struct Daybook: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "daybook",
    abstract: "An event-sourced ledger for in-app purchases.",
    discussion: """
      Events of the payment queue, the app and the store's server are appended to a log and folded \
      into entitlements, installed versions and findings. Every command takes --ledger PATH (or \
      DAYBOOK_LEDGER, else ./daybook.ledger), before or after the command.
      """,
    version: "daybook \(Version.program)",
    subcommands: [
      Init.self, Append.self, Import.self, PullCommand.self, ServeCommand.self,
      EventsCommand.self,
      CustomersCommand.self,
      CustomerCommand.self, EntitlementsCommand.self,
      HoldersCommand.self, InstalledCommand.self, TransactionsCommand.self, FindingsCommand.self,
      HealthCommand.self,
      ExplainCommand.self, DiffCommand.self, Catalog.self, ContentCommand.self,
      StoreItemCommand.self, Grant.self,
      Withdraw.self, Assign.self, Link.self, Transfer.self, Note.self, Erase.self,
      ReplayCommand.self,
      Simulate.self, Explore.self, ExportCommand.self, KeyCommand.self,
      CheckpointCommand.self, ProveCommand.self, CheckCommand.self, WitnessCommand.self,
      TokenCommand.self, AnswerKeyCommand.self, WebhookCommand.self,
      Rebuild.self, Verify.self, Backup.self, Restore.self, Salvage.self, Stats.self,
      TypesCommand.self, RulesCommand.self, Version.self,
    ])

  static func main() {
    FileSizeLimit.reportAsError()
    let held = StandardStreams.fillGaps()
    StandardOutput.reportGoneReaders()
    withExtendedLifetime(held) {
      // Swift reads them from /proc/self/cmdline.
      guard !CommandLine.arguments.isEmpty else {
        Console.complain(
          "daybook: the arguments cannot be read, because /proc is not there: mount it "
            + "(mount -t proc proc /proc), then try again.")
        exit(withError: ExitStatus.inputOutput)
      }
      if let problem = StartWords.problem() {
        Console.complain("daybook: \(problem)")
        exit(withError: ExitStatus.usage)
      }
      do {
        DamageNotice.run(Array(CommandLine.arguments.dropFirst()))
        let words = try CommandWords.inOrder(Array(CommandLine.arguments.dropFirst()))
        DamageNotice.prepare(words)
        var command = try parseAsRoot(words)
        do { try command.run() } catch let error as ValidationError {
          refuse(error, of: type(of: command))
        }
      } catch  where exitCode(for: error).isSuccess {
        tell(fullMessage(for: error))
      } catch {
        refuse(error)
      }
    }
  }

  /// Reports what is wrong with the arguments, unless that has been reported, and exits.
  private static func refuse(_ error: any Error) -> Never {
    let message = fullMessage(for: error)
    if !(error is ExitCode), !message.isEmpty { Console.complain(message) }
    exit(withError: exitCode(for: error))
  }

  /// Reports what a command finds wrong with its arguments while it runs, with its own usage, and
  /// exits.
  private static func refuse(
    _ error: ValidationError, of command: any ParsableCommand.Type
  ) -> Never {
    let usage = usageString(for: command)
    let name = usage.split(separator: " ").prefix { $0.first?.isLetter == true }
    Console.complain(
      """
      Error: \(error.message)
      Usage: \(usage.replacing("\n", with: "\n       "))
        See '\(name.joined(separator: " ")) --help' for more information.
      """)
    exit(withError: exitCode(for: error))
  }

  /// Prints what was requested instead of a command's answer: help or completions.
  private static func tell(_ message: String) {
    do {
      try answering { if !message.isEmpty { Console.print(message) } }
    } catch {
      refuse(error)
    }
  }
}
