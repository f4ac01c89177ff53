public import LedgerEvents

/// Explains errors of product pages that are misleading.
public enum ProductPageFailure {
  /// `SKError.Code.storeProductNotAvailable`, whose message misleadingly mentions the connection.
  private static let notAvailable = 5

  /// Returns what to check first, or `nil` for other events and for errors that are not misleading.
  ///
  /// Source: Apple, *SKError.Code.storeProductNotAvailable*; Microsoft, *Changes to StoreKit in iOS
  /// 6*, Errors: `SKErrorDomain` 5 with “Cannot connect to iTunes Store” occurs if the Apple ID is
  /// invalid, although the message suggests a network problem.
  public static func explanation(of event: Event) -> String? {
    guard event.type.kind == .productPageFailed,
      let error = event.data.object("error"),
      error.first(where: { $0.name == "domain" })?.value.string == "SKErrorDomain",
      error.first(where: { $0.name == "code" })?.value.integer == Int64(notAvailable)
    else { return nil }
    let item = event.data.string("storeItem").map { "item \($0)" } ?? "such item"
    return "error 5 is usually not a network problem: the store has no \(item) in this "
      + "storefront. Check that the number is that of the item (not of its maker, and not a bundle "
      + "identifier) and that the item is on sale there"
  }
}
