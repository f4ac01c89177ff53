import Foundation
import LedgerEvents

/// Asks the user for consent to a command.
enum Consent {
  /// Whether somebody can be asked.
  static var canAsk: Bool { Console.isInputTerminal && Console.isErrorTerminal }

  /// Prints a question and waits for the answer.
  ///
  /// - Returns: Whether the answer is yes; no answer means no.
  static func isGiven(to question: String) -> Bool {
    Console.flush()
    Console.write(toError: "\(question.printable) [y/N] ")
    return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
  }
}
