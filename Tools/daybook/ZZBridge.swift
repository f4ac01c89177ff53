import LedgerStore
extension Ledger {
  func rebuild(progress: ((UInt64, UInt64) -> Void)?) throws(LedgerError) {}
  func checkProjections(progress: ((UInt64, UInt64) -> Void)?) throws(LedgerError) -> [String] { [] }
}
