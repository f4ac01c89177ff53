/// `hosted-content-unsupported` (error): a delivery with downloads that the store hosts, of a
/// product whose entry says another kind than nonConsumable. Once per transaction.
enum HostedContentUnsupported {
  static func breaks(_ announced: [FactDetail.Announced], entry: CatalogEntry?) -> Bool {
    guard let entry, entry.kind != .nonConsumable else { return false }
    return announced.contains { ($0.host ?? .store) == .store }
  }
}
