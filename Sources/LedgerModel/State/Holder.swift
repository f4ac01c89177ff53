/// Who holds something in one environment: a customer, or nobody.
struct Holder: Hashable, Sendable {
  /// The customer's index in `EnvironmentState.customers`; negative if there is no customer.
  let index: Int

  init(customer index: Int) { self.index = index }

  /// The customer's index; `nil` if there is no customer.
  var customer: Int? { index < 0 ? nil : index }

  /// No account is known, or the customer was erased.
  static var nobody: Holder { Holder(customer: none) }
  /// The row was merged into another one and holds nothing any more. It is the lowest index that is
  /// stored.
  static var merged: Holder { Holder(customer: none - 1) }
}
