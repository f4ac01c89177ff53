extension Vocabulary {
  /// One line of the reference: a member of `data`, or of an object in it.
  package struct FieldReference: Sendable {
    /// Where it stands below `data`: `progress`, `products[].price`.
    package let path: String
    /// What its value must be, with the unit.
    package let form: String
    /// Whether the type, or the object around it, cannot be without it.
    package let isNeeded: Bool
    /// Whether its value never enters a record, because it can tell who somebody is.
    package let isPersonal: Bool
    /// What it says.
    package let meaning: String
  }
}

extension Vocabulary.Rule {
  /// The members that the vocabulary names, in its order, those of objects behind the member that
  /// holds them.
  ///
  /// - Complexity: O(*n*) in the number of fields.
  package var fieldReferences: [Vocabulary.FieldReference] {
    fields.flatMap { field in
      let isNeeded = needs.contains { $0 == [.data(field.name)] }
      return references(to: field, at: field.name, isNeeded: isNeeded)
    }
  }

  /// What an event of the type needs beside `id`, `type` and `occurredAt`, one text for each:
  /// `product`, `data.contentVersion`, `transaction or payment`.
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
  /// What a value must be, in a few words.
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
  /// The unit that a field's number counts; `nil` where it counts none.
  fileprivate static func unit(of name: String) -> String? {
    switch name {
    case "bytes", "contentLength", "contentLengths": "bytes"
    case "timeRemaining": "seconds"
    case "percent": "percent"
    default: nil
    }
  }

  /// What a member of `data` says. A field without a text is a fault of this table, which the
  /// reference's test finds.
  fileprivate static func meaning(of path: String, in kind: EventKind) -> String {
    guard let meaning = ownMeaning(of: path, in: kind) ?? meanings[path] else {
      preconditionFailure("the reference of events does not say what \(path) of \(kind) means")
    }
    return meaning
  }

  /// Where a field says something else than in other types.
  private static func ownMeaning(of path: String, in kind: EventKind) -> String? {
    switch (kind, path) {
    case (.catalogSet, "products"): "The products that this catalogue names; others stay."
    case (.catalogSet, "products[].product"), (.catalogReceived, "products[].product"):
      "The product identifier."
    case (.contentHostingChanged, "contentVersion"): "The version whose state this is."
    case (.contentVersionPublished, "contentVersion"): "The version that was released."
    case (.transactionRestored, "downloads"):
      "The hosted content that comes with the restored purchase."
    case (.subscriptionExpired, "expiresAt"):
      "The end of the subscription; without it, `occurredAt` is the end."
    case (.subscriptionExpired, "reason"):
      "Why the subscription ended, in the store's words."
    case (.transactionRefunded, "reason"), (.transactionRevoked, "reason"):
      "Why, in the store's words."
    case (.entitlementWithdrawn, "entitlement"):
      "The entitlement that operators take back; otherwise the envelope's `product`."
    case (.entitlementWithdrawn, "until"): "Not read: a withdrawal has no end."
    case (.contentRemoved, "contentVersion"):
      "The version that was deleted; the product counts as removed whichever is named."
    case (.accountTransferred, "to"): "The account id that holds everything from now on."
    case (.noteAdded, "text"): "What support wrote."
    default: nil
    }
  }
}
