/// `finished-unknown` (warning): `transaction.finished`, or a download event, of a transaction
/// without any earlier `transaction.*` or `subscription.*` event, including those from the store.
/// Once per transaction.
enum FinishedUnknown {
  static func breaks(_ marks: TransactionState.Marks) -> Bool {
    marks.isDisjoint(with: [.knownFromStoreOrQueue, .unknownFound])
  }
}
