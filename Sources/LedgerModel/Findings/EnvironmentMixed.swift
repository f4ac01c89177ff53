import LedgerEvents

/// `environment-mixed` (error): two environments are stated for one transaction, found at the first
/// event that states another than the first, in that event's environment. Once per transaction,
/// over all environments.
enum EnvironmentMixed {
  static func breaks(stated: StoreEnvironment?, first: StoreEnvironment?) -> Bool {
    guard let stated, let first else { return false }
    return stated != first
  }
}
