internal import LMDB
internal import LedgerEvents

extension LogVerifier {
  /// Verifies the rows of the ledger's identity.
  mutating func verifyMeta(_ log: LogView) {
    do throws(LMDBError) {
      var cursor = try log.view.cursor(log.tables.meta)
      while try cursor.next() {
        let name = String(validating: [UInt8](copying: cursor.key), as: UTF8.self)
        guard let row = name.flatMap({ LogIdentity.Row(rawValue: $0) }) else {
          report(LogFault(.meta, "the ledger's identity has a row that is not known"))
          continue
        }
        do throws(LedgerError) { _ = try LogIdentity.row(row, log.view, log.tables) } catch {
          report(LogFault(.meta, "the ledger's \(row) does not have its checksum"))
        }
      }
    } catch {
      report(LogFault(.table, "the table of the ledger's identity cannot be read: \(error)"))
    }
  }

  /// The position of an erasure whose keys may not have been destroyed yet; `nil` if there is none.
  func unfinishedErasure(_ log: LogView) -> UInt64? {
    do throws(LedgerError) { return try ErasureMark(log.view, log.tables)?.position } catch {
      // A damaged row of the ledger's identity was reported when that was read.
      return nil
    }
  }

  /// Reads the list of what was erased, and verifies the names and events that it refers to.
  mutating func verifyErasures(_ log: LogView) {
    do throws(LedgerError) {
      let listed = try ListedErasures(log)
      take(listed)
      for row in try listed.strays(in: log) {
        let subject = row.number != 0 ? "name \(row.number)" : "position \(row.event)"
        report(
          LogFault(
            .erasure, position: row.position,
            "\(subject) is listed as erased under a key that is not its own"))
      }
      for position in listed.positions.sorted() {
        let isErasure = try log.record(at: position, isChecked: false).kind == .accountErased
        if isErasure { continue }
        report(
          LogFault(
            .erasure, position: position,
            "position \(position) is listed as an erasure, which it is not"))
      }
    } catch {
      report(LogFault(.erasure, "the list of what was erased cannot be read: \(error)"))
    }
  }
}
