/// `finished-unknown` (warning): `transaction.finished`, or a download event, of a transaction of
/// which no `transaction.*` or `subscription.*` event went before, those of the store too. Once per
/// transaction.
enum FinishedUnknown {
  static func breaks(_ marks: TransactionState.Marks) -> Bool {
    marks.isDisjoint(with: [.knownFromStoreOrQueue, .unknownFound])
  }
}
