/// `arrived-late` (info): a dated store fact whose store time is earlier than that of another fact
/// of the same original that is already in the ledger, by position. Once per event.
enum ArrivedLate {
  /// `latest` is the highest store time among the facts that arrived before.
  static func breaks(_ storeTime: Int64, latest: Int64) -> Bool { storeTime < latest }
}
