/// `hosted-content-unsupported` (error): a delivery with downloads that the store hosts, of a
/// product that is defined as something other than nonConsumable. Once per transaction.
enum HostedContentUnsupported {
  static func breaks(_ announced: [FactDetail.Announced], definition: ProductDefinition?) -> Bool {
    guard let definition, definition.kind != .nonConsumable else { return false }
    return announced.contains { ($0.host ?? .store) == .store }
  }
}
