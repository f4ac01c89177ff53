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
    for note in notes { Console.print("note: \(TextTable.printable(note))") }
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
      entry?.subscriptionGroup ?? "-", hosting ?? "-", String(cell: versionOnOffer),
    ]
  }

  fileprivate func write(to json: inout JSONText) {
    json.object { json in
      json.member("product", product)
      json.member("kind", entry?.kind.text)
      json.member("title", entry?.title)
      json.member("delivery", entry?.delivery)
      json.member("entitlements", names: entry?.entitlements ?? [])
      json.member(
        "grants",
        object: { json in
          for grant in entry?.grants ?? [] { json.member(grant.unit.text, grant.amount) }
        })
      json.member("duration", entry?.duration)
      json.member("subscriptionGroup", entry?.subscriptionGroup)
      json.member("since", entry?.since)
      json.member("position", entry?.position)
      json.member("app", entry?.app)
      json.member("environment", entry?.environment?.text)
      json.member("hosting", hosting)
      json.member("contentVersion", versionOnOffer)
      json.member("prices", each: offers) { $1.write(to: &$0) }
    }
  }
}

extension CatalogueProduct.Offer {
  fileprivate func write(to json: inout JSONText) {
    json.object { json in
      json.member("storefront", storefront?.code)
      json.write(price, reading)
      json.member("invalid", isInvalid)
      json.member("title", title)
      json.member("description", description)
      json.member("seenAt", seenAt)
      json.member("position", position)
    }
  }
}

extension PriceChange {
  fileprivate func write(to json: inout JSONText, product: Name?) {
    json.object { json in
      json.member("product", product)
      json.member("storefront", storefront?.code)
      json.member("since", since)
      json.write(price, reading)
      json.member("invalid", isInvalid)
      json.member("position", position)
      json.member("devices", devices)
      json.member("responses", responses)
      json.member("lastSeen", lastSeen)
    }
  }
}

extension JSONText {
  /// A price as it was stated, and how it is read.
  fileprivate mutating func write(_ price: StorePrice?, _ reading: PriceReading?) {
    member("price", price?.amount)
    member("currency", price?.currency)
    member("priceLocale", price?.priceLocale)
    member("text", reading?.text)
    member("form", reading?.form.rawValue)
    member("note", reading?.note)
  }
}
