/// `removed-without-finish` (error): `transaction.removed` of an open transaction. Once per
/// opening.
enum RemovedWithoutFinish {
  static func breaks(_ transaction: TransactionState) -> Bool {
    transaction.queue.isOpen && !transaction.marks.contains(.removalFoundInOpening)
  }
}
