internal import LedgerEvents
internal import LedgerModel

/// The texts of a log for the reducer: names and ids by number and position, from a snapshot of
/// its own.
///
/// The reducer asks for them where an order by bytes decides a tie, which is seldom. It cannot
/// throw, so a failure is kept here and thrown by whoever asked for the fold.
final class LogTexts: FactTexts {
  private var snapshot: LogSnapshot
  private(set) var failure: LedgerError?

  init(_ log: EventLog) throws(LedgerError) { snapshot = try log.snapshot() }

  func id(ofPosition position: UInt64) -> Name {
    attempt { (view) throws(LedgerError) in
      do throws(RecordError) {
        return try view.record(at: position, isChecked: false).id()
      } catch { throw LedgerError(error, at: position) }
    }
  }

  func text(of number: NameNumber) -> Name {
    attempt { (view) throws(LedgerError) in try view.name(number).name }
  }

  /// Takes the log's newest state.
  func renew() throws(LedgerError) { try snapshot.renew() }

  /// Throws what a fold could not.
  func check() throws(LedgerError) {
    if let failure { throw failure }
  }

  private func attempt(_ body: (LogView) throws(LedgerError) -> Name) -> Name {
    do throws(LedgerError) { return try body(try snapshot.view) } catch {
      failure = failure ?? error
      return ""
    }
  }
}
