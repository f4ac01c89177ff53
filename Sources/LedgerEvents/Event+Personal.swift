/// How a record treats a member of `data`.
enum DataMember {
  /// Stored in the record under a tag.
  case open(RecordTag)
  /// Stored in the record without those members of its objects that are not in the vocabulary, and
  /// in full in the personal data.
  case reduced(RecordTag, [UInt8])
  /// Never stored in the record.
  case personal
  /// The `to` of a link or transfer. The record stores the number of the name.
  case accountName
}

extension Event {
  /// The members of `data` that could identify a person, as one JSON object: free text, paths,
  /// URLs, errors, and everything that is not in the vocabulary. `nil` if there are none.
  ///
  /// `RecordView.event(texts:personal:)` puts them back. Names of accounts, devices and sessions
  /// are not included, because records store their numbers.
  ///
  /// - Complexity: O(*n*) in the size of `data`.
  public var personalData: [UInt8]? {
    let personal = personalMembers
    return personal.isEmpty ? nil : EventData(members: personal).json
  }

  /// The members of `personalData`, in order.
  ///
  /// - Complexity: O(*n*) in the size of `data`.
  public var personalMembers: [EventData.Member] {
    let rule = Vocabulary.rule(type.kind)
    var personal: [EventData.Member] = []
    for member in data.members {
      switch rule.treatment(of: member) {
      case .personal, .reduced: personal.append(member)
      case .open, .accountName: break
      }
    }
    return personal
  }
}

extension EventData {
  /// Reads the members of an event's `personalData`, keeping the JSON text of each value.
  ///
  /// - Throws: `RecordError` if the bytes are not such an object.
  /// - Complexity: O(*n*) in its size.
  public init(personal json: [UInt8]) throws(RecordError) {
    do {
      try checkUTF8(json.span)
      var scanner = JSONScanner(json.span, depth: 1)
      self.init(members: try scanner.dataMembers())
    } catch {
      throw .damaged("its personal data is not JSON")
    }
  }
}

extension Vocabulary.Rule {
  /// Returns how a record treats a member of `data`.
  func treatment(of member: EventData.Member) -> DataMember {
    guard let index = index(of: member.name) else { return .personal }
    guard let tag = tags[index] else {
      return fields[index].name == "to" ? .accountName : .personal
    }
    guard fields[index].containsObjects, case .array(of: .object(let known)) = fields[index].type
    else { return .open(tag) }
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
  /// Returns the array of objects at `index` without the members that are not in `fields`, or `nil`
  /// if there are no such members or the value is not an array of objects.
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

  /// Appends one object and returns whether any member was left out.
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
