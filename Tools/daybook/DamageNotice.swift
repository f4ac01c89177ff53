import ArgumentParser
import Foundation
import LMDB
import LedgerStore

/// Says where a ledger is damaged if a damaged page has ended a command by a signal.
///
/// The command's process becomes this program again, with other arguments. That looks at the pages
/// without LMDB, names those that are damaged, and leaves with the code of damaged data. If every
/// page is in order, the signal has another reason: then the process ends by it after all.
enum DamageNotice {
  private static let mark = "---damage-notice"

  /// Damaged pages that are named one by one.
  private static let pagesNamedMax = 5

  /// Has a signal of a damaged page lead to ``run(_:)``.
  ///
  /// - Parameter words: The command's words, which may name the ledger.
  static func prepare(_ words: [String]) {
    let ledger = path(in: words) ?? LedgerOptions.named ?? LedgerOptions.usual
    FaultSignals.run(executable) { ["daybook", mark, "\($0)", ledger] }
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

  /// Says what is damaged and leaves, if these are the words that a signal has led to.
  static func run(_ words: [String]) {
    guard words.count == 3, words[0] == mark, let signal = Int32(words[1]),
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
    Console.complain("daybook: the ledger \(TextTable.printable(path)) has \(count(pages))")
    for page in pages.prefix(pagesNamedMax) {
      Console.complain("  \(TextTable.printable(page.description))")
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
      + "\(TextTable.printable(path)) --into NEW`"
  }
}
