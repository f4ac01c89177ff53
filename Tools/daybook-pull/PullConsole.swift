import ArgumentParser
import Foundation
import LedgerEvents
import StorePull

/// Standard output and standard error.
enum PullConsole {
  static func print(_ line: String) {
    write(line + "\n", to: FileHandle.standardOutput)
  }

  /// Says something on standard error. Control characters of names and of the store's messages do
  /// not reach the terminal.
  static func complain(_ message: String) {
    ProgressLine.shared.clear()
    write("daybook-pull: \(message.printable)\n", to: FileHandle.standardError)
  }

  static func write(_ text: String, to handle: FileHandle) {
    do { try handle.write(contentsOf: Data(text.utf8)) } catch {
      // There is nowhere left to say so, and the pull is worth more than its report.
      return
    }
  }

  static let isErrorTerminal = isatty(FileHandle.standardError.fileDescriptor) == 1

  /// Prints rows with columns of the same width, two spaces apart.
  static func table(_ header: [String], _ rows: [[String]]) {
    let all = [header] + rows.map { $0.map(\.printable) }
    let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    for row in all {
      let cells = row.enumerated().map { column, cell in
        column == row.count - 1
          ? cell : cell + String(repeating: " ", count: widths[column] - cell.count + 2)
      }
      print(cells.joined())
    }
  }
}

/// A line on a terminal that says how far the pull is; nothing in a pipe.
final class ProgressLine: PullProgress {
  static let shared = ProgressLine()

  private let isShown =
    PullConsole.isErrorTerminal && ProcessInfo.processInfo.environment["TERM"] != "dumb"

  func pulled(_ subject: String, page: Int, signed: Int) {
    guard isShown else { return }
    PullConsole.write(
      "\r\(subject.printable): page \(page), \(signed) signed texts\u{1B}[K",
      to: FileHandle.standardError)
  }

  func clear() {
    if isShown { PullConsole.write("\r\u{1B}[K", to: FileHandle.standardError) }
  }
}

/// Exit codes of sysexits(3), as those of `daybook`.
extension PullError {
  var exitCode: ExitCode {
    switch kind {
    case .badKey, .badFile, .unauthorized, .refused, .revoked: ExitCode(65)
    case .notFound: ExitCode(66)
    case .disk, .damagedState: ExitCode(74)
    case .cursorRefused, .unavailable, .throttled, .malformed, .endless, .busy, .wrongClock:
      ExitCode(75)
    case .daybook(let code): ExitCode(code)
    }
  }
}

/// Runs a command's body, and turns its errors into a message and an exit code.
func answering(_ body: () async throws -> Void) async throws {
  do { try await body() } catch let error as PullError {
    PullConsole.complain(error.message)
    throw error.exitCode
  }
  ProgressLine.shared.clear()
}

/// A line of JSON with its members in their order; absent values are `null`.
struct JSONLine {
  private var members: [String] = []

  mutating func add(_ name: String, _ text: String?) { add(name, json: text.map(Self.quoted)) }

  mutating func add(_ name: String, _ number: Int) { add(name, json: "\(number)") }

  mutating func add(_ name: String, _ flag: Bool) { add(name, json: flag ? "true" : "false") }

  mutating func add(_ name: String, json: String?) {
    members.append(Self.quoted(name) + ":" + (json ?? "null"))
  }

  var text: String { "{" + members.joined(separator: ",") + "}" }

  private static func quoted(_ text: String) -> String {
    String(decoding: JSONValue.string(text).json, as: UTF8.self)
  }
}
