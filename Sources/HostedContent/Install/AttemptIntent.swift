internal import LedgerEvents

/// The purpose of an attempt: the first line of its journal.
struct AttemptIntent: Sendable {
  enum Kind: String, Sendable {
    /// A version is installed.
    case install
    /// An existing version becomes the current one.
    case activate
    /// A version is removed, or a product with all of its versions.
    case remove
  }

  var kind: Kind
  var product: Name
  /// Nil if a whole product is removed.
  var version: Name?
  /// Whether the installed version becomes the current one.
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
