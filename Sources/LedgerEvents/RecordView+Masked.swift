extension RecordView {
  /// The event as its record alone and public names tell it: whom it names stands as a pseudonym,
  /// and what is personal in `data` is withheld.
  ///
  /// An account, device or session is `account-17` after its number, the same wherever the ledger
  /// names it. A path is `path-` and its keyed hash, so that two can be told apart; other personal
  /// members of the vocabulary are `withheld:` and the position, and those that it does not name
  /// are left out. The event is valid, and the reducer makes of it what it makes of the whole one.
  ///
  /// - Parameter texts: The text of a public name by its number: of those in ``publicNumbers``.
  /// - Throws: `RecordError` where the record is damaged, or names something without a text.
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

  /// The numbers of the public names that the event's envelope states: those that
  /// ``maskedEvent(texts:)`` asks for.
  public var publicNumbers: [NameNumber] {
    NameSlot.allCases.filter { !$0.kind.isPersonal }.map { number($0) }.filter { $0 != 0 }
  }

  /// The numbers of the accounts that the event names: its own, and that which it makes one with
  /// another.
  public var accountNumbers: [NameNumber] {
    let stated = number(.account)
    return (stated == 0 ? [] : [stated]) + (joinedAccount.map { [$0] } ?? [])
  }

  /// The `to` of a link or transfer.
  private var joinedAccount: NameNumber? {
    let isJoining = kind == .accountLinked || kind == .accountTransferred
    return isJoining && dataNameCount == 1 ? dataNumber(0) : nil
  }

  /// What kind of person a number names; nil where it names none.
  private func personKind(of number: NameNumber) -> NameKind? {
    for slot in NameSlot.allCases where slot.kind.isPersonal && self.number(slot) == number {
      return slot.kind
    }
    return joinedAccount == number ? .account : nil
  }

  /// What stands for the event's path.
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
