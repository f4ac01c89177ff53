import LedgerEvents

/// `environment-mixed` (error): two environments are stated for one transaction. It is found at the
/// first event that states a different environment from the first one, in that event's environment.
/// Once per transaction, over all environments.
enum EnvironmentMixed {
  static func breaks(stated: StoreEnvironment?, first: StoreEnvironment?) -> Bool {
    guard let stated, let first else { return false }
    return stated != first
  }
}
