/// What the members of `data` are to a record.
enum DataMember {
  /// Stands in the record under a tag.
  case open(RecordTag)
  /// Stands in the record without those members of its objects that the vocabulary does not name,
  /// and in the personal data with them.
  case reduced(RecordTag, [UInt8])
  /// Never enters the record.
  case personal
  /// The `to` of a link or transfer, which the record carries as the number of a name.
  case accountName
}

extension Event {
  /// The members of `data` that can tell who somebody is, as one JSON object: texts that people
  /// write, paths and URLs, errors, whatever the vocabulary does not name. `nil` where there are
  /// none.
  ///
  /// `RecordView.event(texts:personal:)` puts them back. Names of accounts, devices and sessions
  /// are not among them: records carry their numbers.
  ///
  /// - Complexity: O(*n*) in the size of `data`.
  public var personalData: [UInt8]? {
    let personal = personalMembers
    return personal.isEmpty ? nil : EventData(members: personal).json
  }

  /// The members of `personalData`, in their order.
  ///
  /// - Complexity: O(*n*) in the size of `data`.
  public var personalMembers: [EventData.Member] {
    let rule = Vocabulary.rule(type.kind)
    var personal: [EventData.Member] = []
    for member in data.members {
      switch rule.place(of: member) {
      case .personal, .reduced: personal.append(member)
      case .open, .accountName: break
      }
    }
    return personal
  }
}

extension EventData {
  /// The members of an event's `personalData`, each value as it was written.
  ///
  /// - Throws: `RecordError` where the bytes are no such object.
  /// - Complexity: O(*n*) in its size.
  public init(personal json: [UInt8]) throws(RecordError) {
    do {
      try checkUTF8(json.span)
      var scanner = JSONScanner(json.span, depth: 1)
      self.init(members: try scanner.dataMembers())
    } catch {
      throw .damaged("its personal data is no JSON")
    }
  }
}

extension Vocabulary.Rule {
  /// Where a member of `data` goes.
  func place(of member: EventData.Member) -> DataMember {
    guard let index = index(of: member.name) else { return .personal }
    guard let tag = tags[index] else {
      return fields[index].name == "to" ? .accountName : .personal
    }
    guard case .array(of: .object(let known)) = fields[index].type else { return .open(tag) }
    var scanner = JSONScanner(member.json.span)
    guard let reduced = scanner.reduced(known) else { return .open(tag) }
    return .reduced(tag, reduced)
  }
}

extension NameKey {
  static func prefix(_ name: String) -> UInt64 {
    let bytes = name.utf8Span.span
    return prefix(bytes, 0..<bytes.count)
  }
}

extension JSONScanner {
  /// The array of objects at `index` without the members that `fields` does not name; `nil` where
  /// there are none of those, and where it is no array of objects.
  mutating func reduced(_ fields: [Vocabulary.Field]) -> [UInt8]? {
    var kept: [UInt8] = [UInt8(ascii: "[")]
    do {
      var hasUnknown = false
      index += 1
      skipSpace()
      if take(UInt8(ascii: "]")) { return nil }
      repeat {
        skipSpace()
        if kept.count > 1 { kept.append(UInt8(ascii: ",")) }
        if try appendKnown(fields, to: &kept) { hasUnknown = true }
        skipSpace()
      } while try another(UInt8(ascii: "]"))
      kept.append(UInt8(ascii: "]"))
      return hasUnknown ? kept : nil
    } catch {
      return nil
    }
  }

  /// Appends one object; whether anything was left out.
  private mutating func appendKnown(
    _ fields: [Vocabulary.Field], to kept: inout [UInt8]
  ) throws(EventError) -> Bool {
    var hasUnknown = false
    let first = members.count
    try open()
    let start = kept.count
    kept.append(UInt8(ascii: "{"))
    skipSpace()
    if !take(UInt8(ascii: "}")) {
      repeat {
        let name = try memberName(first: first)
        let value = try value()
        if let found = field(name, of: fields) {
          if kept.count > start + 1 { kept.append(UInt8(ascii: ",")) }
          JSONBytes.append(fields[found].name, to: &kept)
          kept.append(UInt8(ascii: ":"))
          for index in value.start..<value.end { kept.append(bytes[index]) }
        } else {
          hasUnknown = true
        }
        skipSpace()
      } while try another(UInt8(ascii: "}"))
    }
    close(first: first)
    kept.append(UInt8(ascii: "}"))
    return hasUnknown
  }
}
