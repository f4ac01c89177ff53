import ArgumentParser
import HostedContent
import LedgerEvents
import LedgerQueries

/// The owner of a folder of content.
struct ContentOwnerOptions: ParsableArguments {
  @Option(
    help: "The account that owns the content (default: the folder's owner).",
    completion: Completions.accounts, transform: Parse.name)
  var account: Name?

  @Option(
    help: "The device that the folder belongs to (default: the folder's device).",
    completion: Completions.devices, transform: Parse.name)
  var device: Name?

  func owner(of path: String) throws -> ContentOwner {
    if let account, let device { return ContentOwner(account: account, device: device) }
    guard let known = try ContentRoot(reading: path).owner() else {
      throw InputProblem(
        "\(path): nothing was installed here yet: name --account and --device.",
        exitCode: ExitStatus.noInput)
    }
    return ContentOwner(account: account ?? known.account, device: device ?? known.device)
  }
}

extension ContentKeeper {
  /// Creates a keeper of a folder that reports on standard error what became of interrupted work.
  static func keeper(
    of path: String, _ owner: ContentOwner, _ ledger: LedgerOfContent, _ time: StoreClockOptions
  ) -> ContentKeeper {
    ContentKeeper(
      path, owner: owner, ledger: ledger, clock: time.clock, isolation: .inChild
    ) { recovery in
      let what =
        recovery.product.text.printable
        + (recovery.version.map { " " + $0.text.printable } ?? "")
      let how = recovery.isFinished ? "finished" : "undone"
      Console.complain("daybook: interrupted work on \(what) was \(how)")
    }
  }
}

/// Runs a command's body, and turns errors of content into a message and an exit code.
func answeringForContent(_ body: () throws -> Void) throws {
  try answering {
    do { try body() } catch let error as ContentError {
      let code =
        switch error.code {
        case .missing: ExitStatus.noInput
        case .inputOutput, .diskFull: ExitStatus.inputOutput
        case .malformed, .refused: ExitStatus.badInput
        case .exists: ExitStatus.cannotCreate
        case .busy, .changed: ExitStatus.tryAgain
        }
      throw InputProblem(error.description, exitCode: code)
    }
  }
}
