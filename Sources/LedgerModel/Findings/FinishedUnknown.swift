/// `finished-unknown` (warning): `transaction.finished`, or a download event, of a transaction
/// without any earlier `transaction.*` or `subscription.*` event. Events from the store count as
/// earlier ones, too. Once per transaction.
enum FinishedUnknown {
  static func breaks(_ marks: TransactionState.Marks) -> Bool {
    marks.isDisjoint(with: [.knownFromStoreOrQueue, .unknownFound])
  }
}
