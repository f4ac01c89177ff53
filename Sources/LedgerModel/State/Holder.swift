/// Whose something is in one environment: a customer's, or nobody's.
struct Holder: Hashable, Sendable {
  /// The customer's place in `EnvironmentState.customers`; negative where it is no customer's.
  let place: Int

  init(customer place: Int) { self.place = place }

  /// No account is known, or the customer was erased.
  static var nobody: Holder { Holder(customer: -1) }
  /// The row was merged into another one and holds nothing any more.
  static var merged: Holder { Holder(customer: -2) }
}
