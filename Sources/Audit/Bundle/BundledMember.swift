internal import LedgerEvents
internal import LedgerStore

/// A personal member of an event in a bundle: shown with what proves it, or its commitment alone.
enum BundledMember {
  case disclosed(EventData.Member, nonce: [UInt8])
  case withheld(commitment: [UInt8])

  var commitment: [UInt8] {
    switch self {
    case .disclosed(let member, let nonce): Commitment.member(member, nonce: nonce)
    case .withheld(let commitment): commitment
    }
  }

  /// The member, where it is shown.
  var member: EventData.Member? {
    if case .disclosed(let member, _) = self { member } else { nil }
  }

  /// The members of an event that may be shown by their names; none where that shows nothing.
  static func members(
    _ disclosures: [MemberDisclosure], showing names: Set<Name>
  ) -> [BundledMember] {
    let members = disclosures.map { disclosure in
      names.contains(Name(disclosure.member.name))
        ? BundledMember.disclosed(disclosure.member, nonce: disclosure.nonce)
        : .withheld(commitment: disclosure.commitment)
    }
    return members.contains { $0.member != nil } ? members : []
  }

  /// As it stands in a line of a bundle.
  var value: JSONValue {
    switch self {
    case .disclosed(let member, let nonce):
      .object([
        (name: "name", value: .string(member.name)),
        (name: "json", value: .string(String(decoding: member.json, as: UTF8.self))),
        (name: "nonce", value: .string(StandardBase64.encode(nonce))),
      ])
    case .withheld(let commitment):
      .object([(name: "commitment", value: .string(StandardBase64.encode(commitment)))])
    }
  }

  /// Reads what ``value`` is; nil where it is something else.
  init?(_ value: JSONValue) {
    if let name = value["name"]?.string, let json = value["json"]?.string,
      let nonce = value["nonce"]?.string.flatMap({ StandardBase64.decode($0) })
    {
      self = .disclosed(EventData.Member(name: name, json: Array(json.utf8)), nonce: nonce)
    } else if let hash = value["commitment"]?.string.flatMap({ StandardBase64.decode($0) }) {
      self = .withheld(commitment: hash)
    } else {
      return nil
    }
  }
}
