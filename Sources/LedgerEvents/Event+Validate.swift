extension Event {
  /// Checks an event that was built in code by the rules that the decoder applies to text.
  ///
  /// - Throws: `EventError` without line and column.
  /// - Complexity: O(*n*) in the size of the event.
  public func validate() throws(EventError) {
    do throws(EventError) {
      try checkEnvelope()
      let rule = Vocabulary.rule(type.kind)
      try checkData(rule)
      try checkNeeds(rule)
      if sizeBytesBound > eventSizeBytesMax { try checkSize() }
    } catch {
      throw EventError(field: error.field, reason: error.reason)
    }
  }

  /// An upper bound on the size of the encoded event: each byte of a string takes at most six
  /// (`\u001f`), and the values of `data` are written unchanged.
  private var sizeBytesBound: Int {
    let envelope = 1_024
    let names = [
      id, app, account, device, session, payment, product, transaction, originalTransaction,
      download,
    ]
    let texts = names.reduce(type.text.utf8.count + (source?.text.utf8.count ?? 0)) {
      $0 + ($1?.byteCount ?? 0)
    }
    return data.members.reduce(envelope + 6 * texts) {
      $0 + 6 * $1.name.utf8.count + $1.json.count + 4
    }
  }

  private func checkSize() throws(EventError) {
    let size = EventEncoder().encode(self).count
    guard size <= eventSizeBytesMax else {
      throw EventError(
        reason: "has \(size) bytes, more than the \(eventSizeBytesMax) allowed in one event")
    }
  }

  private func checkEnvelope() throws(EventError) {
    try Event.check(id, .id, bytesMax: eventIDBytesMax)
    guard type.kind != .unknown || EventTypeReader.isWellFormed(type.text),
      type.text.utf8.count <= nameBytesMax
    else {
      throw EventError(
        field: "type",
        reason: "expected subject.verb in letters, such as \"transaction.purchased\"")
    }
    guard occurredAt.isInEnvelopeRange else {
      throw EventError(
        field: "occurredAt", reason: "expected a time in the years 1970 to 9999 (UTC)")
    }
    if let sequence, sequence < 0 {
      throw EventError(
        field: "sequence", reason: "expected an integer of 0 or more, found \(sequence)")
    }
    if let source, !source.isKnown { try Event.check(Name(source.text), .source) }
    try Event.check(app, .app)
    try Event.check(account, .account)
    try Event.check(device, .device)
    try Event.check(session, .session)
    try Event.check(payment, .payment)
    try Event.check(product, .product)
    try Event.check(transaction, .transaction)
    try Event.check(originalTransaction, .originalTransaction)
    try Event.check(download, .download)
  }

  private static func check(
    _ name: Name?, _ field: EnvelopeField, bytesMax: Int = nameBytesMax
  ) throws(EventError) {
    guard let count = name?.byteCount else { return }
    guard count > 0 else {
      throw EventError(
        field: field.rawValue, reason: "is empty: leave it out if it is not known")
    }
    guard count <= bytesMax else {
      throw EventError(
        field: field.rawValue,
        reason: "has \(count) bytes, more than the \(bytesMax) allowed")
    }
  }

  /// Up to this many members are compared pairwise.
  private static let comparedMembersMax = 16

  private func checkData(_ rule: Vocabulary.Rule) throws(EventError) {
    // Most events have few members, and comparing those is cheaper than building a set.
    let isLong = data.members.count > Event.comparedMembersMax
    var names = Set<Name>()
    for (index, member) in data.members.enumerated() {
      do throws(EventError) {
        let isRepeated =
          isLong
          ? !names.insert(Name(member.name)).inserted
          : data.members[..<index].contains { $0.name.utf8.elementsEqual(member.name.utf8) }
        if isRepeated { throw EventError(reason: "appears twice") }
        try checkUTF8(member.json.span)
        var scanner = JSONScanner(member.json.span, depth: 2)
        _ = try scanner.value()
        guard scanner.isAtEnd else {
          throw scanner.failure("expected one value and nothing after it, found \(scanner.found)")
        }
        guard let field = rule.field(member.name) else { continue }
        scanner.index = 0
        try scanner.check(field.type)
      } catch {
        throw error.within(member.name).within("data")
      }
    }
  }

  /// Checks that the event has everything its type requires.
  func checkNeeds(_ rule: Vocabulary.Rule) throws(EventError) {
    for alternatives in rule.needs {
      var isStated = false
      for alternative in alternatives where states(alternative) { isStated = true }
      if isStated { continue }
      let paths = alternatives.map(\.path)
      throw EventError(
        field: paths[0],
        reason: "is missing: \(type.text) needs \(paths.joined(separator: " or "))")
    }
  }

  private func states(_ requirement: Vocabulary.Requirement) -> Bool {
    switch requirement {
    case .data(let name): data[name] != nil
    case .envelope(.account): account != nil
    case .envelope(.payment): payment != nil
    case .envelope(.product): product != nil
    case .envelope(.transaction): transaction != nil
    case .envelope(.originalTransaction): originalTransaction != nil
    case .envelope(.download): download != nil
    case .envelope(let field):
      preconditionFailure("the vocabulary needs \(field), which nothing checks")
    }
  }
}
