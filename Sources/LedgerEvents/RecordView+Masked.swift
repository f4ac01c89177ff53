extension RecordView {
  /// The event as its record alone and public names tell it: whom it names stands as a pseudonym,
  /// and what is personal in `data` is withheld.
  ///
  /// An account, device or session is `account-17` after its number, the same wherever the ledger
  /// names it. A path is `path-` and its keyed hash, so that two can be told apart; other personal
  /// members that the record knows of are `withheld:` and the position. The event is valid, and
  /// the reducer makes of it what it makes of the whole one.
  ///
  /// - Parameter texts: The text of a public name by its number: of an app, payment, product,
  ///   transaction or download.
  /// - Throws: `RecordError` where the record is damaged, or names something without a text.
  /// - Complexity: O(*n*) in the size of the record.
  public func maskedEvent(
    texts: (NameNumber) -> Name?
  ) throws(RecordError) -> RecordedEvent {
    var missing: NameNumber?
    let masked = try recordedEvent(
      texts: { number in
        if let kind = personKind(of: number) { return Name("\(kind)-\(number)") }
        guard let text = texts(number) else {
          missing = number
          return nil
        }
        return text
      },
      personal: try withheldMembers())
    if let missing { throw .damaged("there is no text for the name \(missing)") }
    return masked
  }

  /// The numbers of the public names that the event's envelope states: those that
  /// ``maskedEvent(texts:)`` asks for.
  public var publicNumbers: [NameNumber] {
    NameSlot.allCases.filter { !$0.isPerson }.map { number($0) }.filter { $0 != 0 }
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
    for slot in NameSlot.allCases where slot.isPerson && self.number(slot) == number {
      return slot.kind
    }
    return joinedAccount == number ? .account : nil
  }

  /// What stands for the personal members, as one object; nil where there are none.
  private func withheldMembers() throws(RecordError) -> [UInt8]? {
    var data = EventData.Builder()
    let withheld = "withheld:\(position)"
    var members = fields
    while try members.next() {
      if members.tag == .pathHash, let hash = members.hash {
        data.set("path", "path-" + hexadecimal(hash))
      }
    }
    for need in Vocabulary.rule(kind).needs {
      if case .data(let name)? = need.first, name == "text" || name == "operator" {
        data.set(name, withheld)
      }
    }
    if hasError { data.set("error", .object([("message", .string(withheld))])) }
    let built = data.build()
    if built.isEmpty { return nil }
    var json: [UInt8] = []
    JSONText.append(built, to: &json)
    return json
  }
}

extension NameSlot {
  /// Whether it names somebody.
  fileprivate var isPerson: Bool { self == .account || self == .device || self == .session }
}

/// Sixteen digits, in lower case.
private func hexadecimal(_ number: UInt64) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 16 - digits.utf8.count) + digits
}
