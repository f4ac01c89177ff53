import Foundation

extension StoreError {
  /// An error of StoreKit 2, which is a Swift enum: `error as NSError` would give the case's
  /// number, which changes with the system, and lose what the case carries.
  ///
  /// The message is the case's name, such as `networkError`, and what it carries is behind it.
  ///
  /// - Parameter domain: The type's name, such as `StoreKit.StoreKitError`.
  init(case error: any Error, domain: String) {
    let carried = Mirror(reflecting: error).children.first
    let outer = error as NSError
    self.init(
      domain: domain, code: outer.code, message: carried?.label ?? String(describing: error))
    if let behind = carried?.value as? any Error {
      let inner = StoreError(behind)
      underlying = [StoreError(domain: inner.domain, code: inner.code, message: inner.message)]
      underlying += inner.underlying.prefix(Self.depthMax - 1)
    }
  }
}
