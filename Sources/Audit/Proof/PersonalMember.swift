internal import LedgerEvents
internal import LedgerStore

/// A personal member of an event's `data` in a proof or a bundle: the member and its nonce, or only
/// its commitment.
///
/// Nonces and commitments have fixed lengths. The hash covers the nonce followed by the text, so
/// with variable lengths, one text could pass for another.
enum PersonalMember {
  case disclosed(EventData.Member, nonce: Nonce)
  case withheld(commitment: TreeHash)

  /// The nonce of a commitment: 16 bytes.
  struct Nonce {
    let bytes: [UInt8]

    /// Creates a nonce; nil if the length is wrong.
    init?(_ bytes: [UInt8]) {
      guard bytes.count == Commitment.nonceByteCount else { return nil }
      self.bytes = bytes
    }
  }

  /// Creates a member as the ledger discloses it, or only its commitment.
  init(_ disclosure: MemberDisclosure, isShown: Bool) {
    guard let nonce = Nonce(disclosure.nonce),
      let commitment = TreeHash(disclosure.commitment.span)
    else { preconditionFailure("the ledger makes nonces and commitments of their lengths") }
    self =
      isShown
      ? .disclosed(disclosure.member, nonce: nonce) : .withheld(commitment: commitment)
  }

  /// The commitment to the member: 32 bytes.
  var commitment: [UInt8] {
    switch self {
    case .disclosed(let member, let nonce): Commitment.member(member, nonce: nonce.bytes)
    case .withheld(let commitment): commitment.bytes
    }
  }

  /// The member, if it is shown.
  var member: EventData.Member? {
    if case .disclosed(let member, _) = self { member } else { nil }
  }

  /// The JSON value in a proof or in a line of a bundle.
  var value: JSONValue {
    switch self {
    case .disclosed(let member, let nonce):
      .object([
        (name: "name", value: .string(member.name)),
        (name: "json", value: .string(String(decoding: member.json, as: UTF8.self))),
        (name: "nonce", value: .base64(nonce.bytes)),
      ])
    case .withheld(let commitment):
      .object([(name: "commitment", value: .base64(commitment.bytes))])
    }
  }

  /// Parses the form of ``value``.
  ///
  /// - Throws: ``ProofError``: `malformed` if it is anything else, or has additional members.
  init(_ object: ProofObject) throws(ProofError) {
    if object.has("commitment") {
      let bytes = try object.bytes("commitment")
      guard let commitment = TreeHash(bytes.span) else {
        throw object.failure("commitment", "\(TreeHash.byteCount) bytes in base64")
      }
      self = .withheld(commitment: commitment)
      try object.end(["commitment"])
    } else {
      let member = EventData.Member(
        name: try object.text("name"), json: Array(try object.text("json").utf8))
      guard let nonce = Nonce(try object.bytes("nonce")) else {
        throw object.failure("nonce", "\(Commitment.nonceByteCount) bytes in base64")
      }
      self = .disclosed(member, nonce: nonce)
      try object.end(["name", "json", "nonce"])
    }
  }
}
