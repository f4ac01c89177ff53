import ArgumentParser
import Foundation
import LedgerAnswers
import LedgerEvents
import LedgerStore
import PackageFiles
import Synchronization

/// Standard output in large writes, and standard error for what is not an answer.
///
/// Output that cannot be written is dropped, and the command runs to its end. If its reader is
/// gone, the exit code of a check still says what it found. If the disk is full, the exit code is
/// 74. Commands whose answer may have no end check ``isOutputLost`` and stop.
enum Console {
  /// The number of bytes that are collected before they are written.
  private static let bufferBytesMax = 64 * 1024
  private static let pending = Mutex<[UInt8]>([])

  /// Whether standard output was lost, and how.
  enum Loss {
    case none
    /// The reader of the pipe has ended by choice, as in `daybook events | head`.
    case readerGone
    /// The answer is incomplete because of a failure.
    case failed
  }

  private static let lost = Mutex(Loss.none)

  static var loss: Loss { lost.withLock { $0 } }

  /// Whether nothing that is printed from now on will be read.
  static var isOutputLost: Bool { loss != .none }

  static func print(_ line: String) { print(bytes: Array(line.utf8)) }

  /// Prints one line, and adds the line feed.
  static func print(bytes: [UInt8]) {
    let lines = csv.withLock { csv in csv?.lines(adding: bytes) }
    pending.withLock { pending in
      if let lines { pending += lines.joined() } else { pending += bytes + [UInt8(ascii: "\n")] }
      if pending.count >= bufferBytesMax { write(&pending) }
    }
  }

  // MARK: - CSV

  /// Turns lines of JSON into CSV; `nil` if CSV was not requested.
  private static let csv = Mutex<CSVAnswer?>(nil)

  /// Makes everything that is printed as JSON Lines come out as CSV.
  static func writeCSV() {
    csv.withLock { csv in if csv == nil { csv = CSVAnswer() } }
  }

  /// A converter of a file's lines of JSON into CSV; `nil` if CSV was not requested.
  static var fileCSV: CSVAnswer? { csv.withLock { $0 == nil ? nil : CSVAnswer() } }

  /// Declares the columns of an answer as CSV, so that an answer without rows has them, too.
  ///
  /// - Parameters:
  ///   - columns: The names, which are those of the members in JSON.
  ///   - list: The member whose elements are the rows; `nil` if each line is a row.
  static func declare(columns: [String], list: String? = nil) {
    csv.withLock { csv in csv?.declare(columns, list: list) }
  }

  /// Prints what CSV holds back until the answer is complete.
  fileprivate static func endAnswer() {
    let lines = csv.withLock { csv in csv?.lastLines() ?? [] }
    pending.withLock { pending in pending += lines.joined() }
    flush()
  }

  /// Writes everything that is pending to standard output.
  static func flush() {
    pending.withLock { pending in write(&pending) }
  }

  /// Writes a message to standard error. Control characters in names and paths are replaced, so
  /// that no file's name reaches the terminal as a command.
  static func complain(_ message: String) {
    flush()
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
    let shown = lines.map { String($0).printable }.joined(separator: "\n")
    write(toError: shown + "\n")
  }

  /// Reports that the projections could not be folded, and what to do about it.
  static func complain(foldFailure reason: String) {
    complain(
      "warning: the last fold of the projections failed: \(reason) All appended events are safe "
        + "and every answer is complete, but answers get slower. If the failure stays, run "
        + "`daybook rebuild`.")
  }

  /// Reports that the root of the last commit could not be kept, and what that means.
  static func complain(rootFailure reason: String) {
    complain(
      "warning: the root of the last commit could not be kept beside the log: \(reason) All "
        + "appended events are safe. But until an append can keep its root, Daybook does not "
        + "notice if the events after the last kept root are lost.")
  }

  static func complain(repairedDamage what: String) {
    complain(
      "warning: \(what.printable). Nothing was looked up in it: the log was read "
        + "instead, and the projections were folded again from it. Check the disk.")
  }

  /// Whether to use colour: only on a terminal, unless `NO_COLOR` is set (no-color.org).
  private static let isColoured =
    isOutputTerminal && !isDumb
    && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty

  /// Whether the terminal shows only lines, without colours or moving bars.
  static let isDumb = ProcessInfo.processInfo.environment["TERM"] == "dumb"

  /// The maximum width of a line; `nil` for no limit. `COLUMNS` takes precedence over the terminal.
  static let columns: Int? = {
    let stated = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 0
    if stated > 0 { return stated }
    return isOutputTerminal ? StandardOutput.columns : nil
  }()

  /// Prints a text that people read, in lines that fit the terminal.
  static func print(wrapped text: String, indent: String = "") {
    wrapped(text.printable, indent: indent).forEach(print)
  }

  /// A text that people read in lines that fit the terminal, each with an indent.
  static func wrapped(_ text: String, indent: String) -> [String] {
    guard let columns, indent.count + text.count > columns else { return [indent + text] }
    return Paragraph.lines(text, columns: max(columns - indent.count, 1)).map { indent + $0 }
  }

  static func bold(_ text: String) -> String { isColoured ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

  static func red(_ text: String) -> String { isColoured ? "\u{1B}[31m\(text)\u{1B}[0m" : text }

  /// Writes a text to standard error unchanged, for output that rewrites its line.
  static func write(toError text: String) {
    do {
      try FileHandle.standardError.write(contentsOf: Data(text.utf8))
    } catch {
      // This happens if standard error is a file on a full disk. There is nowhere left to complain,
      // and the work continues.
      return
    }
  }

  static var isOutputTerminal: Bool { isatty(FileHandle.standardOutput.fileDescriptor) == 1 }

  static var isErrorTerminal: Bool { isatty(FileHandle.standardError.fileDescriptor) == 1 }

  static var isInputTerminal: Bool { isatty(FileHandle.standardInput.fileDescriptor) == 1 }

  /// Whether this process may use the terminal of standard input: its process group is in the
  /// foreground, or the terminal has no job control.
  static var isInForeground: Bool {
    let owner = tcgetpgrp(FileHandle.standardInput.fileDescriptor)
    return owner < 0 || owner == getpgrp()
  }

  private static func write(_ pending: inout [UInt8]) {
    defer { pending.removeAll(keepingCapacity: true) }
    guard !pending.isEmpty, !isOutputLost else { return }
    do throws(FolderError) {
      try StandardOutput.write(pending.span)
    } catch {
      let isReaderGone = error.kind == .readerGone
      lost.withLock { $0 = isReaderGone ? .readerGone : .failed }
      if isReaderGone { return }
      write(
        toError: "daybook: standard output cannot be written: \(error.reason); the answer is "
          + "incomplete.\n")
    }
  }
}

/// Runs a command's body, and turns its errors into a message and an exit code.
///
/// If the answer could not be written completely, the exit code is 74, whatever the answer was.
func answering(_ body: () throws -> Void) throws {
  let outcome = Result { try telling(body) }
  Console.endAnswer()
  if Console.loss == .failed { throw ExitStatus.inputOutput }
  try outcome.get()
}

private func telling(_ body: () throws -> Void) throws {
  do {
    try body()
  } catch let error as LedgerError {
    Console.complain("daybook: \(error.message)")
    throw ExitStatus.code(for: error)
  } catch let error as InputProblem {
    Console.complain("daybook: \(error.message)")
    throw error.exitCode
  } catch let exit as ExitCode {
    throw exit
  } catch let error as ValidationError {
    throw error
  } catch {
    // Nothing else throws except writing files.
    Console.complain("daybook: \(error.systemReason)")
    throw ExitStatus.inputOutput
  }
}

/// What is wrong with a file or an argument, in words, and the exit code.
struct InputProblem: Error {
  let message: String
  let exitCode: ExitCode

  init(_ message: String, exitCode: ExitCode = ExitStatus.badInput) {
    self.message = message
    self.exitCode = exitCode
  }
}
