internal import LedgerEvents

/// A transaction in one environment, which has at most one sale: the key for what is known of it.
///
/// `ID` is the transaction's number or its name, whichever is at hand.
struct SoldTransaction<ID: Hashable>: Hashable {
  var transaction: ID
  var environment: StoreEnvironment
}
