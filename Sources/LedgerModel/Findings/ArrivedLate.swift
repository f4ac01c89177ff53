/// `arrived-late` (info): a dated store fact whose store time is earlier than that of another of
/// the same original that is in the ledger already, by position. Once per event.
enum ArrivedLate {
  /// `latest` is the highest store time among those that arrived before.
  static func breaks(_ storeTime: Int64, latest: Int64) -> Bool { storeTime < latest }
}
