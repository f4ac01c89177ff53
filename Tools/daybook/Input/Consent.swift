import Foundation

/// Asks whoever types a command whether it is meant.
enum Consent {
  /// Whether somebody can be asked.
  static var canAsk: Bool { Console.isInputTerminal && Console.isErrorTerminal }

  /// Prints a question and waits for the answer.
  ///
  /// - Returns: Whether it begins with yes; no answer is no.
  static func isGiven(to question: String) -> Bool {
    Console.flush()
    Console.write(toError: "\(TextTable.printable(question)) [y/N] ")
    return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
  }
}
