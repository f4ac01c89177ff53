internal import LMDB
internal import LedgerEvents

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension LedgerPart {
  /// Writes the events after a position of the log, and verifies them.
  func copyIncrement(
    of log: EventLog, since position: UInt64, _ progress: (UInt64, UInt64) -> Void
  ) throws(LedgerError) -> LedgerCopy {
    let found = try log.writeIncrement(
      since: position, to: path, mode: Self.mode, progress: progress)
    if let fault = found.damage.first {
      throw LedgerError(
        .corrupt, "The log is not as it was written: \(fault.message).", position: fault.position)
    }
    return LedgerCopy(
      position: found.events, root: found.root, keyFaults: found.keyFaults,
      keysMissing: found.keysMissing)
  }

  /// Adds the contents of an incremental backup to the copy.
  func apply(_ increment: String) throws(LedgerError) {
    let log = try EventLog(open: path, access: .readWrite, keysIn: nil)
    do throws(LedgerError) { try log.apply(incrementIn: increment) } catch {
      try log.close()
      throw error
    }
    try log.close()
  }

  /// Opens the copy while `body` runs.
  func withLog<Value>(
    _ body: (EventLog) throws(LedgerError) -> Value
  ) throws(LedgerError) -> Value {
    var options = Environment.Options()
    options.usesLocks = false
    let log = try EventLog(open: path, access: .readOnly, options: options, keysIn: nil)
    let value: Value
    do throws(LedgerError) { value = try body(log) } catch {
      try log.close()
      throw error
    }
    try log.close()
    return value
  }

  /// Replaces `copy` with a copy of a file. The copy appears as a whole.
  static func replace(_ copy: String, byCopyOf file: String) throws(LedgerError) {
    let folder = folder(of: copy)
    let part = copy + suffix()
    do throws(LMDBError) {
      if try self.copy(file, to: part, in: folder) {
        try renameFolder(part, to: copy, in: folder)
      }
    } catch {
      // What is left of the attempt is useless. The error that ended it is the one to report.
      _ = Result { try FileManager.default.removeItem(atPath: part) }
      throw LedgerError(
        LedgerError(error).code, "The keys cannot be copied to \(copy): \(error.message)",
        cause: error)
    }
  }
}
