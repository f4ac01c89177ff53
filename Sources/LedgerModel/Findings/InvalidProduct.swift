/// `invalid-product` (error): `payment.added` for a product that the newest `catalog.received` on
/// that device that names it lists as invalid. Once per event.
enum InvalidProduct {
  static func breaks(isListedAsInvalid: Bool) -> Bool { isListedAsInvalid }
}
