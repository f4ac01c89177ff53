import LedgerAnswers
import LedgerEvents
import LedgerModel
import LedgerQueries
import ProductCatalogue

extension CatalogShow {
  func printListing() throws {
    let products = try options.read { (view) throws(LedgerError) in
      try view.catalogueListing(query)
    }
    var printer = ListPrinter<CatalogueProduct>(
      format, header: [], nothing: "", row: { _ in [] },
      write: { product, json in product.write(to: &json) })
    guard format == .table else {
      for product in products { printer.add(product) }
      printer.end()
      return
    }
    if products.isEmpty { Console.print("no products") }
    var table = TextTable([
      "product", "kind", "title", "delivery", "gives", "lasts", "group", "hosting", "version",
      "storefront", "price",
    ])
    var notes: [String] = []
    for product in products {
      for (index, offer) in (product.offers as [CatalogueProduct.Offer?] + [nil]).enumerated()
      where offer != nil || index == 0 {
        table.add(
          (index == 0 ? product.cells : Array(repeating: "", count: 9)) + [
            offer.map { $0.storefront?.code ?? "unknown" } ?? "-",
            offer.map { $0.isInvalid ? "not for sale" : String(price: $0.reading) } ?? "-",
          ])
        if let note = offer?.reading?.note {
          notes.append("\(product.product), \(offer?.storefront?.code ?? "unknown"): \(note)")
        }
      }
    }
    if !table.isEmpty { table.lines.forEach(Console.print) }
    for note in notes { Console.print("note: \(note.printable)") }
  }

  func printHistory() throws {
    let changes = try options.read { (view) throws(LedgerError) in
      try view.priceHistory(query)
    }
    var printer = ListPrinter<PriceChange>(
      format, header: ["storefront", "since", "price", "position", "devices", "responses", "last"],
      nothing: "no response of the store names it",
      row: { change in
        [
          change.storefront?.code ?? "unknown", change.since.shown,
          change.isInvalid ? "not for sale" : String(price: change.reading),
          "\(change.position)", "\(change.devices)", "\(change.responses)",
          change.lastSeen.shown,
        ]
      },
      write: { change, json in change.write(to: &json, product: product) })
    for change in changes { printer.add(change) }
    printer.end()
  }
}

extension String {
  /// A price in a cell, without direction marks: the terminal orders texts of each direction by
  /// itself.
  fileprivate init(price reading: PriceReading?) {
    let marks: Set<Unicode.Scalar> = ["\u{200E}", "\u{200F}", "\u{061C}"]
    guard let reading else {
      self = "-"
      return
    }
    self = String(
      String.UnicodeScalarView(reading.text.unicodeScalars.filter { !marks.contains($0) }))
  }
}

extension CatalogueProduct {
  /// The cells that the table shows once for the product.
  fileprivate var cells: [String] {
    let grants = (entry?.grants ?? []).map { "\($0.amount) \($0.unit)" }
    let gives = (entry?.entitlements ?? []).map(\.text) + grants
    return [
      product.text, entry?.kind.text ?? "-", entry?.title ?? "-", entry?.delivery ?? "-",
      gives.isEmpty ? "-" : gives.joined(separator: ", "), entry?.duration ?? "-",
      entry?.subscriptionGroup ?? "-", HostingState.shown(hosting), String(cell: versionOnOffer),
    ]
  }
}
