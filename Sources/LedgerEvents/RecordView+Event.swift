extension RecordView {
  /// Returns the event, field for field as it was appended.
  ///
  /// - Parameters:
  ///   - texts: Returns the text of a name by its number, or `nil` if it was erased; the event then
  ///     lacks that field.
  ///   - personal: The event's `personalData`, or `nil` if it has none or it is withheld.
  ///   - substitute: Returns the value to use for a withheld personal member; `nil` leaves the
  ///     member out.
  /// - Throws: `RecordError` if the record or the personal data is damaged.
  /// - Complexity: O(*n*) in the size of the event.
  public func event(
    texts: (NameNumber) -> Name?, personal: [UInt8]?,
    substitute: ((WithheldMember) -> String?)? = nil
  ) throws(RecordError) -> Event {
    func name(_ slot: NameSlot) -> Name? {
      let number = number(slot)
      return number == 0 ? nil : texts(number)
    }
    var typeText: String?
    var sourceText: String?
    var members: [EventData.Member] = []
    var withheld: UInt16 = 0
    var fields = fields
    while try fields.next() {
      switch fields.tag {
      case .withheld: withheld = UInt16(clamping: fields.integer ?? 0)
      case .typeText: typeText = fields.string
      case .sourceText: sourceText = fields.string
      case .pathHash: break
      default: members.append(EventData.Member(name: fields.tag.name, json: fields.json))
      }
    }
    if kind == .accountLinked || kind == .accountTransferred, dataNameCount == 1,
      let to = texts(dataNumber(0))
    {
      members.append(EventData.Member(name: "to", json: JSONValue.string(to.text).json))
    }
    if let personal {
      members = try RecordView.merge(members, personal)
    } else if let substitute {
      for member in WithheldMember.allCases where withheld & member.rawValue != 0 {
        guard let text = substitute(member) else { continue }
        members.append(EventData.Member(name: member.name, json: member.json(of: text)))
      }
    }
    guard kind != .unknown || typeText != nil else {
      throw .damaged("its type has no text")
    }
    return Event(
      id: try id(), type: kind == .unknown ? EventType(text: typeText ?? "") : EventType(kind),
      occurredAt: occurredAt,
      source: sourceCode == 0
        ? nil : sourceText.map { EventSource(text: $0) } ?? EventSource(source),
      environment: environment, app: name(.app), account: name(.account), device: name(.device),
      session: name(.session), sequence: sequence, payment: name(.payment),
      product: name(.product), transaction: name(.transaction),
      originalTransaction: name(.originalTransaction), download: name(.download),
      data: EventData(members: members))
  }

  /// Returns the event with its position and its ledger time.
  ///
  /// - Throws: `RecordError` under the same conditions as `event(texts:personal:)`.
  public func recordedEvent(
    texts: (NameNumber) -> Name?, personal: [UInt8]?,
    substitute: ((WithheldMember) -> String?)? = nil
  ) throws(RecordError) -> RecordedEvent {
    RecordedEvent(
      position: position, recordedAt: recordedAt,
      event: try event(texts: texts, personal: personal, substitute: substitute))
  }

  /// Merges the record's members with the personal ones, which take precedence.
  private static func merge(
    _ members: [EventData.Member], _ personal: [UInt8]
  ) throws(RecordError) -> [EventData.Member] {
    let added = try EventData(personal: personal).members
    let names = Set(added.map { Name($0.name) })
    return members.filter { !names.contains(Name($0.name)) } + added
  }
}

extension JSONScanner {
  /// Reads the members of the object at `index`, each value in its original text.
  mutating func dataMembers() throws(EventError) -> [EventData.Member] {
    var found: [EventData.Member] = []
    guard next == UInt8(ascii: "{") else {
      throw failure("expected an object, found \(self.found)")
    }
    let first = members.count
    try open()
    skipSpace()
    if !take(UInt8(ascii: "}")) {
      repeat {
        let name = try text(try memberName(first: first))
        found.append(EventData.Member(name: name, json: json(try value())))
        skipSpace()
      } while try another(UInt8(ascii: "}"))
    }
    close(first: first)
    return found
  }
}
