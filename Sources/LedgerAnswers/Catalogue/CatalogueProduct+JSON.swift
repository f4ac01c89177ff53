package import LedgerEvents
import LedgerModel
import LedgerQueries
package import ProductCatalogue

extension CatalogueProduct {
  /// Writes the product with its prices.
  package func write(to json: inout JSONText) {
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
  /// Writes the price since when it was seen.
  ///
  /// - Parameters:
  ///   - json: Where to.
  ///   - product: Whose price it is.
  package func write(to json: inout JSONText, product: Name?) {
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
