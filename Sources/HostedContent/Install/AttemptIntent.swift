internal import LedgerEvents

/// What an attempt is about: the first line of its journal.
struct AttemptIntent: Sendable {
  enum Kind: String, Sendable {
    /// A version is put in its place.
    case install
    /// A version that is there becomes the current one.
    case activate
    /// A version goes, or a product with all of its versions.
    case remove
  }

  var kind: Kind
  var product: Name
  /// Nil where a product goes as a whole.
  var version: Name?
  /// Whether what is installed becomes the current version.
  var activates: Bool

  var json: [UInt8] {
    var members: [(name: String, value: JSONValue)] = [
      ("kind", .string(kind.rawValue)), ("product", .string(product.text)),
    ]
    if let version { members.append(("version", .string(version.text))) }
    members.append(("activates", .boolean(activates)))
    return JSONValue.object(members).json
  }

  init(_ kind: Kind, product: Name, version: Name?, activates: Bool = false) {
    self.kind = kind
    self.product = product
    self.version = version
    self.activates = activates
  }

  init?(json: [UInt8]) {
    guard let value = JournalLine.value(json),
      let kind = value.text("kind").flatMap(Kind.init), let product = value.text("product"),
      let activates = value.member("activates")?.boolean
    else { return nil }
    let version = value.text("version")
    if kind != .remove && version == nil { return nil }
    self.init(
      kind, product: Name(product), version: version.map { Name($0) }, activates: activates)
  }
}
