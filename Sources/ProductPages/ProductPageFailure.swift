public import LedgerEvents

/// What an error of a product page usually means.
public enum ProductPageFailure {
  /// `SKError.Code.storeProductNotAvailable`, whose message misleadingly mentions the connection.
  private static let notAvailable = 5

  /// What to check first; `nil` for other events, and for errors that mean what they say.
  ///
  /// Source: Apple, *SKError.Code.storeProductNotAvailable*; Microsoft, *Changes to StoreKit in
  /// iOS 6*, Errors: `SKErrorDomain` 5 with “Cannot connect to iTunes Store” occurs where the Apple
  /// ID is not valid, which implies a network problem that there is not.
  public static func explanation(of event: Event) -> String? {
    guard event.type.kind == .productPageFailed,
      let error = event.data.object("error"),
      error.first(where: { $0.name == "domain" })?.value.string == "SKErrorDomain",
      error.first(where: { $0.name == "code" })?.value.integer == Int64(notAvailable)
    else { return nil }
    let item = event.data.string("storeItem").map { "item \($0)" } ?? "such item"
    return "error 5 is mostly no trouble with the network: the store has no \(item) for this "
      + "storefront. Look whether the number is that of an item (not of its maker, nor a bundle "
      + "identifier) and whether the item is sold there"
  }
}
