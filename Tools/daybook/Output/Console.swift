import ArgumentParser
import Foundation
import LedgerStore
import Synchronization

/// Standard output in large writes, and standard error for what is not an answer.
enum Console {
  /// Bytes gathered before they are written.
  private static let bufferBytesMax = 64 * 1024
  private static let pending = Mutex<[UInt8]>([])

  static func print(_ line: String) { print(bytes: Array(line.utf8)) }

  /// Adds one line; the line feed is added here.
  static func print(bytes: [UInt8]) {
    pending.withLock { pending in
      pending += bytes
      pending.append(UInt8(ascii: "\n"))
      if pending.count >= bufferBytesMax { write(&pending) }
    }
  }

  /// Hands everything to the reader of standard output.
  static func flush() {
    pending.withLock { pending in write(&pending) }
  }

  static func complain(_ message: String) {
    flush()
    write(toError: message + "\n")
  }

  /// Colour only for people who have not said no to it (no-color.org).
  private static let isColoured =
    isOutputTerminal
    && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty

  static func bold(_ text: String) -> String { isColoured ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

  static func red(_ text: String) -> String { isColoured ? "\u{1B}[31m\(text)\u{1B}[0m" : text }

  /// Writes to standard error as it stands, for what rewrites its line.
  static func write(toError text: String) {
    do {
      try FileHandle.standardError.write(contentsOf: Data(text.utf8))
    } catch {
      // A log on a full disk: there is nowhere left to complain, and the work goes on.
      return
    }
  }

  static var isOutputTerminal: Bool { isatty(FileHandle.standardOutput.fileDescriptor) == 1 }

  static var isErrorTerminal: Bool { isatty(FileHandle.standardError.fileDescriptor) == 1 }

  static var isInputTerminal: Bool { isatty(FileHandle.standardInput.fileDescriptor) == 1 }

  private static func write(_ pending: inout [UInt8]) {
    guard !pending.isEmpty else { return }
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(pending))
    } catch {
      // The reader of the pipe has gone: there is nobody left to answer.
      Foundation.exit(0)
    }
    pending.removeAll(keepingCapacity: true)
  }
}

/// Runs a command's body and turns what it throws into a message and an exit code.
func answering(_ body: () throws -> Void) throws {
  defer { Console.flush() }
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
    // Nothing else throws but the writing of files.
    Console.complain("daybook: \(error.localizedDescription)")
    throw ExitStatus.inputOutput
  }
}

/// What is wrong with a file or an argument, in words, and the code to leave with.
struct InputProblem: Error {
  let message: String
  let exitCode: ExitCode

  init(_ message: String, exitCode: ExitCode = ExitStatus.badInput) {
    self.message = message
    self.exitCode = exitCode
  }
}
