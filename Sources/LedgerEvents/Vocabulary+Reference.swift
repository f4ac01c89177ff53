extension Vocabulary {
  /// A row of the events reference: a member of `data`, or of an object in it.
  package struct FieldReference: Sendable {
    /// The member's path below `data`: `progress`, `products[].price`.
    package let path: String
    /// The expected form of the value, with its unit, for example `integer, bytes`.
    package let form: String
    /// Whether the type, or the enclosing object, requires the member.
    package let isNeeded: Bool
    /// Whether the value is left out of records because it could identify a person.
    package let isPersonal: Bool
    /// What the member means.
    package let meaning: String
  }
}

extension Vocabulary.Rule {
  /// The members in the vocabulary, in its order. Members of an object follow the member that
  /// contains the object.
  ///
  /// - Complexity: O(*n*) in the number of fields.
  package var fieldReferences: [Vocabulary.FieldReference] {
    fields.flatMap { field in
      let isNeeded = needs.contains { $0 == [.data(field.name)] }
      return references(to: field, at: field.name, isNeeded: isNeeded)
    }
  }

  /// The fields that an event of the type needs besides `id`, `type` and `occurredAt`, one text
  /// each: `product`, `data.contentVersion`, `transaction or payment`.
  package var needTexts: [String] { needs.map { $0.map(\.path).joined(separator: " or ") } }

  private func references(
    to field: Vocabulary.Field, at path: String, isNeeded: Bool
  ) -> [Vocabulary.FieldReference] {
    var form = field.type.form
    if let unit = Vocabulary.unit(of: field.name) { form += ", \(unit)" }
    let own = Vocabulary.FieldReference(
      path: path, form: form, isNeeded: isNeeded, isPersonal: field.isPersonal,
      meaning: Vocabulary.meaning(of: path, in: kind))
    guard case .array(of: .object(let members)) = field.type else { return [own] }
    return [own]
      + members.flatMap {
        references(to: $0, at: "\(path)[].\($0.name)", isNeeded: $0.isNeeded)
      }
  }
}

extension Vocabulary.FieldType {
  /// The expected form of a value, for example `number from 0 to 1`.
  package var form: String {
    switch self {
    case .string: "text"
    case .name: "name"
    case .integer(let minimum): minimum == .min ? "integer" : "integer from \(minimum)"
    case .number(let bounds):
      bounds.upperBound == .infinity
        ? "number" : "number from \(Int(bounds.lowerBound)) to \(Int(bounds.upperBound))"
    case .boolean: "true or false"
    case .time: "time"
    case .money: "amount of money"
    case .currency: "currency"
    case .duration: "duration"
    case .digits: "digits"
    case .oneOf(let words): words.map { "`\($0)`" }.joined(separator: ", ")
    case .integerOrString: "integer or text"
    case .any: "any JSON"
    case .error: "error"
    case .array(of: .object): "array of objects"
    case .array(let element): "array: \(element.form)"
    case .object: "object"
    case .amounts: "object of integers"
    }
  }
}

extension Vocabulary {
  /// Returns the unit of a field's number, or `nil` if it has none.
  fileprivate static func unit(of name: String) -> String? {
    switch name {
    case "bytes", "contentLength", "contentLengths": "bytes"
    case "timeRemaining": "seconds"
    case "percent": "percent"
    default: nil
    }
  }

  /// Returns the meaning of a member of `data`. A field without a text is an error in this table,
  /// which a test of the reference detects.
  fileprivate static func meaning(of path: String, in kind: EventKind) -> String {
    guard let meaning = ownMeaning(of: path, in: kind) ?? meanings[path] else {
      preconditionFailure("the events reference has no meaning for \(path) of \(kind)")
    }
    return meaning
  }

  /// Returns the meaning of a field that differs from its meaning in other types.
  private static func ownMeaning(of path: String, in kind: EventKind) -> String? {
    switch (kind, path) {
    case (.catalogSet, "products"): "The products to set. Other products keep their entries."
    case (.catalogSet, "products[].product"), (.catalogReceived, "products[].product"):
      "The product identifier."
    case (.contentHostingChanged, "contentVersion"): "The version that the state applies to."
    case (.contentVersionPublished, "contentVersion"): "The version that was released."
    case (.transactionRestored, "downloads"):
      "The hosted content that comes with the restored purchase."
    case (.subscriptionExpired, "expiresAt"):
      "The end of the subscription; if absent, `occurredAt` is the end."
    case (.subscriptionExpired, "reason"):
      "Why the subscription ended, in the store's words."
    case (.transactionRefunded, "reason"), (.transactionRevoked, "reason"):
      "The reason, in the store's words."
    case (.entitlementWithdrawn, "entitlement"):
      "The entitlement to withdraw; if absent, the envelope's `product` is used."
    case (.entitlementWithdrawn, "until"): "Ignored: a withdrawal has no end."
    case (.contentRemoved, "contentVersion"):
      "The version that was deleted. The product counts as removed, whichever version it is."
    case (.accountTransferred, "to"): "The account id that holds everything from now on."
    case (.noteAdded, "text"): "What support wrote."
    default: nil
    }
  }
}
