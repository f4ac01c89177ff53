/// Who holds something in one environment: a customer, or nobody.
struct Holder: Hashable, Sendable {
  /// The customer's index in `EnvironmentState.customers`; negative if there is no customer.
  let place: Int

  init(customer place: Int) { self.place = place }

  /// The customer's index; `nil` if there is no customer.
  var customer: Int? { place < 0 ? nil : place }

  /// No account is known, or the customer was erased.
  static var nobody: Holder { Holder(customer: -1) }
  /// The row was merged into another one and holds nothing any more.
  static var merged: Holder { Holder(customer: -2) }
}
