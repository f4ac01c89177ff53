/// `invalid-product` (error): `payment.added` for a product that is invalid according to the newest
/// `catalog.received` on that device that names it. Once per event.
enum InvalidProduct {
  static func breaks(isListedAsInvalid: Bool) -> Bool { isListedAsInvalid }
}
