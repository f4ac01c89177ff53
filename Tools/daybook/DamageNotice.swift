import ArgumentParser
import Foundation
import LMDB
import LedgerAnswers
import LedgerEvents
import LedgerStore

/// Reports where a ledger is damaged if a damaged page has ended a command with a signal.
///
/// The command's process executes this program again, with other arguments. It then checks the
/// pages without LMDB, names the damaged ones, and exits with the code for damaged data. If no page
/// is damaged, the signal had another cause, and the process ends with that signal after all.
enum DamageNotice {
  /// The maximum number of damaged pages that are named.
  private static let pagesNamedMax = 5

  /// Makes a signal that a damaged page causes lead to ``run(_:)``.
  ///
  /// - Parameter words: The command's words, which may name the ledger.
  static func prepare(_ words: [String]) {
    let ledger = path(in: words) ?? LedgerOptions.named ?? LedgerOptions.usual
    FaultSignals.run(executable) { DamageHandover.words($0, ledger: ledger) }
  }

  #if os(Linux)
    private static let executable = "/proc/self/exe"
  #else
    private static let executable = Bundle.main.executablePath ?? CommandLine.arguments[0]
  #endif

  private static func path(in words: [String]) -> String? {
    let option = "--ledger"
    for (index, word) in words.enumerated() {
      if word == option, index + 1 < words.count { return words[index + 1] }
      if word.hasPrefix(option + "=") { return String(word.dropFirst(option.utf8.count + 1)) }
    }
    return nil
  }

  /// Reports what is damaged and exits, if these are the arguments that ``prepare(_:)`` set.
  static func run(_ words: [String]) {
    guard words.count == 3, words[0] == DamageHandover.mark, let signal = Int32(words[1]),
      FaultSignals.numbers.contains(signal)
    else { return }
    let path = words[2]
    do throws(LedgerError) {
      let damaged = try EventLog.damagedPages(path)
      if !damaged.isEmpty {
        tell(damaged, in: path)
        Console.complain(damagedLogAdvice(path))
        Daybook.exit(withError: ExitStatus.badInput)
      }
      let projections = try Ledger.damagedProjectionPages(path)
      if !projections.isEmpty {
        tell(projections, in: path)
        Console.complain(
          "the log is intact: run `daybook rebuild`, then the command again; what it had "
            + "acknowledged is there")
        Daybook.exit(withError: ExitStatus.tryAgain)
      }
    } catch {
      Console.complain("daybook: \(error.message)")
      Daybook.exit(withError: ExitStatus.code(for: error))
    }
    FaultSignals.die(signal)
  }

  private static func tell(_ pages: [DamagedPage], in path: String) {
    Console.complain("daybook: the ledger \(path.printable) has \(count(pages))")
    for page in pages.prefix(pagesNamedMax) {
      Console.complain("  \(page.description.printable)")
    }
    if pages.count > pagesNamedMax { Console.complain("  and \(pages.count - pagesNamedMax) more") }
  }

  /// How many pages are damaged, as far as they are listed.
  static func count(_ pages: [DamagedPage]) -> String {
    let number = Set(pages.map { "\($0.file) \($0.number)" }).count
    let isCut = pages.count >= EventLog.damagedPagesMax
    return (isCut ? "at least " : "") + number.counted("damaged page")
  }

  /// What to do about damaged pages of a log.
  static func damagedLogAdvice(_ path: String) -> String {
    "restore the ledger from its newest backup, or save what is left: `daybook salvage "
      + "\(path.printable) --into NEW`"
  }
}
