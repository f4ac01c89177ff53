extension RecordView {
  /// Returns the event as far as its record and public names describe it: pseudonyms stand for
  /// people's names, and the personal members of `data` are withheld.
  ///
  /// An account, device or session becomes, for example, `account-17`. The number is that of the
  /// name, so the pseudonym is the same throughout the ledger. A path becomes `path-` and its keyed
  /// hash, so that different paths stay distinguishable. Other personal members of the vocabulary
  /// become `withheld:` and the position, and members that are not in the vocabulary are left out.
  /// The event is valid, and the reducer computes the same from it as from the complete one.
  ///
  /// - Parameter texts: Returns the text of a public name by its number. It is called only with
  ///   numbers in ``publicNumbers``.
  /// - Throws: `RecordError` if the record is damaged, or uses a name that has no text.
  /// - Complexity: O(*n*) in the size of the record.
  public func maskedEvent(
    texts: (NameNumber) -> Name?
  ) throws(RecordError) -> RecordedEvent {
    var missing: NameNumber?
    let withheld = "withheld:\(position)"
    let path = try pathPseudonym()
    let masked = try recordedEvent(
      texts: { number in
        if let kind = personKind(of: number) { return Name("\(kind)-\(number)") }
        guard let text = texts(number) else {
          missing = number
          return nil
        }
        return text
      },
      personal: nil, substitute: { $0 == .path ? path ?? withheld : withheld })
    if let missing { throw .damaged("there is no text for the name \(missing)") }
    return masked
  }

  /// The numbers of the public names in the event's envelope, which are those that
  /// ``maskedEvent(texts:)`` asks for.
  public var publicNumbers: [NameNumber] {
    NameSlot.allCases.filter { !$0.kind.isPersonal }.map { number($0) }.filter { $0 != 0 }
  }

  /// The numbers of the accounts that the event names: its own, and the one it links or transfers
  /// to.
  public var accountNumbers: [NameNumber] {
    let stated = number(.account)
    return (stated == 0 ? [] : [stated]) + (joinedAccount.map { [$0] } ?? [])
  }

  /// The `to` of a link or transfer.
  private var joinedAccount: NameNumber? {
    let isJoining = kind == .accountLinked || kind == .accountTransferred
    return isJoining && dataNameCount == 1 ? dataNumber(0) : nil
  }

  /// Returns the kind of personal name with this number in the envelope, or `nil` if there is none.
  private func personKind(of number: NameNumber) -> NameKind? {
    for slot in NameSlot.allCases where slot.kind.isPersonal && self.number(slot) == number {
      return slot.kind
    }
    return joinedAccount == number ? .account : nil
  }

  /// The pseudonym for the event's path.
  private func pathPseudonym() throws(RecordError) -> String? {
    var members = fields
    while try members.next() {
      guard members.tag == .pathHash, let hash = members.hash else { continue }
      let digits = String(hash, radix: 16)
      return "path-" + String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
    return nil
  }
}
