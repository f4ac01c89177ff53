extension Event {
  /// The names that the event uses, each with its kind, in the order in which a record numbers
  /// them: the envelope's `app`, `account`, `device`, `session`, `payment`, `product`,
  /// `transaction`, `originalTransaction` and `download`; then those inside `data`: `to` of a link
  /// or transfer, the `download` of each of a delivery's `downloads`, the `product` of each of a
  /// catalogue's `products`, and each of a response's `invalid` ids.
  ///
  /// A name that is used twice is listed twice. The event must be valid.
  ///
  /// - Complexity: O(*n*) in the size of the event's `data` for the types with names in it.
  public var nameUses: [NameUse] {
    var uses: [NameUse] = []
    uses.reserveCapacity(9)
    func add(_ kind: NameKind, _ name: Name?) {
      if let name { uses.append(NameUse(kind: kind, name: name)) }
    }
    add(.app, app)
    add(.account, account)
    add(.device, device)
    add(.session, session)
    add(.payment, payment)
    add(.product, product)
    add(.transaction, transaction)
    add(.transaction, originalTransaction)
    add(.download, download)
    switch type.kind {
    case .accountLinked, .accountTransferred:
      add(.account, data.name("to"))
    case .transactionPurchased, .transactionRestored, .subscriptionRenewed:
      for download in data.array("downloads") ?? [] {
        add(.download, download["download"]?.string.map { Name($0) })
      }
    case .catalogSet, .catalogReceived:
      for product in data.array("products") ?? [] {
        add(.product, product["product"]?.string.map { Name($0) })
      }
      guard type.kind == .catalogReceived else { break }
      for product in data.array("invalid") ?? [] {
        add(.product, product.string.map { Name($0) })
      }
    default:
      break
    }
    return uses
  }
}
