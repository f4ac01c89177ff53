extension Record {
  /// Appends the record of an event to `bytes`.
  ///
  /// - Parameters:
  ///   - event: The event to encode.
  ///   - position: The event's position in the log, from 1.
  ///   - recordedAt: The ledger's clock.
  ///   - numbers: The numbers of `event.nameUses`, in the same order.
  ///   - namesBefore: How many names had a number before this event. The event introduces those of
  ///     its numbers that are higher.
  ///   - commitment: A salted hash of `event.personalData`, if there is any and the ledger commits
  ///     to it; at most `commitmentBytesMax` bytes.
  ///   - key: The key under which a path is hashed.
  ///   - isSummed: Whether the record gets its checksum now. Otherwise, `complete` writes it.
  ///   - bytes: The buffer to which the record is appended.
  /// - Returns: Whether the event has `personalData`, which the record leaves out.
  /// - Precondition: The event is valid, `position` is at most `positionMax`, and there are as many
  ///   numbers as uses.
  /// - Complexity: O(*n*) in the size of the event. Scalar members need no allocation if `bytes`
  ///   has enough capacity.
  @discardableResult
  public static func append(
    _ event: Event, position: UInt64, recordedAt: Instant, numbers: [NameNumber],
    namesBefore: NameNumber = 0, commitment: [UInt8]? = nil, key: HashKey = .zero,
    isSummed: Bool = true, to bytes: inout [UInt8]
  ) -> Bool {
    precondition(position <= positionMax, "the position exceeds positionMax")
    let start = bytes.count
    let names = event.envelopeNames
    let envelopeCount = names.nonzeroBitCount
    precondition(numbers.count >= envelopeCount, "a name without a number")
    var flags: UInt8 = event.sequence == nil ? 0 : Flags.sequence
    if commitment != nil { flags |= Flags.commitment }
    if numbers.count > envelopeCount { flags |= Flags.dataNames }
    let (kind, occurredAt) = (event.type.kind.rawValue, event.occurredAt.microseconds)
    let origin = sourceCode(event.source) | (event.environment?.rawValue ?? 0) << 4
    bytes.append(addingCapacity: headerBytes + 4 * envelopeCount) { out in
      out.append(formatVersion)
      out.append(kind)
      out.append(origin)
      out.append(flags)
      out.append(littleEndian: names)
      out.append(littleEndian: UInt32(position))
      out.append(littleEndian: occurredAt)
      out.append(littleEndian: recordedAt.microseconds)
      out.append(littleEndian: namesBefore)
      for index in 0..<envelopeCount { out.append(littleEndian: numbers[index]) }
    }
    if numbers.count > envelopeCount {
      bytes.appendVarint(UInt64(numbers.count - envelopeCount))
      for index in envelopeCount..<numbers.count { bytes.appendLittleEndian(numbers[index]) }
    }
    if let sequence = event.sequence { bytes.appendVarint(UInt64(bitPattern: sequence)) }
    if appendID(event.id.text, to: &bytes) { bytes[start + 3] |= Flags.packedID }
    if let commitment {
      precondition(commitment.count <= commitmentBytesMax, "the commitment is too long for a hash")
      bytes.append(UInt8(commitment.count))
      bytes.append(contentsOf: commitment)
    }
    let (isPersonal, hasError) = appendFields(event, key: key, to: &bytes)
    if hasError { bytes[start + 3] |= Flags.error }
    let sum = isSummed ? XXH64.hash(bytes.span.extracting(start..<bytes.count)) : 0
    bytes.appendLittleEndian(sum)
    return isPersonal
  }

  /// Returns the record of an event; see
  /// `append(_:position:recordedAt:numbers:commitment:key:isSummed:to:)`.
  public static func encode(
    _ event: Event, position: UInt64, recordedAt: Instant, numbers: [NameNumber],
    namesBefore: NameNumber = 0, commitment: [UInt8]? = nil, key: HashKey = .zero
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(128)
    append(
      event, position: position, recordedAt: recordedAt, numbers: numbers,
      namesBefore: namesBefore, commitment: commitment, key: key, to: &bytes)
    return bytes
  }

  private static func sourceCode(_ source: EventSource?) -> UInt8 {
    guard let source else { return 0 }
    return source.isKnown ? source.kind.rawValue + 1 : unknownSource
  }

  /// Appends the id and returns whether it was packed.
  private static func appendID(_ id: String, to bytes: inout [UInt8]) -> Bool {
    let text = id.utf8Span.span
    if let packed = PackedUUID(text) {
      bytes.append(addingCapacity: 16) { out in
        out.append(littleEndian: packed.high.byteSwapped)
        out.append(littleEndian: packed.low.byteSwapped)
      }
      return true
    }
    precondition(text.count <= eventIDBytesMax, "the id is too long")
    bytes.append(UInt8(text.count))
    bytes.append(contentsOf: id.utf8)
    return false
  }

  /// Appends the members that are not personal. Returns whether there are personal members, and
  /// whether one of them is an error.
  private static func appendFields(
    _ event: Event, key: HashKey, to bytes: inout [UInt8]
  ) -> (isPersonal: Bool, hasError: Bool) {
    if event.type.kind == .unknown {
      append(.typeText, text: event.type.text, to: &bytes)
    }
    if let source = event.source, !source.isKnown {
      append(.sourceText, text: source.text, to: &bytes)
    }
    let rule = Vocabulary.rule(event.type.kind)
    var isPersonal = false
    var hasError = false
    var withheld: UInt16 = 0
    for member in event.data.members {
      switch rule.treatment(of: member) {
      case .open(let tag): append(tag, member.json, to: &bytes)
      case .reduced(let tag, let json):
        isPersonal = true
        append(tag, json, to: &bytes)
      case .personal:
        isPersonal = true
        if rule.index(of: member.name) != nil, let bit = WithheldMember(named: member.name) {
          withheld |= bit.rawValue
        }
        if rule.hasError && member.name == "error" { hasError = true }
        if rule.hasPath && member.name == "path", let path = event.data.string("path") {
          bytes.append(RecordTag.pathHash.rawValue)
          bytes.append(Form.hash)
          bytes.appendLittleEndian(key.hash(path))
        }
      case .accountName: break
      }
    }
    if withheld != 0 {
      bytes.append(RecordTag.withheld.rawValue)
      let digits = String(withheld).utf8
      bytes.append(UInt8(digits.count))
      bytes.append(contentsOf: digits)
    }
    return (isPersonal, hasError)
  }

  private static func append(_ tag: RecordTag, text: String, to bytes: inout [UInt8]) {
    var json: [UInt8] = []
    JSONBytes.append(text, to: &json)
    append(tag, json, to: &bytes)
  }

  private static func append(_ tag: RecordTag, _ json: [UInt8], to bytes: inout [UInt8]) {
    bytes.append(tag.rawValue)
    let span = json.span
    switch json.count {
    case 4 where json[0] == UInt8(ascii: "t"): bytes.append(Form.yes)
    case 5 where json[0] == UInt8(ascii: "f"): bytes.append(Form.no)
    case 22...29 where tag.isTime:
      if let (form, instant) = packed(span) {
        bytes.append(form)
        bytes.appendLittleEndian(UInt64(bitPattern: instant.microseconds))
      } else {
        bytes.append(UInt8(json.count))
        bytes.append(contentsOf: json)
      }
    case 0...Int(Form.shortMax):
      bytes.append(UInt8(json.count))
      bytes.append(contentsOf: json)
    case 0...0xFFFF:
      bytes.append(Form.text16)
      bytes.appendLittleEndian(UInt16(json.count))
      bytes.append(contentsOf: json)
    default:
      bytes.append(Form.text32)
      bytes.appendLittleEndian(UInt32(json.count))
      bytes.append(contentsOf: json)
    }
  }

  /// Returns the instant of a time's JSON text if one of the two short forms can reproduce that
  /// text.
  private static func packed(_ json: Span<UInt8>) -> (UInt8, Instant)? {
    let end = json.count - 2
    guard json[end] == UInt8(ascii: "Z"), json[11] == UInt8(ascii: "T"),
      json[18] != UInt8(ascii: "6"), let instant = Instant(rfc3339: json, 1..<json.count - 1)
    else { return nil }
    // `"2014-03-05T10:00:01` has 20 bytes; a point and the digits follow.
    let digits = end == 20 ? 0 : end - 21
    if digits == 0 || digits <= 6 && json[end - 1] != UInt8(ascii: "0") {
      return (Form.instant, instant)
    }
    return digits == 3 ? (Form.instantMilliseconds, instant) : nil
  }
}

extension RecordTag {
  var isTime: Bool {
    switch self {
    case .signedAt, .purchasedAt, .expiresAt, .revokedAt, .gracePeriodExpiresAt, .until: true
    default: false
    }
  }
}

extension EventSource {
  /// Whether the text is a source of the vocabulary.
  var isKnown: Bool { kind != .app || text == "app" }
}

extension Event {
  /// The number of names in the envelope.
  public var envelopeNameCount: Int { envelopeNames.nonzeroBitCount }

  /// Which of the envelope's nine names are present, one bit each in the order of `nameUses`.
  var envelopeNames: UInt16 {
    var bits: UInt16 = 0
    if app != nil { bits |= 1 }
    if account != nil { bits |= 2 }
    if device != nil { bits |= 4 }
    if session != nil { bits |= 8 }
    if payment != nil { bits |= 16 }
    if product != nil { bits |= 32 }
    if transaction != nil { bits |= 64 }
    if originalTransaction != nil { bits |= 128 }
    if download != nil { bits |= 256 }
    return bits
  }
}
